from __future__ import annotations

import errno
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import StoreError
from engine.store.document_file import DamagedFileError, DocumentFile
from tests.engine.store.json_values import json_values, same


@pytest.fixture
def file(tmp_path):
    return DocumentFile(tmp_path / "data.json", "test.data", "test data")


def insert(file, value):
    with file.changing() as database:
        return database.table("t").insert({"value": value})


def values(file):
    with file.reading() as database:
        return [document["value"] for document in database.table("t")]


@given(st.lists(json_values, min_size=1, max_size=3))
def test_values_are_read_back_exactly(tmp_path_factory, given_values):
    file = DocumentFile(tmp_path_factory.mktemp("x") / "data.json", "test.data", "test data")

    for value in given_values:
        insert(file, value)

    assert same(values(file), given_values)


def test_a_missing_file_is_empty_and_reading_makes_none(file):
    assert values(file) == []
    assert not file.path.exists()


def test_the_file_is_plain_json(file):
    insert(file, {"name": "ä"})

    content = json.loads(file.path.read_text(encoding="utf-8"))

    assert content["tables"] == {"t": {"1": {"value": {"name": "ä"}}}}
    assert content["format"] == "test.data"


def test_two_views_of_one_file_see_each_others_changes(file):
    other = DocumentFile(file.path, "test.data", "test data")

    ids = [insert(each, n) for n, each in enumerate([file, other, file, other])]

    assert ids == [1, 2, 3, 4]
    assert values(file) == values(other) == [0, 1, 2, 3]


def test_a_change_that_fails_leaves_everything_as_it_was(file):
    insert(file, 1)

    def change_and_fail():
        with file.changing() as database:
            database.table("t").truncate()
            database.table("u").insert({"a": 1})
            raise KeyError("x")

    with pytest.raises(KeyError):
        change_and_fail()
    assert values(file) == [1]


def test_looking_inside_a_change_writes_nothing(file):
    insert(file, 1)
    before = os.stat(file.path).st_ino

    with file.changing() as database:
        assert len(database.table("t")) == 1

    assert os.stat(file.path).st_ino == before


def test_every_damage_is_found_kept_aside_and_told(file):
    insert(file, {"text": "hello"})
    sound = file.path.read_bytes()
    for bit in range(0, len(sound) * 8, 5):
        damaged = bytearray(sound)
        damaged[bit // 8] ^= 1 << bit % 8
        file.path.unlink(missing_ok=True)
        file.path.write_bytes(damaged)

        with pytest.raises(StoreError) as caught:
            values(file)

        if isinstance(caught.value, DamagedFileError):
            assert caught.value.kept_as.read_bytes() == damaged
            assert str(caught.value.kept_as) in caught.value.message
            assert not file.path.exists()
            caught.value.kept_as.unlink()
        else:  # The version itself was hit.
            assert "newer version" in caught.value.message


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\0" * 100, b'{"_default": {}}', b"\xff"])
def test_a_foreign_file_is_kept_aside_when_reading_and_when_changing(file, content):
    for use in (values, lambda file: insert(file, 1)):
        file.path.write_bytes(content)

        with pytest.raises(DamagedFileError, match=r"is damaged and has been kept as"):
            use(file)

    assert [copy.read_bytes() for copy in file.damaged_copies()] == [content, content]
    insert(file, 2)
    assert values(file) == [2]


def test_a_file_of_another_kind_is_not_taken(file, tmp_path):
    insert(DocumentFile(tmp_path / "data.json", "test.other", "other"), 1)

    with pytest.raises(DamagedFileError):
        values(file)


def test_a_file_of_a_newer_version_stays_where_it_is(file):
    insert(file, 1)
    newer = file.path.read_bytes().replace(b'"version":1', b'"version":2')
    file.path.write_bytes(newer)

    for use in (values, lambda file: insert(file, 1)):
        with pytest.raises(StoreError, match="newer version"):
            use(file)
    assert file.path.read_bytes() == newer


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_breaks_off_leaves_the_old_file(file, monkeypatch, step):
    insert(file, 1)
    before = file.path.read_bytes()

    def break_off(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, step, break_off)
        with pytest.raises(KeyboardInterrupt):
            insert(file, 2)

    assert file.path.read_bytes() == before
    assert list(file.path.parent.glob(".*.part")) == []
    insert(file, 3)
    assert values(file) == [1, 3]


def test_a_full_disk_is_told_and_leaves_the_old_file(file, monkeypatch):
    insert(file, 1)

    def refuse(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", refuse)
        with pytest.raises(StoreError, match=r"test data '.*' cannot be written: the disk is full"):
            insert(file, 2)

    assert values(file) == [1]
    assert list(file.path.parent.glob(".*.part")) == []


def test_what_is_no_json_value_is_refused(file):
    with pytest.raises(StoreError, match=r"cannot hold this: t\.1\.value: a value of kind object"):
        insert(file, object())

    assert values(file) == []


def test_a_folder_in_the_place_of_the_file_is_told(file):
    file.path.mkdir()

    with pytest.raises(StoreError, match="a folder stands where a file is needed"):
        values(file)
