"""`make bench-peers`: the same work on other libraries, and what Loopwright takes for it.

Each library runs in a process of its own. They take turns, run by run, so that whatever else
the machine does meets all of them alike.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.peers_table import Way, show

REPEATS = 5
LIMIT_S = 90
"""How long one run may take."""
ROOT = Path(__file__).resolve().parents[2]
PEERS = ("burr", "langgraph", "pydantic_graph")
QUIET = {
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "LOGFIRE_SEND_TO_LOGFIRE": "false",
}


@dataclass
class Library:
    """A process that measures one library."""

    name: str
    process: subprocess.Popen[str]
    versions: str = ""
    ways: list[Way] = field(default_factory=list)

    def begin(self) -> None:
        """Waits until it is ready, and asks what it can do."""
        told = self._answer()
        if "no" in told:
            sys.exit(f"{self.name} cannot be measured: {told['no']}")
        self.versions = told["versions"]
        self.ways = [Way(self.name, one["shape"], one["way"]) for one in told["ways"]]

    def measure(self, number: int, *, counts: bool) -> None:
        """Runs one of its ways once."""
        way = self.ways[number]
        if way.no:
            return
        assert self.process.stdin is not None
        try:
            print(number, file=self.process.stdin, flush=True)
        except BrokenPipeError:
            way.no = "its process has ended"
            return
        found = self._answer()
        way.no = found.pop("no", "")
        if counts and not way.no:
            way.runs.append(found)

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        late = threading.Timer(LIMIT_S, self.process.kill)
        late.start()
        line = self.process.stdout.readline()
        late.cancel()
        return json.loads(line) if line else {"no": f"it ended, or took more than {LIMIT_S} s"}


@contextmanager
def _library(name: str, python: str) -> Iterator[Library]:
    command = [python, "-m", "tests.bench.peers_child", name]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **QUIET},
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        library = Library(name.replace("_", "-"), process)
        try:
            library.begin()
            yield library
        finally:
            process.kill()


def main() -> int:
    """Takes the Python that has the other libraries; prints the table."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.bench.peers PYTHON_OF_THE_PEERS")
    begun, before = time.perf_counter(), _load()
    with ExitStack() as stack:
        libraries = [stack.enter_context(_library("loopwright", sys.executable))]
        # Relative to here: the children start in the project's folder.
        python = os.path.abspath(sys.argv[1])
        libraries += [stack.enter_context(_library(name, python)) for name in PEERS]
        baselines = list(_rounds(libraries))
    show(libraries[0].name, [way for library in libraries for way in library.ways], baselines)
    print("\nMeasured: " + "; ".join(library.versions for library in libraries))
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores; {before} at the beginning,")
    print(f"{_load()} at the end; {time.perf_counter() - begun:.0f} s in all.")
    return 1 if any(way.no for way in libraries[0].ways) else 0


def _rounds(libraries: list[Library]) -> Iterator[dict[str, float]]:
    """Runs everything once without counting, then `REPEATS` times; gives each round's baselines."""
    most = max(len(library.ways) for library in libraries)
    for repeat in range(REPEATS + 1):
        for number in range(most):
            for library in libraries:
                if number < len(library.ways):
                    library.measure(number, counts=repeat > 0)
        if repeat:
            yield {"task": _task(), "disk": _disk()}
        print(f"round {repeat} of {REPEATS} done", file=sys.stderr, flush=True)


async def _nothing() -> int:
    return 1


def _task() -> float:
    """Microseconds of an asyncio task that does nothing."""

    async def run() -> float:
        begun = time.perf_counter()
        for _ in range(10_000):
            await asyncio.create_task(_nothing())
        return (time.perf_counter() - begun) * 100

    return asyncio.run(run())


def _disk() -> float:
    """Microseconds until 300 bytes more of a file are on the disk."""
    with tempfile.TemporaryFile(buffering=0) as file:
        begun = time.perf_counter()
        for _ in range(300):
            file.write(b"x" * 300)
            os.fsync(file.fileno())
        return (time.perf_counter() - begun) / 300 * 1e6


def _load() -> str:
    # Windows keeps no such figure.
    return f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load unknown"


if __name__ == "__main__":
    sys.exit(main())
