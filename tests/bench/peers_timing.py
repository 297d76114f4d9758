"""How each library is timed: the same for all, and with nothing but the standard library."""

from __future__ import annotations

import asyncio
import gc
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

REPEATS = 5
CHAIN, ROUNDS, WIDTH = 1000, 1000, 100
"""Steps of the chain; rounds of two steps each of the loop; branches of the fan."""


@dataclass
class Case:
    """One way in which a library runs one shape.

    Args:
        shape: `chain`, `loop`, `fan`, `kept` or `strict`; the last two are the loop, each step saved.
        way: The library's own words for it, as the table shows them.
        steps: What the time is divided by.
        once: Sets up in a fresh folder, runs, and gives the seconds that the run alone took. It
            fails when the result is wrong.
        no: Why the library does not do this; there is nothing to run then.
    """

    shape: str
    way: str
    steps: int = 1
    once: Callable[[Path], float] | None = None
    no: str = ""


def clocked(work: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds that some work took, and its result."""
    begun = time.perf_counter()
    result = work()
    return time.perf_counter() - begun, result


async def clocked_async(work: Callable[[], Awaitable[Any]]) -> tuple[float, Any]:
    """As `clocked`, on the running event loop."""
    begun = time.perf_counter()
    result = await work()
    return time.perf_counter() - begun, result


def in_loop(work: Callable[[], Awaitable[Any]]) -> tuple[float, Any]:
    """As `clocked`, without the event loop's own beginning and end."""
    return asyncio.run(clocked_async(work))  # type: ignore[arg-type]


def measured(case: Case) -> dict[str, Any]:
    """The figures of a case: microseconds a step, bytes a step, or why there are none."""
    found: dict[str, Any] = {"shape": case.shape, "way": case.way, "no": case.no}
    if case.once is None:
        return found
    try:
        _once(case)  # What is imported or cached at the first run is not counted.
        runs = [_once(case) for _ in range(REPEATS)]
    # A library that cannot do this is a finding, whatever it raises.
    except Exception as fault:  # noqa: BLE001
        return {**found, "no": f"{type(fault).__name__}: {fault}".splitlines()[0][:200]}
    times, kept, written = zip(*runs, strict=True)
    return {
        **found,
        "median": statistics.median(times),
        "least": min(times),
        "most": max(times),
        "kept": statistics.median(kept),
        "written": None if None in written else statistics.median(written),
    }


def _once(case: Case) -> tuple[float, float, float | None]:
    assert case.once is not None
    gc.collect()
    with tempfile.TemporaryDirectory() as name:
        folder, before = Path(name), _bytes_written()
        seconds = case.once(folder)
        after = _bytes_written()
        kept = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    written = None if before is None or after is None else (after - before) / case.steps
    return seconds / case.steps * 1e6, kept / case.steps, written


def _bytes_written() -> int | None:
    """What this process has handed to the system for writing; None where that is not counted."""
    counts = Path("/proc/self/io")
    if not counts.exists():
        return None
    fields = dict(line.split(": ") for line in counts.read_text().splitlines())
    return int(fields["wchar"])


def versions(*packages: str) -> str:
    """The packages with their versions."""
    return ", ".join(f"{package} {version(package)}" for package in packages)
