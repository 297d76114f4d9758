from __future__ import annotations

import os
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.store.journal import JournalDamagedError, JournalWriter, read_journal
from tests.engine.store.json_values import json_values, same

RECORDS = [{"n": n, "kind": "step_finished", "output": f"value {n}"} for n in range(4)]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "run" / "journal.log"
    path.parent.mkdir()
    with JournalWriter(path) as journal:
        for record in RECORDS:
            journal.append(record)
    return path


def line(text):
    return b"%08x%b\n" % (crc32(text), text)


@given(json_values)
def test_a_journal_cut_at_every_byte_of_its_last_line_opens_and_goes_on(tmp_path_factory, value):
    path = tmp_path_factory.mktemp("run") / "journal.log"
    with JournalWriter(path) as journal:
        whole = journal.append({"kind": "a"})
        journal.append({"kind": "b", "output": value})
    data = path.read_bytes()

    for cut in reversed(range(whole, len(data))):
        os.truncate(path, cut)
        contents = read_journal(path)

        assert contents.records == [{"n": 0, "kind": "a"}]
        assert contents.torn == (cut > whole)
        assert contents.end_offset == whole
    with JournalWriter.reopen(contents) as journal:
        journal.append({"kind": "b", "output": value})
    assert path.read_bytes() == data


def test_a_journal_cut_inside_its_only_line_is_empty(path):
    path.write_bytes(path.read_bytes()[:10])

    contents = read_journal(path)

    assert (contents.records, contents.torn, contents.end_offset) == ([], True, 0)


@given(st.data())
def test_flipped_bits_never_make_another_record(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("run") / "journal.log"
    with JournalWriter(path) as journal:
        for record in RECORDS:
            journal.append(record)
    content = bytearray(path.read_bytes())
    for bit in data.draw(st.sets(st.integers(0, len(content) * 8 - 1), min_size=1, max_size=5)):
        content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)

    contents = read_journal(path, up_to_damage=True)

    assert contents.torn or contents.damage.whole_records == len(contents.records)
    assert same(contents.records, RECORDS[: len(contents.records)])
    assert len(contents.records) < len(RECORDS)


def test_every_single_flipped_bit_is_found(path):
    content = path.read_bytes()
    for bit in range(len(content) * 8):
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        with path.open("r+b") as file:
            file.write(flipped)

        contents = read_journal(path, up_to_damage=True)

        assert contents.records == RECORDS[: len(contents.records)]
        assert len(contents.records) < len(RECORDS)


@pytest.mark.parametrize(
    ("order", "whole", "what"),
    [
        ((0, 2, 3), 1, "missing or doubled"),
        ((0, 1, 1, 2, 3), 2, "missing or doubled"),
        ((1, 2, 3), 0, "missing or doubled"),
        ((0, 2, 1, 3), 1, "missing or doubled"),
        ((0, 1, 3), 2, "missing or doubled"),
    ],
)
def test_missing_doubled_and_swapped_lines_are_refused(path, order, whole, what):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[n] for n in order))

    with pytest.raises(JournalDamagedError, match=what) as caught:
        read_journal(path)

    assert caught.value.whole_records == whole
    assert caught.value.end_offset == sum(map(len, lines[:whole]))
    assert f"Line {whole + 1} of the journal '{path}'" in caught.value.message
    assert read_journal(path, up_to_damage=True).records == RECORDS[:whole]


@pytest.mark.parametrize(
    "bad",
    [
        line(b' {"n":4'),
        line(b'~{"n":4,"x":\xff}'),
        line(b'x{"n":4}'),
        line(b' {"n":4,"blobs":[[["x"],"0"]]}'),
        line(b' {"n":4,"blobs":[[[],"' + b"0" * 64 + b'"]]}'),
        line(b' {"n":4,"blobs":[[["x"],"../../../etc/passwd"]]}'),
        line(b' {"n":4,"blobs":7}'),
        line(b' {"n":04}'),
        line(b' {"n":40}'),
        line(b'{"n":4}'),
        line(b" [4]"),
        line(b""),
    ],
)
def test_a_sound_checksum_around_nonsense_is_refused(path, bad):
    with path.open("ab") as file:
        file.write(bad)

    with pytest.raises(JournalDamagedError, match="Line 5"):
        read_journal(path)
    assert read_journal(path, up_to_damage=True).records == RECORDS


@pytest.mark.parametrize("tail", [b"\0" * 5000, b"x", b"deadbeef {}", b"\xff"])
def test_the_beginning_of_a_line_behind_the_last_record_is_dropped_and_cut_off(path, tail):
    sound = path.read_bytes()
    path.write_bytes(sound + tail)

    contents = read_journal(path)
    assert contents.torn
    assert contents.records == RECORDS
    JournalWriter.reopen(contents).close()

    assert path.read_bytes() == sound


@pytest.mark.parametrize("tail", [b"\n", b"deadbeef {}\n", b"\xff\n"])
def test_a_whole_line_that_is_no_record_is_damage_also_at_the_end(path, tail):
    path.write_bytes(path.read_bytes() + tail)

    with pytest.raises(JournalDamagedError, match="Line 5"):
        read_journal(path)
    assert read_journal(path, up_to_damage=True).records == RECORDS


def test_a_flipped_bit_in_the_last_record_is_damage(path):
    content = bytearray(path.read_bytes())
    content[-20] ^= 1
    path.write_bytes(content)

    with pytest.raises(JournalDamagedError, match="Line 4"):
        read_journal(path)


def test_rubbish_of_two_lines_is_damage(path):
    path.write_bytes(path.read_bytes() + b"x\ny")

    with pytest.raises(JournalDamagedError, match="Line 5"):
        read_journal(path)


def test_going_on_before_the_damage_keeps_the_damaged_journal_aside(path):
    damaged = path.read_bytes().replace(b"value 2", b"value X")
    path.write_bytes(damaged)

    contents = read_journal(path, up_to_damage=True)
    with JournalWriter.reopen(contents) as journal:
        journal.append({"kind": "resumed"})

    assert contents.damage.whole_records == 2
    assert not contents.torn
    assert [record["kind"] for record in read_journal(path).records][-1] == "resumed"
    (copy,) = path.parent.glob("journal.log.damaged-*")
    assert copy.read_bytes() == damaged
