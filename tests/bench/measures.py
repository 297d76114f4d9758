"""What is measured, each with the most that it may be."""

from __future__ import annotations

import asyncio
import gc
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.flow.document import Flow
from engine.flow.file import flow_data
from engine.run import events
from engine.run.condition import Condition
from engine.run.fold import begin_condition, fold
from engine.run.runner import Runner
from engine.run.services import Services
from engine.run.session import KEPT_INLINE, condition_from
from engine.store.journal import JOURNAL_NAME, JournalWriter, read_journal
from tests.bench import flows

REGISTRY = flows.registry()
REPEATS = 7


@dataclass
class Row:
    """One figure: the median, the least, and the most that it may be."""

    name: str
    value: float
    least: float
    unit: str
    most: float
    note: str = ""

    @property
    def passed(self) -> bool:
        """Whether the median keeps within the limit."""
        return self.value <= self.most


def drive(flow: Flow, folder: Path | None = None) -> tuple[float, Condition, Path | None]:
    """Runs a flow; the seconds it took on the loop, without set-up and the last sync."""
    first = events.RunStarted("bench", flow_data(flow), 0.0)
    condition = begin_condition(first, REGISTRY)
    journal = None
    if folder is not None:
        home = Path(tempfile.mkdtemp(dir=folder))
        journal = JournalWriter(home / JOURNAL_NAME, keep_inline=KEPT_INLINE)
        journal.append(events.to_record(first))

    # What runs before have left behind is not this run's to clear away.
    gc.collect()

    async def run() -> float:
        ends: list[float] = []
        watch = [lambda event: ends.append(time.perf_counter()) if event.kind in _ENDS else None]
        runner = Runner(condition, Services(journal=journal), watch)
        begun = time.perf_counter()
        await runner.run()
        return ends[-1] - begun

    seconds = asyncio.run(run())
    assert condition.status in ("finished", "paused"), condition.error
    if journal is not None:
        journal.close()
    return seconds, condition, journal.path if journal else None


_ENDS = {"run_finished", "run_paused"}


def micros(flow: Flow, folder: Path | None = None, per: int | None = None) -> list[float]:
    """Microseconds a step (or a `per`-th of the run), once per repeat."""
    found = []
    for _ in range(REPEATS):
        seconds, condition, _ = drive(flow, folder)
        found.append(seconds / (per or condition.steps) * 1e6)
    return found


def row(name: str, found: list[float], unit: str, most: float, note: str = "") -> Row:
    """A row of the table."""
    return Row(name, statistics.median(found), min(found), unit, most, note)


def timed(work: Callable[[], object]) -> list[float]:
    """Milliseconds of some work, once per repeat."""
    found = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        work()
        found.append((time.perf_counter() - begun) * 1000)
    return found


def steps(folder: Path) -> list[Row]:
    """The cost of a step."""
    bare, kept = micros(flows.loop(400)), micros(flows.loop(400), folder)
    short = statistics.median(micros(flows.loop(20), folder, 100))
    long = statistics.median(micros(flows.loop(2000), folder))
    return [
        row("a no-op step, no journal", bare, "us", 15),
        row("a no-op step, journal", kept, "us", 30),
        Row("a step in 10,000 against one in 100", long / short, long / short, "x", 1.2),
        row("fan-out to 100 and join, a branch", micros(flows.fan(100), None, 100), "us", 30),
        row("a router of 10 rules", _router(), "us", 40),
        row("20 branches that wait 0.1 s", _waits(), "ms", 120),
    ]


def _router() -> list[float]:
    """A round of header and router, less what the header costs."""
    long = statistics.median(micros(flows.loop(400), None, 400))
    short = statistics.median(micros(flows.loop(400, ("noop",)), None, 400))
    header = short - (long - short) / 3
    return [found - header for found in micros(flows.routed(400), None, 400)]


def _waits() -> list[float]:
    return [drive(flows.fan(20, "sleeper"))[0] * 1000 for _ in range(REPEATS)]


def growth(folder: Path) -> list[Row]:
    """How the journal grows."""
    sizes = {n: _size(drive(flows.loop(n), folder)[2]) for n in (400, 800)}
    beside = (sizes[800] - sizes[400]) / 2000
    told = {n: _size(drive(flows.loop(n, ("writer",)), folder)[2]) for n in (1000, 2000)}
    early = statistics.median(micros(flows.loop(100, ("writer",)), folder))
    late = statistics.median(micros(flows.loop(2000, ("writer",)), folder))
    return [
        Row("journal of 2n steps against n", sizes[800] / sizes[400], 0, "x", 2.1),
        Row("journal bytes a step", beside, beside, "B", 400),
        Row("journal of 2,000 messages against 1,000", told[2000] / told[1000], 0, "x", 2.1),
        Row("a step with 2,000 messages against 100", late / early, 0, "x", 1.2),
    ]


def _size(path: Path | None) -> int:
    assert path is not None
    return path.stat().st_size


def reading(folder: Path) -> list[Row]:
    """Opening runs."""
    whole = drive(flows.loop(1000), folder)[2]
    paused = drive(flows.loop(200, last="asker"), folder)[2]
    assert whole is not None
    assert paused is not None

    def open_and_fold() -> None:
        records = read_journal(whole).records
        fold(
            (events.read_event(record) for record in records if record["kind"] != "snapshot"),
            REGISTRY,
        )

    def resume() -> None:
        contents = read_journal(paused, from_last_snapshot=True)
        condition, _ = condition_from(contents, REGISTRY)
        assert condition.status == "paused"

    return [
        row("open and fold a run of 5,000 steps", timed(open_and_fold), "ms", 250),
        row("resume a run of 1,000 steps", timed(resume), "ms", 30),
    ]
