from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import JournalError
from engine.store.journal import JournalDamagedError, JournalWriter, read_journal
from tests.engine.store.json_values import json_values, same


@pytest.fixture
def path(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    return folder / "journal.log"


def write(path, records, **options):
    with JournalWriter(path, **options) as journal:
        return [journal.append(record) for record in records]


@given(st.lists(json_values, max_size=4))
def test_records_are_read_back_exactly(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("run") / "journal.log"
    records = [{"kind": "step_finished", "output": value} for value in values]

    write(path, records)

    contents = read_journal(path)
    assert same(contents.records, [{"n": n, **each} for n, each in enumerate(records)])
    assert (contents.next_n, contents.torn, contents.snapshot_index) == (len(values), False, None)
    assert contents.end_offset == path.stat().st_size


def test_a_record_is_one_line_with_checksum_number_and_kind(path):
    sizes = write(path, [{"kind": "a"}, {"kind": "b", "n": 1}, {"kind": "c", "x": 2**70}])

    lines = path.read_bytes().splitlines(keepends=True)
    assert [len(line) for line in lines] == sizes
    assert lines[0][8:] == b' {"n":0,"kind":"a"}\n'
    assert lines[1][8:] == b' {"n":1,"kind":"b"}\n'
    assert lines[2][8:] == b'~{"n":2,"kind":"c","x":1180591620717411303424}\n'


def test_a_journal_goes_on_where_it_ended(path):
    write(path, [{"kind": "a"}, {"kind": "b"}])

    with JournalWriter.reopen(read_journal(path)) as journal:
        journal.append({"kind": "c"})
    write(path, [{"kind": "d"}], start_n=3)

    assert [record["kind"] for record in read_journal(path).records] == ["a", "b", "c", "d"]


def test_a_journal_is_never_begun_over_another(path):
    write(path, [{"kind": "a"}])

    with pytest.raises(JournalError, match="exists already"):
        JournalWriter(path)
    with pytest.raises(JournalError, match="holds 1 records, not 5"):
        JournalWriter(path, start_n=5)
    with pytest.raises(JournalError, match="shorter"):
        JournalWriter(path, start_n=1, end=10_000)


def test_a_run_that_was_killed_before_its_first_record_can_begin(path):
    path.touch()

    assert read_journal(path).records == []
    write(path, [{"kind": "a"}])

    assert len(read_journal(path).records) == 1


def test_a_record_that_cannot_be_kept_leaves_the_journal_as_it_was(path):
    with JournalWriter(path) as journal:
        journal.append({"kind": "a"})
        with pytest.raises(JournalError, match=r"output: a value of kind object"):
            journal.append({"kind": "b", "output": object()})
        journal.append({"kind": "c"})

    assert [record["kind"] for record in read_journal(path).records] == ["a", "c"]


def test_reserved_keys_are_refused(path):
    with JournalWriter(path) as journal:
        with pytest.raises(AssertionError, match="cannot stand at place 0"):
            journal.append({"kind": "a", "n": 7})
        with pytest.raises(AssertionError, match="journal's own"):
            journal.append({"kind": "a", "blobs": []})

    assert read_journal(path).records == []


def test_a_closed_journal_takes_no_more_records(path):
    journal = JournalWriter(path)
    journal.append({"kind": "a"})
    journal.close()
    journal.close()

    with pytest.raises(JournalError, match="it is closed"):
        journal.append({"kind": "b"})
    with pytest.raises(JournalError, match="it is closed"):
        journal.sync()


def test_a_missing_journal_is_named(path):
    with pytest.raises(JournalError, match=r"journal\.log' cannot be read: it does not exist"):
        read_journal(path)


def test_from_the_last_snapshot_gives_the_first_record_and_what_follows_it(path):
    lure = {"kind": "step_finished", "output": {"kind": "snapshot", "text": '"kind":"snapshot"'}}
    old, new = {"kind": "snapshot", "x": 1}, {"kind": "snapshot", "x": 2}
    write(path, [{"kind": "run_started"}, old, lure, new, lure, {"kind": "c"}])

    contents = read_journal(path, from_last_snapshot=True)

    assert [record["n"] for record in contents.records] == [0, 3, 4, 5]
    assert contents.snapshot_index == 1
    assert contents.next_n == 6
    assert read_journal(path).snapshot_index == 3


@pytest.mark.parametrize(
    ("kinds", "numbers", "index"),
    [("ab", [0, 1], None), ("sab", [0, 1, 2], 0), ("as", [0, 1], 1), ("", [], None)],
)
def test_a_journal_with_few_or_no_snapshots_is_read_whole(path, kinds, numbers, index):
    write(path, [{"kind": {"s": "snapshot"}.get(kind, kind)} for kind in kinds])

    contents = read_journal(path, from_last_snapshot=True)

    assert [record["n"] for record in contents.records] == numbers
    assert contents.snapshot_index == index


def test_damage_before_the_snapshot_is_found_although_nothing_there_is_parsed(path):
    write(path, [{"kind": "a"}, {"kind": "b", "x": "yes"}, {"kind": "snapshot"}, {"kind": "c"}])
    path.write_bytes(path.read_bytes().replace(b"yes", b"yet"))

    with pytest.raises(JournalDamagedError, match="Line 2"):
        read_journal(path, from_last_snapshot=True)
