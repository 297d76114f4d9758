"""`make bench`: one table of figures, medians, with a bare asyncio baseline of the same run."""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.measures import REPEATS, Row, growth, reading, steps
from tests.bench.processes import processes

COUNT = 20_000


async def _nothing() -> int:
    return 1


async def _awaits() -> float:
    begun = time.perf_counter()
    for _ in range(COUNT):
        await _nothing()
    return (time.perf_counter() - begun) / COUNT * 1e6


async def _tasks() -> float:
    begun = time.perf_counter()
    for _ in range(COUNT):
        await asyncio.create_task(_nothing())
    return (time.perf_counter() - begun) / COUNT * 1e6


def main() -> int:
    """Prints the table; 1 when a figure is over its limit."""
    awaited = statistics.median(asyncio.run(_awaits()) for _ in range(REPEATS))
    task = statistics.median(asyncio.run(_tasks()) for _ in range(REPEATS))
    print(f"baseline: an await {awaited:.2f} us, a task {task:.2f} us (medians of {REPEATS})\n")
    print(f"{'measure':44}{'median':>10}{'least':>10}{'at most':>10}   against a task")
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        for part in (steps, growth, reading, processes):
            for row in part(Path(name)):
                _show(row, task)
                failed += not row.passed
    print(f"\n{failed} over the limit" if failed else "\nall within their limits")
    return 1 if failed else 0


def _show(row: Row, task: float) -> None:
    ratio = f"{row.value / task:8.1f} x" if row.unit == "us" else ""
    mark = "" if row.passed else "   OVER"
    least = f"{row.least:10.2f}" if row.least else " " * 10
    figures = f"{row.value:10.2f}{least}{row.most:10g}"
    print(f"{row.name:44}{figures} {row.unit:3}{ratio:10} {row.note}{mark}")


if __name__ == "__main__":
    sys.exit(main())
