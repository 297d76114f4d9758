from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal

import pytest

import engine.run.recorder as recorder
from engine.errors import RunError
from engine.run.session import RunSession, condition_from
from engine.store.journal import JOURNAL_NAME, read_journal
from tests.engine.run.long_run import (
    RUN,
    HurriedClock,
    Marks,
    after_each_record,
    carry_on,
    finished_steps,
    inner_flow,
    outcome,
)
from tests.engine.run.trial import told, workplace
from tests.engine.store.children import start

PROGRAM = "from tests.engine.run.long_run import main; main()"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The run as it goes when nothing happens to it."""
    home = tmp_path_factory.mktemp("whole")
    marks = Marks()
    asyncio.run(carry_on(home, marks))
    assert len(marks.tries) == len(set(marks.tries))
    return outcome(home)


def test_the_long_run_has_what_can_go_wrong(whole):
    assert sum(whole[RUN]["steps"].values()) >= 60
    assert whole[RUN]["status"] == whole["nested"]["status"] == "finished"
    assert len(whole[RUN]["context"]["seen"]) == 12
    assert whole[RUN]["context"]["rounds"] == 3


def copies_after_each_record(home, folder):
    """Runs it once; a copy of everything on disk after each record of any journal."""
    copies = []

    def copy():
        copies.append(folder / str(len(copies)))
        shutil.copytree(home / "runs", copies[-1] / "runs")

    with after_each_record(copy):
        asyncio.run(carry_on(home, Marks()))
    return copies


@pytest.mark.parametrize("always_snapshots", [False, True])
def test_a_run_goes_on_wherever_it_was_cut_off_and_repeats_no_finished_step(
    whole, tmp_path, monkeypatch, always_snapshots
):
    if always_snapshots:
        monkeypatch.setattr(recorder, "FIRST_SNAPSHOT_BYTES", 0)
        monkeypatch.setattr(recorder, "SNAPSHOT_SHARE", 0)
    copies = copies_after_each_record(tmp_path / "first", tmp_path / "copies")
    assert len(copies) > 90
    assert (kinds(copies[-1]).count("snapshot") > 60) == always_snapshots
    asked = 0
    for home in copies[:: 2 if always_snapshots else 1]:
        done, begun = finished_steps(home), pays_under_way(home)
        marks = Marks()

        repeated = asyncio.run(carry_on(home, marks))

        assert outcome(home) == whole, f"cut after record {home.name}"
        assert not done & set(marks.tries), f"cut after record {home.name}"
        assert len(marks.tries) == len(set(marks.tries))
        assert len(repeated) == begun
        asked += begun
    assert asked


def kinds(home):
    records = read_journal(home / "runs" / RUN / JOURNAL_NAME).records
    return [record["kind"] for record in records]


def pays_under_way(home):
    """Whether the payment had begun, but not ended."""
    records = read_journal(home / "runs" / RUN / JOURNAL_NAME).records
    steps = [r for r in records if r["kind"] in ("step_started", "step_finished")]
    begun = [r["firing"] for r in steps if r["kind"] == "step_started"]
    ended = {r["firing"]: r["node"] for r in steps if r["kind"] == "step_finished"}
    return int("r" in ended.values() and bool(begun) and begun[-1] not in ended)


def killed(home, records):
    """A program that goes on with the run is killed after so many records; whether it was."""
    child = start(PROGRAM, home, records)
    child.communicate(timeout=120)
    assert child.returncode in (0, -signal.SIGKILL)
    return child.returncode != 0


@pytest.mark.skipif(os.name == "nt", reason="there are no signals to kill with")
def test_a_program_that_is_killed_after_a_record_is_carried_on_by_another(whole, tmp_path):
    for records in random.Random(5).sample(range(1, 95), 8):
        home = tmp_path / str(records)
        assert killed(home, records)
        done, marks = finished_steps(home), Marks()

        asyncio.run(carry_on(home, marks))

        assert outcome(home) == whole, f"killed after record {records}"
        assert not done & set(marks.tries)


@pytest.mark.skipif(os.name == "nt", reason="there are no signals to kill with")
def test_a_run_whose_programs_are_killed_one_after_the_other_comes_to_the_same_end(whole, tmp_path):
    deaths = 0
    while killed(tmp_path, 23):
        deaths += 1
        assert deaths < 12, "it does not come on"

    assert deaths >= 4
    assert outcome(tmp_path) == whole


def test_a_journal_that_is_cut_at_any_byte_of_its_last_line_opens(tmp_path):
    copies = copies_after_each_record(tmp_path / "first", tmp_path / "copies")
    place = workplace(tmp_path / "last", Marks().registry(), HurriedClock(), inner=inner_flow())
    place.places.create()
    chance = random.Random(3)
    for home in chance.sample(copies[1:], 8):
        journal = (home / "runs" / RUN / JOURNAL_NAME).read_bytes()
        lines = journal.splitlines(keepends=True)
        if len(lines) < 2:
            continue
        whole, last = b"".join(lines[:-1]), lines[-1]
        path = tmp_path / "cut.log"
        path.write_bytes(whole)
        before = told(condition_from(read_journal(path), place.registry)[0])
        for length in range(len(last)):
            path.write_bytes(whole + last[:length])
            contents = read_journal(path)
            assert contents.torn == (length > 0)
            assert contents.next_n == len(lines) - 1
        assert told(condition_from(contents, place.registry)[0]) == before


def test_a_torn_line_is_gone_when_the_run_goes_on(whole, tmp_path):
    copies = copies_after_each_record(tmp_path / "first", tmp_path / "copies")
    for home in copies[5::17]:
        path = home / "runs" / RUN / JOURNAL_NAME
        path.write_bytes(path.read_bytes()[:-7])

        asyncio.run(carry_on(home, Marks()))

        assert not read_journal(path).torn
        assert outcome(home) == whole


def test_a_run_that_another_program_has_open_is_refused(tmp_path):
    place = workplace(tmp_path, Marks().registry(), HurriedClock(), inner=inner_flow())
    asyncio.run(carry_on(tmp_path, Marks()))
    held = RunSession.open(place, RUN)
    try:
        with pytest.raises(RunError, match="open"):
            RunSession.open(place, RUN)
    finally:
        held.close()
