"""Sends the items of a list on one by one."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from engine.fields import AnyValue
from engine.node_tools import items_of
from engine.node_type import Group, NodeMeta, NodeType, Outputs, StepContext


class Split(NodeType):
    """Sends the items of a list on one by one: what follows runs once for each.

    The items are worked on side by side; a *Collect* node behind puts the results back together
    in order. Use *For each* instead when the same few nodes belong in a box of their own. An empty
    list sends nothing on.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="split",
        title="One by one",
        group=Group.DATA,
        icon="mdi6.call-split",
        words=("split", "each", "items", "list", "map", "fan out", "parallel", "spread"),
        examples=(
            ("Every name of a variable", {"items": "{{ context.names }}"}),
            ("Three numbers", {"items": [1, 2, 3]}),
        ),
    )

    items: AnyValue = Field(
        title="Items",
        description="A list. A record gives one {key, value} for each of its names.",
    )

    async def run(self, step: StepContext) -> Outputs:
        """One value per item."""
        del step
        return Outputs(items_of(self.items, "Items"))
