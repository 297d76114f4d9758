"""Whole processes: how long a cold start takes, how much memory a long run needs."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from engine.flow.document import Flow
from engine.flow.file import write_flow
from tests.bench.measures import REPEATS, Row

_MEMORY = """
import resource, sys
from pathlib import Path
from tests.bench import flows
from tests.bench.measures import drive
drive(flows.loop(int(sys.argv[1])), Path(sys.argv[2]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def processes(folder: Path) -> list[Row]:
    """Cold start and memory."""
    starts = [_cold_start(folder) for _ in range(REPEATS)]
    python = statistics.median(_bare_python() for _ in range(REPEATS))
    note = f"{statistics.median(starts) / python:.1f} x a bare python"
    more = _memory(2000, folder) - _memory(20, folder)
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
    command = [sys.executable, "-c", _MEMORY, str(rounds), str(folder)]
    made = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(made.stdout) / 1024


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
