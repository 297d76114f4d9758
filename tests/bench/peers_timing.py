"""How each library is timed: the same for all, and with nothing but the standard library."""

from __future__ import annotations

import asyncio
import gc
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

CHAIN, ROUNDS, SAVED_ROUNDS, WIDTH = 1000, 1000, 250, 100
"""Steps of the chain; rounds of two steps each of the loop, and when saved; branches of the fan."""


@dataclass
class Case:
    """One way in which a library runs one shape.

    Args:
        shape: `chain`, `loop`, `fan`, `saved` or `synced`: the loop, each step saved, or saved
            before the next one begins. A way that does both names both, with a blank between.
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
    """One run's figures, per step, or why there are none."""
    if case.once is None:
        return {"no": case.no}
    try:
        return _measured(case, case.once)
    # A library that cannot do this is a finding, whatever it raises.
    except Exception as fault:  # noqa: BLE001
        return {"no": f"{type(fault).__name__}: {fault}".splitlines()[0][:160]}


def _measured(case: Case, once: Callable[[Path], float]) -> dict[str, Any]:
    gc.collect()
    with tempfile.TemporaryDirectory() as name:
        folder, before = Path(name), _bytes_written()
        seconds = once(folder)
        after = _bytes_written()
        kept = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    written = None if before is None or after is None else (after - before) / case.steps
    return {"us": seconds / case.steps * 1e6, "kept": kept / case.steps, "written": written}


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
