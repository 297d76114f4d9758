"""A box whose nodes run once per item of a list."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from engine.fields import AnyValue, Count, Labels
from engine.node_tools import items_of
from engine.node_type import Group, Iterate, NodeMeta, NodeType, StepContext


class Iteration(NodeType):
    """Runs the nodes inside the box once for every item of a list.

    Inside, `{{ $iteration.item }}` is the item and `{{ $iteration.index }}` its number, 0 at
    first. The results come out as one list, in the order of the items, however long each took.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="iteration",
        title="For each",
        group=Group.LOOP,
        icon="mdi6.repeat-variant",
        words=("iteration", "loop", "map", "each", "items", "list", "box", "batch"),
        has_children=True,
        examples=(
            ("Every name, three at a time", {"items": "{{ context.names }}", "concurrency": 3}),
        ),
    )

    items: AnyValue = Field(
        title="Items",
        description="A list. A record gives one {key, value} for each of its names.",
    )
    concurrency: Annotated[Count, Field(le=1000)] = Field(
        default=1, title="At the same time", description="How many items are worked on at once."
    )
    on_item_error: Annotated[
        Literal["stop", "continue"],
        Labels.of(stop="Stop", **{"continue": "Go on with the other items"}),
    ] = Field(
        default="stop",
        title="When an item fails",
        description="Going on leaves nothing in that item's place, and notes the error.",
    )

    async def run(self, step: StepContext) -> Iterate:
        """Hands the items over."""
        del step
        items = items_of(self.items, "Items")
        return Iterate(items, self.concurrency, self.on_item_error)
