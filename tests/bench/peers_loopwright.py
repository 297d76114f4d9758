"""The shapes on Loopwright."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from engine.flow.document import Flow
from engine.flow.file import flow_data
from engine.node_type import NodeMeta
from engine.run import events
from engine.run.fold import begin_condition
from engine.run.runner import Runner
from engine.run.services import Services
from engine.run.session import KEPT_INLINE
from engine.store.journal import JOURNAL_NAME, JournalWriter
from tests.bench import flows
from tests.bench.peers_timing import CHAIN, ROUNDS, SAVED_ROUNDS, WIDTH, Case, in_loop, versions

VERSIONS = versions("loopwright")
REGISTRY = flows.registry()


class CarefulNoop(flows.Noop):
    """Begins only when everything before it is on the disk."""

    meta: ClassVar[NodeMeta] = replace(
        flows.Noop.meta, type_id="careful_noop", outside_effects=True
    )


class CarefulRounds(flows.Rounds):
    """Begins only when everything before it is on the disk."""

    meta: ClassVar[NodeMeta] = replace(
        flows.Rounds.meta, type_id="careful_rounds", outside_effects=True
    )


REGISTRY.register(CarefulNoop)
REGISTRY.register(CarefulRounds)


def cases() -> Iterator[Case]:
    """Every shape."""
    loop, short = flows.loop(ROUNDS, ("noop",)), flows.loop(SAVED_ROUNDS, ("noop",))
    # A loop's steps: the start, the head once more than the body, and what comes behind.
    steps, few = 2 * ROUNDS + 3, 2 * SAVED_ROUNDS + 3
    yield Case("chain", "", CHAIN, partial(_seconds, _chain(), CHAIN))
    yield Case("loop", "", steps, partial(_seconds, loop, steps))
    yield Case("fan", "", WIDTH, partial(_seconds, flows.fan(WIDTH), WIDTH + 2))
    yield Case("saved", "journal", few, partial(_seconds, short, few, keep=True))
    waits = partial(_seconds, _careful(short), few, keep=True)
    yield Case("synced", "journal, outside effects", few, waits)


def _seconds(flow: Flow, steps: int, folder: Path, *, keep: bool = False) -> float:
    """The time of one run until its result is there and, if kept, on the disk."""
    first = events.RunStarted("bench", flow_data(flow), time.time())
    condition = begin_condition(first, REGISTRY)
    journal = None
    if keep:
        journal = JournalWriter(folder / JOURNAL_NAME, keep_inline=KEPT_INLINE)
        journal.append(events.to_record(first))
    runner = Runner(condition, Services(journal=journal))

    async def run() -> None:
        await runner.run()
        if journal is not None:
            await journal.close_async()

    seconds, _ = in_loop(run)
    assert condition.status == "finished", condition.error
    assert condition.steps == steps, condition.steps
    return seconds


def _chain() -> Flow:
    """A start and no-op steps in a row."""
    names = [f"b{n}" for n in range(CHAIN)]
    return Flow.model_validate(
        {
            "id": "bench",
            "settings": {"max_steps": 10_000_000},
            "nodes": [{"id": name, "type": "noop"} for name in names[1:]]
            + [{"id": names[0], "type": "start"}],
            "edges": [
                {"id": f"e{n}", "source": a, "target": b}
                for n, (a, b) in enumerate(itertools.pairwise(names))
            ],
        }
    )


def _careful(flow: Flow) -> Flow:
    """The same flow, of types that wait for the disk."""
    data = flow.model_dump(mode="json", by_alias=True)
    for node in data["nodes"]:
        if node["type"] in ("noop", "rounds"):
            node["type"] = f"careful_{node['type']}"
    return Flow.model_validate(data)
