"""Whole processes: how long a cold start takes, how much memory a long run needs."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

from engine.flow.document import Flow
from engine.flow.file import write_flow
from tests.bench.measures import REPEATS, Row

_MEMORY = """
import contextlib, io, sys
from engine.cli.main import main
with contextlib.redirect_stdout(io.StringIO()):
    assert main(["run", sys.argv[1], "--json"]) == 0
# Not `ru_maxrss`: it begins at the peak of whoever started this process.
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


def processes(folder: Path) -> list[Row]:
    """Cold start and memory."""
    starts = [_cold_start(folder) for _ in range(REPEATS)]
    python = statistics.median(_bare_python() for _ in range(REPEATS))
    note = f"{statistics.median(starts) / python:.1f} x a bare python"
    more = _memory(2000, folder) - _memory(20, folder) if sys.platform == "linux" else 0.0
    return [
        Row(
            "loopwright run, 3 nodes, cold", statistics.median(starts), min(starts), "s", 0.4, note
        ),
        Row("memory of 10,000 steps over 100", more, more, "MB", 60),
    ]


def _cold_start(folder: Path) -> float:
    path = folder / "three.flow.json"
    write_flow(path, _three_nodes())
    command = [sys.executable, "-m", "engine", "run", str(path), "--question", "hi", "--json"]
    environment = {**os.environ, "LOOPWRIGHT_HOME": str(folder / "home")}
    begun = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return time.perf_counter() - begun


def _bare_python() -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - begun


def _memory(rounds: int, folder: Path) -> float:
    """The peak of `loopwright run --json` of a loop of five nodes, in MB."""
    path = folder / f"loop{rounds}.flow.json"
    write_flow(path, _loop(rounds))
    environment = {**os.environ, "LOOPWRIGHT_HOME": str(folder / "home")}
    command = [sys.executable, "-c", _MEMORY, str(path)]
    made = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return int(made.stdout) / 1024


def _loop(rounds: int) -> Flow:
    head = {
        "conditionType": "while",
        "condition": f"loop_count < {rounds}",
        "maxIterations": 100_000,
    }
    names = ["a", "b", "c", "d"]
    between = [(x, y, None) for x, y in pairwise(names)]
    ways = [("s", "h", None), ("h", "a", "continue_loop"), *between, ("d", "h", None)]
    return Flow.model_validate(
        {
            "id": "loop",
            "settings": {"max_steps": 1_000_000},
            "nodes": [
                {"id": "s", "type": "start", "config": {"input_mode": "none"}},
                {"id": "h", "type": "loop_condition", "config": head},
                *(
                    {"id": n, "type": "template", "config": {"template": "{{ loop.count }}"}}
                    for n in names
                ),
            ],
            "edges": [
                {"id": f"e{n}", "source": x, "target": y, "data": {"route_key": key}}
                for n, (x, y, key) in enumerate(ways)
            ],
        }
    )


def _three_nodes() -> Flow:
    return Flow.model_validate(
        {
            "id": "three",
            "nodes": [
                {"id": "s", "type": "start"},
                {"id": "t", "type": "template", "config": {"template": "Hello {{ question }}"}},
                {"id": "r", "type": "direct_reply", "config": {"template": "{{ t }}"}},
            ],
            "edges": [
                {"id": "a", "source": "s", "target": "t"},
                {"id": "b", "source": "t", "target": "r"},
            ],
        }
    )
