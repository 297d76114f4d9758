from __future__ import annotations

import random

import pytest

from engine.store.document_file import DocumentFile
from engine.store.journal import JournalWriter, read_journal
from engine.store.library import Library
from tests.engine.store.children import kill, start

WRITER = """
import sys
from pathlib import Path
from engine.store.journal import JournalWriter, read_journal

path = Path(sys.argv[1])
contents = read_journal(path)
journal = JournalWriter.reopen(contents, sync_every_s=0.001)
while True:
    n = journal.next_n
    journal.append({"kind": "step", "output": "x" * (n % 7) * 3_000, "check": n})
    sys.stdout.buffer.write(b"%d\\n" % n)
    sys.stdout.buffer.flush()
"""


def read_numbers(child, count):
    return [int(child.stdout.readline()) for _ in range(count)]


def test_a_writer_that_is_killed_loses_no_record_that_it_had_written(tmp_path):
    path = tmp_path / "run" / "journal.log"
    path.parent.mkdir()
    path.touch()
    chance = random.Random(7)
    told = 0
    for _ in range(12):
        child = start(WRITER, path)
        told = read_numbers(child, chance.randrange(1, 400))[-1]
        rest = kill(child).splitlines()
        told = max([told, *(int(line) for line in rest[:-1])])

        contents = read_journal(path)

        assert contents.next_n > told
        assert [record["check"] for record in contents.records] == list(range(contents.next_n))
        assert all(len(each["output"]) == each["n"] % 7 * 3_000 for each in contents.records)
    with JournalWriter.reopen(contents) as journal:
        journal.append({"kind": "end"})
    assert read_journal(path).records[-1]["kind"] == "end"


SAVER = """
import sys
from pathlib import Path
from engine.store.library import Library

library = Library(Path(sys.argv[1]))
while True:
    entry = library.save({"id": "a", "name": "A", "nodes": ["x" * 50_000]})
    sys.stdout.buffer.write(b"%d\\n" % entry.revision)
    sys.stdout.buffer.flush()
"""


def test_a_library_whose_program_is_killed_is_whole_and_free(tmp_path):
    path = tmp_path / "flows.json"
    chance = random.Random(3)
    for _ in range(8):
        child = start(SAVER, path)
        told = read_numbers(child, chance.randrange(1, 20))[-1]
        kill(child)

        stored = Library(path).get("A")

        assert stored.entry.revision >= told
        assert stored.document["nodes"] == ["x" * 50_000]
    assert Library(path).save({"id": "a", "name": "A"}).revision == stored.entry.revision + 1
    assert list(tmp_path.glob(".*.part")) == []


COUNTER = """
import sys
from pathlib import Path
from engine.store.document_file import DocumentFile

file = DocumentFile(Path(sys.argv[1]), "test.counts", "counts")
print(flush=True)
sys.stdin.readline()
for _ in range(40):
    with file.changing() as database:
        count = database.table("t").get(doc_id=1)
        if count is None:
            database.table("t").insert({"count": 1})
        else:
            database.table("t").update({"count": count["count"] + 1}, doc_ids=[1])
"""


@pytest.mark.parametrize("programs", [2, 3])
def test_programs_that_change_one_file_at_once_lose_nothing(tmp_path, programs):
    path = tmp_path / "counts.json"
    children = [start(COUNTER, path) for _ in range(programs)]
    for child in children:
        child.stdout.readline()
    for child in children:
        child.stdin.write(b"go\n")
        child.stdin.flush()
    for child in children:
        child.communicate(timeout=120)

    assert [child.returncode for child in children] == [0] * programs
    with DocumentFile(path, "test.counts", "counts").reading() as database:
        assert database.table("t").get(doc_id=1)["count"] == 40 * programs
