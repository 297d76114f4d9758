"""The shapes on LangGraph, with its SQLite checkpointer for the runs that are saved."""

from __future__ import annotations

import asyncio
import operator
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypedDict

import aiosqlite
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph

from tests.bench.peers_timing import (
    CHAIN,
    ROUNDS,
    SAVED_ROUNDS,
    WIDTH,
    Case,
    clocked,
    clocked_async,
    in_loop,
    versions,
)

VERSIONS = versions("langgraph", "langgraph-checkpoint-sqlite")
STEPS, SAVED_STEPS = 2 * ROUNDS + 1, 2 * SAVED_ROUNDS + 1
"""Of the loop: its head runs once more than its body."""
LIMITS = {"recursion_limit": 10 * STEPS, "configurable": {"thread_id": "bench"}}


class Values(TypedDict):
    """What the chain and the loop hand on."""

    value: int
    round: int


class Many(TypedDict):
    """What the branches hand on."""

    value: int
    seen: Annotated[list[int], operator.add]


def cases() -> Iterator[Case]:
    """Every shape, awaited and not."""
    for build, shape, steps, check in (
        (_chain, "chain", CHAIN, lambda found: found["value"] == 1),
        (_loop, "loop", STEPS, lambda found: found["round"] == ROUNDS + 1),
        (_fan, "fan", WIDTH, lambda found: found["seen"] == [1] * WIDTH),
    ):
        for go in (_ainvoke, _invoke):
            yield Case(shape, go.__name__[1:], steps, partial(go, build, check))
    for shape, durability in (("saved", "async"), ("synced", "sync")):
        yield Case(
            shape, f"ainvoke, durability={durability}", SAVED_STEPS, partial(_asaved, durability)
        )
        yield Case(
            shape, f"invoke, durability={durability}", SAVED_STEPS, partial(_saved, durability)
        )


Check = Callable[[dict[str, Any]], bool]
Build = Callable[[bool], StateGraph]
FIRST = {"value": 1, "round": 0}


def _invoke(build: Build, check: Check, folder: Path) -> float:
    graph = build(False).compile()
    seconds, found = clocked(lambda: graph.invoke(FIRST, LIMITS))
    assert check(found), found
    return seconds


def _ainvoke(build: Build, check: Check, folder: Path) -> float:
    graph = build(True).compile()
    seconds, found = in_loop(lambda: graph.ainvoke(FIRST, LIMITS))
    assert check(found), found
    return seconds


def _saved(durability: str, folder: Path) -> float:
    with closing(sqlite3.connect(folder / "saved.sqlite", check_same_thread=False)) as connection:
        saver = SqliteSaver(connection)
        saver.setup()
        graph = _loop(False, SAVED_ROUNDS).compile(checkpointer=saver)
        seconds, found = clocked(lambda: graph.invoke(FIRST, LIMITS, durability=durability))
        _check_saved(found, len(list(graph.get_state_history(LIMITS))))
    return seconds


def _asaved(durability: str, folder: Path) -> float:
    async def run() -> float:
        async with aiosqlite.connect(folder / "saved.sqlite") as connection:
            saver = AsyncSqliteSaver(connection)
            await saver.setup()
            graph = _loop(True, SAVED_ROUNDS).compile(checkpointer=saver)
            seconds, found = await clocked_async(
                lambda: graph.ainvoke(FIRST, LIMITS, durability=durability)
            )
            _check_saved(found, len([one async for one in graph.aget_state_history(LIMITS)]))
        return seconds

    return asyncio.run(run())


def _check_saved(found: dict[str, Any], checkpoints: int) -> None:
    assert found["round"] == SAVED_ROUNDS + 1, found
    # Beside the steps, the input and the state before the first step are saved.
    assert checkpoints == SAVED_STEPS + 2, checkpoints


def _node(function: Callable[[Any], dict[str, Any]], awaited: bool) -> Any:
    async def node(state: Any) -> dict[str, Any]:
        return function(state)

    return node if awaited else function


def _noop(state: Values) -> dict[str, Any]:
    return {"value": state["value"]}


def _chain(awaited: bool) -> StateGraph:
    graph = StateGraph(Values)
    names = [f"b{n}" for n in range(CHAIN)]
    for name in names:
        graph.add_node(name, _node(_noop, awaited))
    for source, target in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(source, target)
    return graph


def _loop(awaited: bool, rounds: int = ROUNDS) -> StateGraph:
    graph = StateGraph(Values)
    graph.add_node("head", _node(lambda state: {"round": state["round"] + 1}, awaited))
    graph.add_node("body", _node(_noop, awaited))
    graph.add_edge(START, "head")
    graph.add_conditional_edges(
        "head", lambda state: "body" if state["round"] <= rounds else END, ["body", END]
    )
    graph.add_edge("body", "head")
    return graph


def _fan(awaited: bool) -> StateGraph:
    graph = StateGraph(Many)
    names = [f"b{n}" for n in range(WIDTH)]
    graph.add_node("split", _node(lambda state: {"value": state["value"]}, awaited))
    graph.add_node("join", _node(lambda state: {"value": len(state["seen"])}, awaited))
    graph.add_edge(START, "split")
    for name in names:
        graph.add_node(name, _node(lambda state: {"seen": [state["value"]]}, awaited))
        graph.add_edge("split", name)
    graph.add_edge(names, "join")
    graph.add_edge("join", END)
    return graph
