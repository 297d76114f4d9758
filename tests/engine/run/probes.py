"""Node types for tests of the interpreter; `structured` says what they mean."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import ClassVar

from engine.node_type import (
    Group,
    Handle,
    NodeMeta,
    NodeType,
    Output,
    Outputs,
    Result,
    Route,
    StepContext,
)
from engine.registry import NodeRegistry
from tests.engine.run.lineage import picked, result_of, results_of


class Probe(NodeType):
    """Gives a text that tells where its inputs came from."""

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="probe", title="Probe", group=Group.DATA, icon="mdi6.magnify"
    )

    async def run(self, step: StepContext) -> Result:
        """The descent of what came in."""
        return Output(result_of(step.node_id, step.inputs))


class StartProbe(Probe):
    """Where a test flow begins."""

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="start", title="Start", group=Group.START, icon="mdi6.play"
    )


class Choose(NodeType):
    """Takes the route that its table names for the round, the item or the value."""

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="choose",
        title="Choose",
        group=Group.DECIDE,
        icon="mdi6.call-split",
        condition_like=True,
    )
    by: str = "round"
    routes: tuple[str, ...] = ()

    def handles(self) -> tuple[Handle, ...]:
        """One for each route, in the order in which the table first names it."""
        return tuple(Handle(key) for key in dict.fromkeys(self.routes))

    async def run(self, step: StepContext) -> Result:
        """The descent of what came in, on one route."""
        key = picked(self.routes, self.by, step.loop.round, step.inputs)
        return Route(key, result_of(step.node_id, step.inputs))


class Spread(NodeType):
    """Gives as many values as its table says, all at once."""

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="spread", title="Spread", group=Group.DATA, icon="mdi6.call-split"
    )
    by: str = "round"
    counts: tuple[int, ...] = ()

    async def run(self, step: StepContext) -> Result:
        """The descent of what came in, once for each item."""
        count = picked(self.counts, self.by, step.loop.round, step.inputs)
        return Outputs(results_of(step.node_id, step.inputs, count))


class Trickle(NodeType):
    """Gives as many values as its table says, one by one."""

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="trickle", title="Trickle", group=Group.DATA, icon="mdi6.water-outline"
    )
    by: str = "round"
    counts: tuple[int, ...] = ()

    async def run(self, step: StepContext) -> AsyncIterator[Output]:  # type: ignore[override]
        """The descent of what came in, once for each item."""
        count = picked(self.counts, self.by, step.loop.round, step.inputs)
        for value in results_of(step.node_id, step.inputs, count):
            yield Output(value)


TEST_NODE_TYPES: tuple[type[NodeType], ...] = (StartProbe, Probe, Choose, Spread, Trickle)


def probe_registry() -> NodeRegistry:
    """A registry of these types alone."""
    registry = NodeRegistry(built_in=False)
    for node_type in TEST_NODE_TYPES:
        registry.register(node_type)
    return registry
