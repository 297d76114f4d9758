"""The shapes on pydantic-graph, which brings nothing that saves a run."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic_graph import (
    BaseNode,
    End,
    Graph,
    GraphBuilder,
    GraphRunContext,
    StepContext,
    TypeExpression,
    reduce_list_append,
)

from tests.bench.peers_timing import CHAIN, ROUNDS, WIDTH, Case, in_loop, versions

VERSIONS = versions("pydantic-graph")


def cases() -> Iterator[Case]:
    """Every shape that it has."""
    loop = 2 * ROUNDS + 1
    yield Case("chain", "steps", CHAIN, partial(_run, _chain, 1))
    yield Case("loop", "steps, decision", loop, partial(_run, _loop_of_steps, ROUNDS + 1))
    yield Case("loop", "nodes", loop, partial(_run, _loop_of_nodes, ROUNDS + 1))
    yield Case("fan", "broadcast", WIDTH, partial(_run, _fan, [1] * WIDTH))
    yield Case("saved synced", "", no="it brings nothing that saves a run")


@dataclass
class Counter:
    """The loop's state."""

    round: int = 0


def _run(make: Callable[[], Graph], expected: Any, folder: Path) -> float:
    graph = make()
    seconds, found = in_loop(lambda: graph.run(state=Counter(), inputs=1, infer_name=False))
    assert found == expected, found
    return seconds


def _builder(output: Any = int) -> GraphBuilder:
    return GraphBuilder(
        state_type=Counter, input_type=int, output_type=output, auto_instrument=False
    )


def _noop() -> Callable[[StepContext[Counter, None, int]], Awaitable[int]]:
    async def noop(ctx: StepContext[Counter, None, int]) -> int:
        return ctx.inputs

    return noop


def _chain() -> Graph:
    g = _builder()
    steps = [g.step(_noop(), node_id=f"b{n}") for n in range(CHAIN)]
    row = [g.start_node, *steps, g.end_node]
    g.add(*(g.edge_from(a).to(b) for a, b in itertools.pairwise(row)))
    return g.build()


def _loop_of_steps() -> Graph:
    g = _builder()

    async def count(ctx: StepContext[Counter, None, int]) -> Literal["go"] | int:
        ctx.state.round += 1
        return "go" if ctx.state.round <= ROUNDS else ctx.state.round

    async def noop(ctx: StepContext[Counter, None, Literal["go"]]) -> int:
        return 1

    head, body = g.step(count, node_id="head"), g.step(noop, node_id="body")
    g.add(
        g.edge_from(g.start_node, body).to(head),
        g.edge_from(head).to(
            g.decision()
            .branch(g.match(TypeExpression[Literal["go"]]).to(body))
            .branch(g.match(int).to(g.end_node))
        ),
    )
    return g.build()


@dataclass
class Head(BaseNode[Counter, None, int]):
    """Counts, and goes on or out."""

    value: int

    async def run(self, ctx: GraphRunContext[Counter]) -> Body | End[int]:
        ctx.state.round += 1
        return Body(self.value) if ctx.state.round <= ROUNDS else End(ctx.state.round)


@dataclass
class Body(BaseNode[Counter, None, int]):
    """Hands its value on."""

    value: int

    async def run(self, ctx: GraphRunContext[Counter]) -> Head:
        return Head(self.value)


def _loop_of_nodes() -> Graph:
    g = _builder()

    async def begin(ctx: StepContext[Counter, None, int]) -> Head:
        return Head(ctx.inputs)

    first = g.step(begin, node_id="begin")
    g.add(g.node(Head), g.node(Body), g.edge_from(g.start_node).to(first))
    return g.build()


def _fan() -> Graph:
    g = _builder(list[int])
    split = g.step(_noop(), node_id="split")
    branches = [g.step(_noop(), node_id=f"b{n}") for n in range(WIDTH)]
    join = g.join(reduce_list_append, initial_factory=list, node_id="join")
    g.add(
        g.edge_from(g.start_node).to(split),
        g.edge_from(split).to(*branches),
        g.edge_from(*branches).to(join),
        g.edge_from(join).to(g.end_node),
    )
    return g.build()
