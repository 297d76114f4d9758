"""Nothing that code does reaches out of its box, and none of it takes much longer than it may."""

from __future__ import annotations

import asyncio
import copy
import os
import socket
import sys
import time
from pathlib import Path

import pytest

from engine.errors import NodeError
from engine.sandbox.box import run_code
from engine.sandbox.limits import Limits
from tests.engine.sandbox.bodies import JAVASCRIPT, PYTHON

LIMITS = Limits(seconds=0.3, memory_mb=48)
SECRET = "the canary sings"
BODIES = [
    *(pytest.param("python", code, id=f"python: {name}") for name, code in PYTHON.items()),
    *(
        pytest.param("javascript", code, id=f"javascript: {name}")
        for name, code in JAVASCRIPT.items()
    ),
]
INPUTS = {"inputs": {"a": [1, {"b": 2}]}, "state": {"messages": []}, "input": {"x": 1}}


@pytest.fixture
def canary(tmp_path):
    path = tmp_path / "canary.js"
    path.write_text(f"export default '{SECRET}'; // {SECRET}")
    return path


@pytest.fixture
def port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server.getsockname()[1]
        with pytest.raises(BlockingIOError):
            server.accept()


def outcome(language, code, inputs=INPUTS):
    printed = []
    try:
        value = asyncio.run(run_code(language, code, inputs, LIMITS, printed.append))
    except NodeError as error:
        return error, "".join(printed)
    return value, "".join(printed)


def family():
    """This process and those it started, by id."""
    found = [os.getpid()]
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = entry.read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if int(parent) == os.getpid():
            found.append(int(entry.parent.name))
    return found


def most_memory(process):
    """The most that a process ever had in memory, in bytes; 0 when it is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


@pytest.mark.parametrize(("language", "code"), BODIES)
def test_hostile_code_is_contained(language, code, canary, port, tmp_path):
    code = code.replace("CANARY", str(canary)).replace("PORT", str(port))
    inputs, before = copy.deepcopy(INPUTS), sorted(tmp_path.iterdir())
    outcome(language, "1 + 1")
    memory = most_memory(os.getpid()) if sys.platform == "linux" else 0

    start = time.perf_counter()
    value, printed = outcome(language, code, inputs)
    took = time.perf_counter() - start

    assert took < LIMITS.seconds + 1.5
    assert SECRET not in f"{str(value)[:100_000]}{printed}"
    assert len(printed) < 200_000
    assert inputs == INPUTS
    assert sorted(tmp_path.iterdir()) == before
    assert SECRET in canary.read_text()
    if isinstance(value, NodeError):
        assert value.message.endswith(".")
        assert len(str(value)) < 2_000
    if sys.platform == "linux":
        allowed = LIMITS.memory_bytes + 100 * 1024 * 1024
        assert most_memory(os.getpid()) - memory < allowed
        assert all(most_memory(each) < allowed + 60 * 1024 * 1024 for each in family()[1:])
    assert outcome(language, "1 + 1") == (2, "")


def test_there_are_enough_of_them():
    assert len(PYTHON) >= 35
    assert len(JAVASCRIPT) >= 35


def test_nothing_of_one_call_is_there_in_the_next():
    outcome("javascript", "Object.prototype.left = 1; globalThis.left = 2; var left2 = 3; 1")
    outcome("python", "left = 1")

    value, _ = outcome("javascript", "[typeof left, typeof left2, typeof ({}).left]")
    error, _ = outcome("python", "left")

    assert value == ["undefined"] * 3
    assert "there is no `left` here" in error.message
