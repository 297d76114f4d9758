"""A run in memory, and the helpers to drive runs."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

from engine.flow.document import Flow
from engine.flow.file import flow_data
from engine.registry import NodeRegistry
from engine.run import events
from engine.run.flow_finder import FlowFinder
from engine.run.fold import apply, begin_condition
from engine.run.report import StepList, node_types, run_report
from engine.run.runner import Runner
from engine.run.services import Services
from engine.run.session import RunSession
from engine.run.snapshot import restore, take
from engine.run.workplace import Workplace
from engine.store.codec import decode, encode
from engine.store.places import Places
from tests.engine.run.fakes import FakeClock, ListJournal, registry_with

TURNS = 60


class Trial:
    """A run in memory: driven, looked at, and begun again from its journal."""

    def __init__(
        self,
        flow: Flow,
        registry: NodeRegistry | None = None,
        run_input: dict[str, Any] | None = None,
        *,
        limits: dict[str, Any] | None = None,
        lines: list[bytes] | None = None,
        clock: FakeClock | None = None,
        observer: Any = None,
        **started: Any,
    ) -> None:
        self.flow, self.registry = flow, registry or registry_with()
        self.clock = clock or FakeClock()
        self.journal = ListJournal(list(lines) if lines else None)
        if lines:
            self.condition = condition_of(self.journal.records(), self.registry)
        else:
            first = events.RunStarted(
                "r1",
                flow_data(flow),
                self.clock.now(),
                run_input or {},
                {},
                limits or {},
                **started,
            )
            self.journal.append(events.to_record(first))
            self.condition = begin_condition(first, self.registry)
        self.events: list[events.Event] = []
        self.list = StepList(node_types(self.condition))
        services = Services(clock=self.clock, journal=self.journal, chance=random.Random(1))
        watching = (self.events.append, self.list, *((observer,) if observer else ()))
        self.runner = Runner(self.condition, services, watching)

    async def go(self) -> Trial:
        await self.runner.run()
        return self

    def run(self) -> Trial:
        """Drives it to its end or pause, with no time going by."""
        return asyncio.run(self.go())

    def resume(self, **limits: Any) -> Trial:
        self.runner.emit(events.RunResumed(self.clock.now(), limits))
        return self

    def answer(self, text: str, request: str | None = None) -> str:
        return self.runner.answer(request, {"text": text})

    def again(self, lines: int | None = None) -> Trial:
        """The same run in a program that knows its journal alone, perhaps cut after some lines."""
        kept = self.journal.lines[:lines]
        return Trial(self.flow, self.registry, lines=kept, clock=FakeClock(self.clock.time))

    @property
    def report(self) -> dict[str, Any]:
        return run_report(self.condition, self.list.steps)

    @property
    def status(self) -> str:
        return self.condition.status

    @property
    def error(self) -> dict[str, Any]:
        return self.condition.error or {}

    @property
    def order(self) -> str:
        """The nodes in the order in which their steps ended."""
        return " ".join(step["node"] for step in self.list.steps)

    def outputs(self, node: str) -> list[Any]:
        return [step["output"] for step in self.list.steps if step["node"] == node]

    def step(self, node: str) -> dict[str, Any]:
        return next(step for step in self.list.steps if step["node"] == node)

    @property
    def requests(self) -> dict[str, str]:
        """Prompts of the open requests, by id."""
        return {key: r.prompt for key, (_, r) in self.condition.open_requests().items()}

    def request(self, beginning: str) -> str:
        """The id of the request whose prompt begins so."""
        [found] = [key for key, prompt in self.requests.items() if prompt.startswith(beginning)]
        return found


def condition_of(records: list[dict[str, Any]], registry: NodeRegistry) -> Any:
    """What a journal leaves, by way of its last snapshot."""
    read = [events.read_event(record) for record in records]
    first = read[0]
    assert isinstance(first, events.RunStarted)
    places = [i for i, event in enumerate(read) if isinstance(event, events.Snapshot)]
    condition = begin_condition(first, registry)
    if places:
        condition = restore(read[places[-1]].condition, first, registry)
    for event in read[places[-1] + 1 if places else 1 :]:
        apply(condition, event)
    condition.notices.clear()
    condition.cancelled.clear()
    return condition


def told(condition: Any) -> Any:
    """The condition as a journal would give it back."""
    return decode(encode(take(condition)))


async def turns(count: int = TURNS) -> None:
    """Lets everything that can happen without time going by happen."""
    for _ in range(count):
        await asyncio.sleep(0)


def workplace(home: Path, registry: NodeRegistry, clock: Any = None, **library: Flow) -> Workplace:
    """A place on disk for runs, with a library of flows by name."""
    return Workplace(
        places=Places.under(home),
        registry=registry,
        clock=clock or FakeClock(),
        flows=FlowFinder(library.get),
    )


async def drive(session: RunSession) -> RunSession:
    """Goes on with a run as far as it comes, and lets go of it."""
    async with session:
        await session.go()
    return session


def prompts(session: RunSession) -> dict[str, str]:
    """Prompts of the open requests, by id."""
    return {key: r.prompt for key, (_, r) in session.condition.open_requests().items()}
