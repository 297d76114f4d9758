"""Flows and node types that do nothing, so that only the interpreter is measured."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

from engine.flow.document import Flow
from engine.node_type import (
    Group,
    Handle,
    NodeMeta,
    NodeType,
    Output,
    Result,
    Route,
    StepContext,
)
from engine.registry import NodeRegistry


class Noop(NodeType):
    """Hands its input on."""

    meta: ClassVar[NodeMeta] = NodeMeta("noop", "Noop", Group.DO, "mdi6.circle-outline")

    async def run(self, step: StepContext) -> Result:
        """The input."""
        return Output(step.input)


class Begin(NodeType):
    """Gives 1."""

    meta: ClassVar[NodeMeta] = NodeMeta("start", "Start", Group.START, "mdi6.play")

    async def run(self, step: StepContext) -> Result:
        """A small value."""
        return Output(1)


class Rounds(NodeType):
    """Goes round `count` times."""

    meta: ClassVar[NodeMeta] = NodeMeta(
        "rounds", "Rounds", Group.LOOP, "mdi6.repeat", condition_like=True
    )
    count: int = 1

    def handles(self) -> tuple[Handle, ...]:
        """On, or out."""
        return (Handle("go"), Handle("out"))

    async def run(self, step: StepContext) -> Result:
        """On while there are rounds left."""
        return Route("go" if step.loop.round < self.count else "out", 1)


class Sleeper(NodeType):
    """Waits a tenth of a second."""

    meta: ClassVar[NodeMeta] = NodeMeta("sleeper", "Sleeper", Group.DO, "mdi6.sleep")

    async def run(self, step: StepContext) -> Result:
        """The input, later."""
        await step.sleep(0.1)
        return Output(step.input)


class Writer(NodeType):
    """Appends a chat message of 200 bytes."""

    meta: ClassVar[NodeMeta] = NodeMeta("writer", "Writer", Group.TALK, "mdi6.pencil")

    async def run(self, step: StepContext) -> Result:
        """A message."""
        from engine.node_type import Change

        text = {"role": "assistant", "content": "m" * 170}
        return Output(1, changes=(Change("messages", "", "append", text),))


class Asker(NodeType):
    """Asks a person."""

    meta: ClassVar[NodeMeta] = NodeMeta("asker", "Asker", Group.PEOPLE, "mdi6.account")

    async def run(self, step: StepContext) -> Result:
        """A question."""
        from engine.node_type import Pause, Request

        return Pause((Request("text", "?"),))

    async def resume(self, step: StepContext, request: Any, answer: Any) -> Result:
        """The answer."""
        return Output(answer)


def registry() -> NodeRegistry:
    """The types of this module beside the built-in router."""
    found = NodeRegistry(built_in=False)
    for kind in (Noop, Begin, Rounds, Sleeper, Writer, Asker):
        found.register(kind)
    from engine.nodes.router import Router

    found.register(Router)
    return found


def _flow(nodes: list[dict[str, Any]], edges: list[tuple[str, str, str | None]]) -> Flow:
    return Flow.model_validate(
        {
            "id": "bench",
            "variables": [{"name": "score", "type": "number", "default": 82}],
            "settings": {"max_steps": 10_000_000, "max_concurrency": 100},
            "nodes": nodes,
            "edges": [
                {"id": f"e{n}", "source": a, "target": b, "data": {"route_key": key}}
                for n, (a, b, key) in enumerate(edges)
            ],
        }
    )


def loop(rounds: int, body: tuple[str, ...] = ("noop",) * 4, last: str = "noop") -> Flow:
    """A loop of `rounds` rounds through the body's node types; `last` comes behind it."""
    names = [f"b{n}" for n in range(len(body))]
    nodes = [
        {"id": "s", "type": "start"},
        {"id": "h", "type": "rounds", "config": {"count": rounds}},
        *({"id": name, "type": kind} for name, kind in zip(names, body, strict=True)),
        {"id": "x", "type": last},
    ]
    between = [(a, b, None) for a, b in pairwise(names)]
    edges = [
        ("s", "h", None),
        ("h", names[0], "go"),
        *between,
        (names[-1], "h", None),
        ("h", "x", "out"),
    ]
    return _flow(nodes, edges)


def fan(width: int, kind: str = "noop") -> Flow:
    """One node that feeds `width` others, which all meet again."""
    names = [f"b{n}" for n in range(width)]
    nodes = [
        {"id": "s", "type": "start"},
        *({"id": name, "type": kind} for name in names),
        {"id": "j", "type": "noop"},
    ]
    edges = [("s", name, None) for name in names] + [(name, "j", None) for name in names]
    return _flow(nodes, edges)


def routed(rounds: int) -> Flow:
    """A loop through a router of ten rules, of which the last holds."""
    routes = [
        {"id": f"r{n}", "condition": f"context.score > {90 - n}", "targetEdgeKey": f"k{n}"}
        for n in range(10)
    ]
    nodes = [
        {"id": "s", "type": "start"},
        {"id": "h", "type": "rounds", "config": {"count": rounds}},
        {"id": "r", "type": "router", "config": {"routes": routes}},
        {"id": "x", "type": "noop"},
    ]
    edges = [("s", "h", None), ("h", "r", "go"), ("r", "h", "k9"), ("h", "x", "out")]
    return _flow(nodes, edges)
