"""Runs a flow of steps that never wait, finishing them in an order drawn from a seed."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any

from engine.flow.document import Flow
from engine.flow.file import flow_data
from engine.registry import NodeRegistry
from engine.run import events
from engine.run.conclude import conclude
from engine.run.condition import Condition, Firing
from engine.run.execute import Executor, Outcome
from engine.run.fold import apply, begin_condition, fold
from engine.run.services import Services
from engine.run.snapshot import restore, take


@dataclass
class Simulated:
    """What a simulated run did: `(node id, inputs, output)` of each step, and what went wrong."""

    steps: list[tuple[str, dict[str, Any], Any]] = field(default_factory=list)
    unmatched: list[Any] = field(default_factory=list)
    warnings: list[Any] = field(default_factory=list)
    forced: list[Any] = field(default_factory=list)
    status: str = ""
    events: list[events.Event] = field(default_factory=list)
    condition: Condition | None = None


def simulate(
    flow: Flow,
    registry: NodeRegistry,
    seed: int,
    run_input: dict[str, Any] | None = None,
    max_steps: int = 5000,
) -> Simulated:
    """One run under one schedule.

    Steps start in the order in which they became ready, as many at once as the flow allows, and
    finish in an order drawn from the seed.
    """
    return asyncio.run(_simulate(flow, registry, random.Random(seed), run_input or {}, max_steps))


async def _simulate(
    flow: Flow, registry: NodeRegistry, chance: random.Random, run_input: Any, max_steps: int
) -> Simulated:
    first = events.RunStarted("simulated", flow_data(flow), 0.0, run_input)
    condition = begin_condition(first, registry)
    seen = Simulated(events=[first], condition=condition)
    services = Services()
    executor = Executor(condition, services, lambda event: emit(event), _nothing)

    def emit(event: events.Event, state: Any = None) -> None:
        seen.events.append(event)
        apply(condition, event, state)
        _note(seen, event)

    under_way: list[tuple[Firing, Outcome]] = []
    started: set[int] = set()
    waiting: list[int] = []
    while True:
        waiting.extend(condition.fresh)
        condition.fresh.clear()
        while waiting and len(under_way) < flow.settings.max_concurrency:
            firing = condition.firings[waiting.pop(0)]
            if firing.id not in started or firing.box is not None:
                started.add(firing.id)
                under_way.append((firing, await executor.execute(firing)))
        if not under_way or condition.steps >= max_steps or condition.error:
            break
        firing, outcome = under_way.pop(chance.randrange(len(under_way)))
        emit(*conclude(condition, firing, outcome, services, 0.0))
    emit(events.RunFinished("error" if condition.error else "finished", 0.0, condition.error))
    seen.status = condition.status
    seen.unmatched = condition.unmatched
    seen.warnings = list(condition.warnings)
    seen.forced = [warning for warning in condition.warnings if warning["edges"]]
    return seen


async def _nothing() -> None:
    """There is no journal to bring to disk."""


def _note(seen: Simulated, event: events.Event) -> None:
    if isinstance(event, events.StepFinished):
        output = event.outputs if event.several else event.outputs[0]
        seen.steps.append((event.node, event.inputs, output))
    elif isinstance(event, events.StepFailed):
        seen.steps.append((event.node, event.inputs, {"error": event.error}))


def same_as_fold(seen: Simulated, registry: NodeRegistry) -> bool:
    """Whether a fresh fold of the events, and snapshots on the way, give the same condition."""
    whole = take(fold(seen.events, registry))
    assert seen.condition is not None
    return whole == take(seen.condition)


def through_snapshot(seen: Simulated, registry: NodeRegistry, place: int) -> dict[str, Any]:
    """The last condition when it is read back from a snapshot after `place` events."""
    first = seen.events[0]
    assert isinstance(first, events.RunStarted)
    before = fold(seen.events[:place], registry)
    condition = restore(take(before), first, registry)
    return take(fold(seen.events[place:], registry, condition))
