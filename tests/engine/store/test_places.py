from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from engine.errors import StoreError
from engine.store.places import Places, default_places


def test_everything_lies_under_the_chosen_home(loopwright_home):
    places = default_places()

    assert places == Places.under(loopwright_home)
    assert all(
        path.is_relative_to(loopwright_home)
        for path in (
            places.flows,
            places.settings,
            places.runs,
            places.run_index,
            places.nodes,
            places.cache,
        )
    )


def test_asking_makes_nothing_and_creating_makes_private_folders(loopwright_home):
    places = default_places()
    assert not loopwright_home.exists()

    assert places.create() == places
    places.create()

    assert places.runs.is_dir()
    assert places.nodes.is_dir()
    assert places.cache.is_dir()
    assert loopwright_home.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("environment", [{}, {"LOOPWRIGHT_HOME": ""}, {"LOOPWRIGHT_HOME": " "}])
def test_without_a_choice_the_computer_says_where(environment, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    places = default_places(environment)

    assert "loopwright" in places.home.parts
    assert not places.cache.is_relative_to(places.home)


def test_a_home_may_be_relative_or_begin_at_the_users(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "me"))

    assert default_places({"LOOPWRIGHT_HOME": "here"}).home == tmp_path / "here"
    assert default_places({"LOOPWRIGHT_HOME": "~/x"}).home == tmp_path / "me" / "x"
    with pytest.raises(StoreError, match="LOOPWRIGHT_HOME is '~nobody-of-that-name/x'"):
        default_places({"LOOPWRIGHT_HOME": "~nobody-of-that-name/x"})


def test_a_file_in_the_way_is_told(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match=r"file' is a file, but a folder is needed"):
        Places.under(tmp_path / "file").create()
    with pytest.raises(StoreError, match="a file stands where a folder is needed"):
        Places.under(tmp_path / "file" / "home").create()


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EACCES, "you have no right to it"),
        (errno.EROFS, "the disk can only be read"),
        (errno.ENOSPC, "the disk is full"),
        (errno.ENXIO, "no such device or address"),
    ],
)
def test_a_disk_that_refuses_is_told_in_words(tmp_path, monkeypatch, number, words):
    def refuse(path, *arguments, **options):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "mkdir", refuse)

    with pytest.raises(StoreError, match=f"home' cannot be made: {words}") as caught:
        Places.under(tmp_path / "home").create()
    assert caught.value.hint


def test_a_folder_that_cannot_be_written_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)

    with pytest.raises(StoreError, match="cannot be written") as caught:
        Places.under(tmp_path).create()
    assert "LOOPWRIGHT_HOME" in caught.value.hint
