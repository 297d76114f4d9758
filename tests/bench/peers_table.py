"""The table of `make bench-peers`."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

SHAPES = {
    "chain": "chain of 1,000 steps",
    "loop": "loop of 2,000 steps",
    "fan": "fan-out to 100 and join, per branch",
    "saved": "loop of 500 steps, each saved",
    "synced": "the same, each on disk before the next begins",
}


@dataclass
class Way:
    """One way in which a library ran one or two shapes, and what came of it."""

    library: str
    shape: str
    way: str
    runs: list[dict[str, float | None]] = field(default_factory=list)
    no: str = ""

    def median(self, figure: str) -> float | None:
        """The median of all runs; None when it was not counted."""
        found = self._found(figure)
        return statistics.median(found) if found else None

    @property
    def us(self) -> float:
        """Microseconds a step, the median; endless when it did not run."""
        found = self.median("us")
        return float("inf") if found is None or self.no else found

    @property
    def range(self) -> str:
        """The quickest and the slowest run."""
        found = self._found("us")
        return f"{min(found):.0f} .. {max(found):.0f}"

    def _found(self, figure: str) -> list[float]:
        return [run[figure] for run in self.runs if run[figure] is not None]


def show(own: str, ways: Sequence[Way], baselines: Sequence[dict[str, float]]) -> None:
    """Prints a block for each shape; of a library's several ways the quickest."""
    print(f"Medians of {len(baselines)} runs, microseconds a step. At the same time", end=" ")
    print(f"an asyncio task took {_span(baselines, 'task')} us,")
    print(f"a small write that waits for the disk {_span(baselines, 'disk')} us.")
    for shape, title in SHAPES.items():
        saved = shape in ("saved", "synced")
        print(f"\n{title:50}{'us':>9}{'ratio':>9}   {'range':16}", end="")
        print(f"{'kept':>7}{'written':>9}  bytes a step" if saved else "")
        quickest = _quickest(shape, ways)
        base = quickest[own].us
        for way in quickest.values():
            _line(way, base, saved)


def _span(baselines: Sequence[dict[str, float]], name: str) -> str:
    found = [each[name] for each in baselines]
    return f"{statistics.median(found):.1f} ({min(found):.1f} .. {max(found):.1f})"


def _quickest(shape: str, ways: Sequence[Way]) -> dict[str, Way]:
    found: dict[str, Way] = {}
    for way in ways:
        if shape in way.shape.split():
            known = found.get(way.library)
            if known is None or way.us < known.us:
                found[way.library] = way
    return found


def _line(way: Way, base: float, saved: bool) -> None:
    name = f"{way.library} ({way.way})" if way.way else way.library
    if way.no:
        print(f"  {name:48}{'no':>9}   {way.no}")
        return
    figures = f"{way.us:9.1f}{way.us / base:8.1f}x   {way.range:16}"
    print(f"  {name:48}{figures}{_bytes(way) if saved else ''}".rstrip())


def _bytes(way: Way) -> str:
    kept, written = way.median("kept"), way.median("written")
    return f"{kept or 0:7.0f}" + (f"{written:9.0f}" if written is not None else f"{'-':>9}")
