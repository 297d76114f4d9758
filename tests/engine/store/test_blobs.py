from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import JournalError
from engine.store.journal import JournalDamagedError, JournalWriter, load_blob, read_journal
from tests.engine.store.json_values import json_values, same

LONG = "long text " * 2_000


@pytest.fixture
def path(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    return folder / "journal.log"


def write(path, *records, **options):
    with JournalWriter(path, **options) as journal:
        return [journal.append({"kind": "step_finished", **record}) for record in records]


def files(path):
    return sorted((path.parent / "blobs").glob("*"))


@given(st.lists(json_values, max_size=3), st.integers(0, 9_000))
def test_large_values_are_read_back_exactly(tmp_path_factory, values, length):
    path = tmp_path_factory.mktemp("run") / "journal.log"
    odd = {"text": "ä" * length, "number": [2**70, float("nan"), "\ud800"] * (length // 20)}
    record = {"output": [odd, *values], "inputs": {"a": odd, "": values}, "route": None}

    write(path, record, record)

    first, second = read_journal(path).records
    assert same(first, {"n": 0, "kind": "step_finished", **record})
    assert same(second, {"n": 1, "kind": "step_finished", **record})


def test_a_large_value_is_stored_once_and_counted_once(path):
    first, second = write(path, {"output": LONG}, {"inputs": {"a": LONG}, "output": {"t": LONG}})

    assert len(files(path)) == 1
    assert first > len(LONG)
    assert second < 1_000
    assert path.stat().st_size < 1_500


def test_small_values_stay_in_the_journal(path):
    write(path, {"output": "x" * 8_000})

    assert files(path) == []


def test_only_the_large_part_leaves_the_record(path):
    write(path, {"output": {"text": LONG, "usage": {"tokens": 3}}, "updates": {"a": [1]}})

    (record,) = read_journal(path, with_blobs=False).records

    assert record["output"] == {"text": None, "usage": {"tokens": 3}}
    ((place, digest),) = record["blobs"]
    assert place == ["output", "text"]
    assert load_blob(path.parent / "blobs", digest) == LONG


def test_fields_that_are_to_stay_inline_do(path):
    write(path, {"document": {"nodes": [LONG]}}, keep_inline=["document"])

    assert files(path) == []
    assert read_journal(path).records[0]["document"] == {"nodes": [LONG]}


def test_a_list_of_many_small_parts_is_one_large_value(path):
    rows = [{"row": n, "text": "some text"} for n in range(2_000)]

    write(path, {"outputs": rows}, {"kind": "snapshot", "state": {"rows": rows, "x": None}})

    assert len(files(path)) == 1
    assert read_journal(path).records[1]["state"] == {"rows": rows, "x": None}


def test_boxes_inside_boxes_are_stored(path):
    value = LONG
    for level in range(100):
        value = {"box": value} if level % 2 else [value]

    write(path, {"output": value})

    assert read_journal(path).records[0]["output"] == value
    assert path.stat().st_size < 1_000


def test_nothing_that_a_person_writes_is_taken_for_a_reference(path):
    lure = {"blobs": [[["output"], "0" * 64]], "n": 9, "text": LONG}

    write(path, {"output": lure, "updates": {"blobs": [[["kind"], "x"]]}})

    (record,) = read_journal(path).records
    assert record["output"] == lure
    assert record["updates"] == {"blobs": [[["kind"], "x"]]}


def test_a_value_that_stands_there_half_is_written_again(path):
    write(path, {"output": LONG})
    (blob,) = files(path)
    blob.write_bytes(b"")

    with JournalWriter.reopen(read_journal(path, with_blobs=False)) as journal:
        journal.append({"kind": "step_finished", "output": LONG})

    assert [record["output"] for record in read_journal(path).records] == [LONG, LONG]


@pytest.mark.parametrize(
    ("damage", "word"),
    [
        (lambda blob: blob.unlink(), "missing"),
        (lambda blob: blob.write_bytes(blob.read_bytes()[:-1]), "damaged"),
        (lambda blob: blob.write_bytes(blob.read_bytes().replace(b"long", b"lang")), "damaged"),
        (lambda blob: blob.write_bytes(b""), "damaged"),
    ],
)
def test_a_missing_or_damaged_value_is_told_and_what_is_before_opens(path, damage, word):
    write(path, {"output": 1}, {"output": LONG}, {"output": 2})
    (blob,) = files(path)
    damage(blob)

    with pytest.raises(JournalDamagedError, match=f"Line 2 .* {word}") as caught:
        read_journal(path)
    with pytest.raises(JournalError, match=word):
        load_blob(blob.parent, blob.name)

    assert caught.value.whole_records == 1
    contents = read_journal(path, up_to_damage=True)
    assert [record["output"] for record in contents.records] == [1]
    assert contents.next_n == 1


def test_from_the_last_snapshot_needs_no_older_values(path):
    write(path, {"kind": "run_started"}, {"output": LONG}, {"kind": "snapshot"}, {"output": 1})
    (blob,) = files(path)
    blob.unlink()

    contents = read_journal(path, from_last_snapshot=True)

    assert [record["n"] for record in contents.records] == [0, 2, 3]


def test_a_disk_that_takes_no_large_value_leaves_the_journal_as_it_was(path):
    (path.parent / "blobs").write_text("a file in the way")

    with JournalWriter(path) as journal:
        with pytest.raises(JournalError, match="A large value cannot be written"):
            journal.append({"kind": "a", "output": LONG})
        journal.append({"kind": "b"})

    assert [record["kind"] for record in read_journal(path).records] == ["b"]
