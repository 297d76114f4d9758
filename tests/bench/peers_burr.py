"""The shapes on Burr, with its SQLite persisters for the runs that are saved."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from burr.core import ApplicationBuilder, State, action, default, expr
from burr.core.parallelism import MapStates
from burr.core.persistence import SQLitePersister
from burr.integrations.persisters.b_aiosqlite import AsyncSQLitePersister

from tests.bench.peers_timing import (
    CHAIN,
    ROUNDS,
    SAVED_ROUNDS,
    WIDTH,
    Case,
    clocked,
    clocked_async,
    versions,
)

VERSIONS = versions("burr")
STEPS, SAVED_STEPS = 2 * ROUNDS + 2, 2 * SAVED_ROUNDS + 2
"""Of the loop: its head runs once more than its body, and one step comes behind."""


def cases() -> Iterator[Case]:
    """Every shape, awaited and not."""
    for make, shape, steps, check in (
        (_chain, "chain", CHAIN, lambda state: state["value"] == 1),
        (_loop, "loop", STEPS, lambda state: state["round"] == ROUNDS + 1),
        (_fan, "fan", WIDTH, lambda state: state["seen"] == [1] * WIDTH),
    ):
        note = ", MapStates" if shape == "fan" else ""
        yield Case(shape, "arun" + note, steps, partial(_arun, make, check))
        yield Case(shape, "run" + note, steps, partial(_run, make, check))
    # Every step is saved before the next begins: the only way that there is.
    yield Case("saved synced", "arun, AsyncSQLitePersister", SAVED_STEPS, _asaved)
    yield Case("saved synced", "run, SQLitePersister", SAVED_STEPS, _saved)


Check = Callable[[State], bool]
Make = Callable[[bool], tuple[ApplicationBuilder, str]]


def _run(make: Make, check: Check, folder: Path) -> float:
    builder, last = make(False)
    application = builder.build()
    seconds, (_, _, state) = clocked(lambda: application.run(halt_after=[last]))
    assert check(state), state
    return seconds


def _arun(make: Make, check: Check, folder: Path) -> float:
    async def run() -> tuple[float, Any]:
        builder, last = make(True)
        application = await builder.abuild()
        return await clocked_async(lambda: application.arun(halt_after=[last]))

    seconds, (_, _, state) = asyncio.run(run())
    assert check(state), state
    return seconds


def _saved(folder: Path) -> float:
    path = folder / "saved.sqlite"
    with SQLitePersister(str(path)) as persister:
        persister.initialize()
        builder, last = _loop(False, SAVED_ROUNDS)
        application = builder.with_state_persister(persister).build()
        seconds, _ = clocked(lambda: application.run(halt_after=[last]))
    _check_saved(path)
    return seconds


def _asaved(folder: Path) -> float:
    path = folder / "saved.sqlite"

    async def run() -> float:
        async with AsyncSQLitePersister.from_values(str(path)) as persister:
            await persister.initialize()
            builder, last = _loop(True, SAVED_ROUNDS)
            application = await builder.with_state_persister(persister).abuild()
            seconds, _ = await clocked_async(lambda: application.arun(halt_after=[last]))
        return seconds

    seconds = asyncio.run(run())
    _check_saved(path)
    return seconds


def _check_saved(path: Path) -> None:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT COUNT(*) FROM burr_state").fetchone()[0]
    connection.close()
    assert rows == SAVED_STEPS, rows


def _action(function: Callable[[State], State], reads: list[str], writes: list[str], awaited: bool):
    async def step(state: State) -> State:
        return function(state)

    def plain(state: State) -> State:
        return function(state)

    return action(reads=reads, writes=writes)(step if awaited else plain)


def _noop(awaited: bool) -> Any:
    return _action(lambda state: state.update(value=state["value"]), ["value"], ["value"], awaited)


def _chain(awaited: bool) -> tuple[ApplicationBuilder, str]:
    names = [f"b{n}" for n in range(CHAIN)]
    builder = (
        ApplicationBuilder()
        .with_actions(**{name: _noop(awaited) for name in names})
        .with_transitions(*itertools.pairwise(names))
        .with_state(value=1)
        .with_entrypoint(names[0])
    )
    return builder, names[-1]


def _loop(awaited: bool, rounds: int = ROUNDS) -> tuple[ApplicationBuilder, str]:
    def count(state: State) -> State:
        return state.update(round=state["round"] + 1)

    builder = (
        ApplicationBuilder()
        .with_actions(
            head=_action(count, ["round"], ["round"], awaited),
            body=_noop(awaited),
            out=_noop(awaited),
        )
        .with_transitions(
            ("head", "body", expr(f"round <= {rounds}")), ("head", "out", default), ("body", "head")
        )
        .with_state(value=1, round=0)
        .with_entrypoint("head")
    )
    return builder, "out"


class Fan(MapStates):
    """Runs one action on many states and gathers what they give."""

    def __init__(self, awaited: bool) -> None:
        super().__init__()
        self._awaited = awaited

    def is_async(self) -> bool:
        return self._awaited

    def action(self, state: State, inputs: dict[str, Any]) -> Any:
        return _noop(self._awaited)

    def states(self, state: State, context: Any, inputs: dict[str, Any]) -> Any:
        return self._astates(state) if self._awaited else (state for _ in range(WIDTH))

    async def _astates(self, state: State) -> AsyncIterator[State]:
        for _ in range(WIDTH):
            yield state

    def reduce(self, state: State, states: Any) -> Any:
        if self._awaited:
            return self._areduce(state, states)
        return state.update(seen=[each["value"] for each in states])

    async def _areduce(self, state: State, states: Any) -> State:
        return state.update(seen=[each["value"] async for each in states])

    @property
    def reads(self) -> list[str]:
        return ["value"]

    @property
    def writes(self) -> list[str]:
        return ["seen"]


def _fan(awaited: bool) -> tuple[ApplicationBuilder, str]:
    builder = (
        ApplicationBuilder()
        .with_actions(split=_noop(awaited), fan=Fan(awaited), join=_noop(awaited))
        .with_transitions(("split", "fan"), ("fan", "join"))
        .with_state(value=1)
        .with_entrypoint("split")
    )
    return builder, "join"
