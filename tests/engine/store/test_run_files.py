from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import RunError, UsageError
from engine.store.journal import JournalWriter
from engine.store.run_files import (
    check_run_id,
    create_run_folder,
    delete_run,
    find_run,
    lock_run,
    new_run_id,
    run_ids,
)


@pytest.fixture
def runs(tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    return runs


def begin(runs, name):
    folder = create_run_folder(runs, name)
    (folder / "journal.log").write_bytes(b"anything")
    return folder


def test_new_names_are_unique_and_sort_by_time():
    names = [new_run_id() for _ in range(2_000)]

    assert sorted(names) == names
    assert len(set(names)) == len(names)
    assert all(check_run_id(name) == name for name in names)


@given(st.floats(0, 4e9), st.floats(0, 4e9))
def test_a_later_second_sorts_behind_an_earlier_one(one, other):
    if abs(one - other) > 1e-3:
        assert (new_run_id(one) < new_run_id(other)) == (one < other)


NO_NAMES = (
    *("", ".", "..", "../x", "/etc", "a/b", "a\\b", "a.b", "C:x", "-rf", "_x", "a b", "a\n"),
    *("a\0b", "NUL", "com1", "é", "\uff11", "x" * 101, "~", "*", "a\ud800"),
)


@pytest.mark.parametrize("text", NO_NAMES, ids=range(len(NO_NAMES)))
def test_what_could_be_a_path_or_a_device_names_no_run(runs, text):
    for ask in (check_run_id, lambda text: find_run(runs, text)):
        with pytest.raises(UsageError, match="is no name of a run"):
            ask(text)
    with pytest.raises(UsageError):
        delete_run(runs, text)
    if text:
        with pytest.raises(UsageError):
            create_run_folder(runs, text)


def test_a_run_gets_a_folder_of_its_own(runs):
    folder = create_run_folder(runs)

    assert folder.parent == runs
    with pytest.raises(RunError, match="already"):
        create_run_folder(runs, folder.name)
    with pytest.raises(RunError, match="it does not exist"):
        create_run_folder(runs / "missing")


def test_only_runs_that_have_begun_are_listed(runs, tmp_path):
    begin(runs, "b")
    begin(runs, "a")
    create_run_folder(runs, "not-begun")
    (create_run_folder(runs, "empty") / "journal.log").touch()
    (runs / "a-file").touch()
    (runs / ".hidden").mkdir()
    (runs / "link").symlink_to(runs / "a")

    assert run_ids(runs) == ["a", "b"]
    assert run_ids(tmp_path / "nowhere") == []


def test_a_run_is_found_by_its_name_or_its_beginning(runs):
    for name in ("20260101-a", "20260102-b", "20260102-bc"):
        begin(runs, name)

    assert find_run(runs, "20260101") == "20260101-a"
    assert find_run(runs, "20260102-b") == "20260102-b"
    with pytest.raises(RunError, match=r"2 runs begin with '20260102': 20260102-b, 20260102-bc"):
        find_run(runs, "20260102")
    with pytest.raises(RunError, match=r"Did you mean '20260101-a'"):
        find_run(runs, "20260101-x")
    with pytest.raises(RunError, match="The newest is '20260102-bc'"):
        find_run(runs, "zzz")


def test_without_runs_the_message_says_so(runs):
    with pytest.raises(RunError, match="No run has begun yet"):
        find_run(runs, "x")


def test_a_deleted_run_is_gone_with_everything_in_it(runs):
    folder = create_run_folder(runs, "one")
    with JournalWriter(folder / "journal.log") as journal:
        journal.append({"kind": "a", "output": "x" * 20_000})
    begin(runs, "two")
    leftover = runs / ".deleted-zero-123456"
    leftover.mkdir()

    delete_run(runs, "one")

    assert [entry.name for entry in runs.iterdir()] == ["two"]
    for missing in ("one", "three"):
        with pytest.raises(RunError, match=f"no run '{missing}'"):
            delete_run(runs, missing)


def test_a_link_is_never_followed_when_deleting(runs, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (runs / "link").symlink_to(outside)

    with pytest.raises(RunError, match="no run 'link'"):
        delete_run(runs, "link")
    assert outside.exists()


def test_a_run_that_is_open_is_not_deleted(runs):
    folder = begin(runs, "one")

    with lock_run(folder), pytest.raises(RunError, match="open"):
        delete_run(runs, "one")

    assert run_ids(runs) == ["one"]
