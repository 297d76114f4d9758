from __future__ import annotations

import json
import shutil
import time

import pytest

from engine.errors import JournalError, RunError
from engine.store.run_files import create_run_folder, lock_run
from engine.store.run_index import RunEntry, RunIndex
from tests.engine.store.children import end, start


class Disk:
    """Runs whose journal is their summary."""

    def __init__(self, home):
        self.home = home
        self.runs = home / "runs"
        self.runs.mkdir(parents=True)
        self.read = []

    def add(self, run_id, **fields):
        (self.runs / run_id).mkdir(exist_ok=True)
        (self.runs / run_id / "journal.log").write_text(json.dumps(fields))

    def summarise(self, folder):
        self.read.append(folder.name)
        text = (folder / "journal.log").read_text()
        if text == "damaged":
            raise JournalError("Line 3 is damaged.")
        return json.loads(text)

    def index(self):
        return RunIndex(self.home / "runs.json", self.runs, self.summarise)


@pytest.fixture
def disk(tmp_path):
    return Disk(tmp_path / "home")


def test_an_entry_is_read_back_as_it_was_put(disk):
    entry = RunEntry(
        "one", "f", "Flow", "paused", 1.5, None, "zero", ("zero", 3), steps=7, error="", waiting=2
    )
    disk.add("one", status="finished")

    disk.index().put(RunEntry("one"))
    disk.index().put(entry)

    assert disk.index().get("one") == entry
    assert disk.index().all() == [entry]
    assert disk.read == []


def test_a_changed_status_keeps_the_other_fields(disk):
    disk.add("one")
    disk.index().put(RunEntry("one", flow_name="Flow", steps=2))

    changed = disk.index().change("one", status="finished", ended=9.0)

    assert changed == RunEntry("one", flow_name="Flow", steps=2, status="finished", ended=9.0)
    assert disk.index().get("one") == changed
    with pytest.raises(RunError, match="no run 'two'"):
        disk.index().change("two", status="finished")


def test_a_run_that_the_list_lacks_is_added_from_its_journal(disk):
    disk.add("one", status="finished", steps=4, unknown_key=1)

    assert disk.index().get("one") == RunEntry("one", status="finished", steps=4)
    assert disk.index().all() == [RunEntry("one", status="finished", steps=4)]
    assert disk.index().all() == [RunEntry("one", status="finished", steps=4)]
    assert disk.read == ["one", "one"]
    assert disk.index().change("one", steps=5).status == "finished"


def test_an_entry_without_a_run_is_removed(disk):
    disk.add("one", status="finished")
    disk.add("two", status="finished")
    disk.index().all()
    shutil.rmtree(disk.runs / "one")

    assert [entry.run_id for entry in disk.index().all()] == ["two"]
    assert disk.index().get("one") is None
    disk.index().remove("two")
    disk.index().remove("two")
    assert disk.read == ["one", "two"]


def test_a_run_whose_program_was_killed_is_read_again(disk):
    disk.add("one", status="stopped")
    disk.add("two", status="stopped")
    for name in ("one", "two"):
        disk.index().put(RunEntry(name, status="running"))

    with lock_run(disk.runs / "two"):
        statuses = {entry.run_id: entry.status for entry in disk.index().all()}

    assert statuses == {"one": "stopped", "two": "running"}
    assert disk.read == ["one"]


def test_a_run_that_has_not_begun_is_not_listed(disk):
    create_run_folder(disk.runs, "one")

    assert disk.index().all() == []
    assert disk.index().get("one") is None
    assert disk.read == []


def test_a_damaged_journal_does_not_hide_the_other_runs(disk):
    disk.add("one", status="finished")
    disk.add("two")
    (disk.runs / "two" / "journal.log").write_text("damaged")

    first, second = disk.index().all()

    assert first.status == "finished"
    assert (second.status, second.error) == ("damaged", "Line 3 is damaged.")


@pytest.mark.parametrize("content", [b"", b"{", b"\0" * 50, b'{"_default":{}}'])
@pytest.mark.parametrize("use", ["all", "get", "put", "change", "remove"])
def test_a_damaged_list_is_made_anew_from_the_journals(disk, content, use):
    disk.add("one", status="finished", steps=4)
    disk.add("two", status="paused", waiting=1)
    disk.index().all()
    (disk.home / "runs.json").write_bytes(content)

    index = disk.index()
    {
        "all": index.all,
        "get": lambda: index.get("one"),
        "put": lambda: index.put(RunEntry("two", status="paused", waiting=1)),
        "change": lambda: index.change("one", error=""),
        "remove": lambda: index.remove("three"),
    }[use]()

    assert disk.index().all() == [
        RunEntry("one", status="finished", steps=4),
        RunEntry("two", status="paused", waiting=1),
    ]


def test_a_missing_list_is_made_anew(disk):
    disk.add("one", status="finished")
    disk.index().all()
    (disk.home / "runs.json").unlink()

    assert [entry.run_id for entry in disk.index().all()] == ["one"]


RACER = """
import sys
from pathlib import Path
from engine.store.run_index import RunEntry, RunIndex

home, name = Path(sys.argv[1]), sys.argv[2]
index = RunIndex(home / "runs.json", home / "runs", lambda folder: {"status": "from journal"})
print(flush=True)
sys.stdin.readline()
for n in range(15):
    run_id = f"{name}-{n:02d}"
    (home / "runs" / run_id).mkdir()
    (home / "runs" / run_id / "journal.log").write_text("x")
    index.put(RunEntry(run_id, status="paused"))
    if n % 4 == 0:
        index.all()
    index.change(run_id, status="finished", steps=n)
"""


def test_two_programs_that_touch_the_list_at_once_lose_nothing(disk):
    children = [start(RACER, disk.home, name) for name in ("a", "b")]
    for child in children:
        child.stdout.readline()
    for child in children:
        child.stdin.write(b"\n")
        child.stdin.flush()
    for child in children:
        end(child)

    entries = disk.index().all()

    assert len(entries) == 30
    assert {(each.status, each.steps) for each in entries} == {("finished", n) for n in range(15)}


def test_a_thousand_runs_are_listed_fast(disk):
    for n in range(1_000):
        disk.add(f"run-{n:04d}", status="finished")
    disk.index().rebuild()

    start_s = time.perf_counter()
    entries = disk.index().all()

    assert len(entries) == 1_000
    assert time.perf_counter() - start_s < 2


def test_what_another_program_enters_while_the_list_is_put_right_stays(disk):
    disk.add("one", status="stopped")
    disk.add("two", status="stopped")
    other = disk.index()

    def summarise(folder):
        if folder.name == "one":
            other.put(RunEntry("one", status="finished"))
        else:
            shutil.rmtree(folder)
        return {"status": "stopped"}

    entries = RunIndex(disk.home / "runs.json", disk.runs, summarise).all()

    assert entries == [RunEntry("one", status="finished")]


class SlowIndex(RunIndex):
    """Another program changes the run between its looking and its writing."""

    other: RunIndex

    def get(self, run_id):
        entry = super().get(run_id)
        self.other.change(run_id, waiting=3)
        return entry


def test_two_programs_that_change_different_fields_of_a_run_both_succeed(disk):
    disk.add("one")
    disk.index().put(RunEntry("one"))
    slow = SlowIndex(disk.home / "runs.json", disk.runs, disk.summarise)
    slow.other = disk.index()

    slow.change("one", steps=5)

    assert disk.index().get("one") == RunEntry("one", steps=5, waiting=3)
