"""Runs a recorded case through the interpreter, in a home of its own, without waiting."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.flow.document import Flow
from engine.flow.file import read_flow
from engine.registry import default_registry
from engine.run import events
from engine.run.condition import Firing
from engine.run.report import StepList, node_types, run_report
from engine.run.runner import Runner
from engine.run.session import RunSession
from engine.run.workplace import RunOptions, Workplace
from engine.store.places import Places


@dataclass
class PatientClock:
    """Goes on by exactly as much as somebody wanted to sleep."""

    time: float = 1_750_000_000.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)


@dataclass(frozen=True)
class Played:
    """What a case came to."""

    report: dict[str, Any]
    runs: Counter[str]
    unused: dict[tuple[str, int], Any]
    events: tuple[events.Event, ...]
    slept: tuple[float, ...]

    @property
    def kinds(self) -> Counter[str]:
        """How often each kind of event happened."""
        return Counter(event.kind for event in self.events)


def play(path: Path, case: Mapping[str, Any], home: Path, *, seed: int | None = None) -> Played:
    """The run of a case; with a seed, one step at a time in an order of its own."""
    return asyncio.run(_play(path, read_flow(path), case, home, seed))


async def _play(
    path: Path, flow: Flow, case: Mapping[str, Any], home: Path, seed: int | None
) -> Played:
    clock = PatientClock()
    workplace = Workplace(Places.under(home), default_registry(), clock)
    given = case.get("input", {})
    session = RunSession.start(workplace, flow, given, RunOptions(flow_path=path))
    if seed is not None:
        _shuffle(session, seed)
    steps, seen = StepList(node_types(session.condition)), list[events.Event]()
    session.observers += [steps, seen.append]
    answers = {
        (node, visit): answer
        for node, given in case.get("answers", {}).items()
        for visit, answer in enumerate(given if isinstance(given, list) else [given], 1)
    }
    async with session:
        await session.go()
        while _answer_all(session, answers):
            await session.go()
        report = run_report(session.condition, steps.steps)
    runs = Counter(step["node"] for step in report["steps"] if step["status"] != "skipped")
    return Played(report, runs, answers, tuple(seen), tuple(clock.slept))


def _shuffle(session: RunSession, seed: int) -> None:
    chance = random.Random(seed)

    def choose(ready: Sequence[Firing]) -> int:
        return chance.randrange(len(ready))

    session.runner = Runner(session.condition, session.services, (session._tell,), choose)


def _answer_all(session: RunSession, answers: dict[tuple[str, int], Any]) -> bool:
    """Answers what the case has an answer for; whether there was anything."""
    answered = False
    for key, (firing, _) in list(session.condition.open_requests().items()):
        visit = (session.condition.node_id(firing), firing.visit)
        if visit in answers:
            session.runner.answer(key, answers.pop(visit))
            answered = True
    return answered
