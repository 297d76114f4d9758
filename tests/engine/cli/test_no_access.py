"""Folders and files that belong to somebody else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.engine.cli.calls import counting
from tests.engine.cli.processes import LIMIT_S, environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="rights work differently there")
_STRANGER = 65534


@pytest.fixture
def shared():
    """A folder that every user reaches, with a flow and a home that holds one finished run."""
    folder = Path(tempfile.mkdtemp(prefix="loopwright-"))
    folder.chmod(0o755)
    home = folder / "home"
    flow = counting(folder)
    assert as_somebody(home, "run", flow).returncode == 0
    yield folder
    for path in (home, *home.rglob("*")):
        path.chmod(0o700)
    shutil.rmtree(folder)


def as_somebody(home: Path, *words: object, **options):
    return subprocess.run(
        [sys.executable, "-m", "engine", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        env=environment(LOOPWRIGHT_HOME=str(home)),
        **options,
    )


def without_right(path: Path, home: Path, *words: object):
    """A call by somebody who may not use a path; the system's master may use everything."""
    path.chmod(0)
    if os.geteuid() != 0:
        return as_somebody(home, *words)
    if path != home:
        for each in (home, *home.rglob("*")):
            os.chown(each, _STRANGER, _STRANGER)
    return as_somebody(home, *words, user=_STRANGER, group=_STRANGER, extra_groups=[])


COMMANDS = [
    ("run", "FLOW"),
    ("run", "FLOW", "--json"),
    ("validate", "FLOW"),
    ("test", "FLOW"),
    ("nodes",),
    ("runs", "list"),
    ("runs", "list", "--json"),
    ("runs", "show", "last"),
    ("resume", "last"),
    ("fork", "last", "--at", "1"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_home_of_another_user_is_told_in_words(shared, words):
    home = shared / "home"
    flow = shared / "counting.flow.json"

    done = without_right(home, home, *(flow if word == "FLOW" else word for word in words))

    assert done.returncode == 3
    assert str(home) in done.stderr
    assert "you have no right to it" in done.stderr
    assert "set LOOPWRIGHT_HOME to another folder" in done.stderr
    assert "Traceback" not in done.stderr
    assert "itself failed" not in done.stderr
    if "--json" in words:
        assert json.loads(done.stdout)["error"]["kind"] == "store"


def test_the_doctor_survives_a_home_of_another_user_and_lists_it(shared):
    home = shared / "home"

    done = without_right(home, home, "doctor")

    assert done.returncode == 3
    assert f"Home: {home}" in done.stdout
    assert "you have no right to it" in done.stdout
    assert "Optional parts" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("name", ["runs.json", "runs", "runs/RUN", "runs/RUN/journal.log"])
def test_the_doctor_lists_what_cannot_be_read(shared, name):
    home = shared / "home"
    [run] = (home / "runs").iterdir()
    path = home / name.replace("RUN", run.name)

    done = without_right(path, home, "doctor", "--json")

    bad = [each for each in json.loads(done.stdout)["findings"] if each["state"] == "bad"]
    assert done.returncode == 3
    assert any(str(path) in each["text"] and "no right" in each["text"] for each in bad)
    assert all(each["hint"] for each in bad)
