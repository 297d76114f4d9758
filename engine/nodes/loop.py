"""Goes back to an earlier node, a limited number of times."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from engine.fields import Count, Text
from engine.node_tools import Updates, changes_of, message
from engine.node_type import Group, Handle, NodeMeta, NodeType, Route, StepContext


class Loop(NodeType):
    """Goes back to an earlier node, until the limit of rounds is reached.

    Draw its *go back* edge to the node where the next round begins, for example to try again after
    a person asked for changes. When the limit is reached it says the fallback message, if there is
    one, and goes on along *done*.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="loop",
        title="Go back",
        group=Group.LOOP,
        icon="mdi6.arrow-u-left-top",
        words=("loop", "repeat", "retry", "again", "goto", "jump", "back"),
        loops=True,
        disabled_route="done",
        unlabelled=("loop_back", "done"),
        examples=(
            (
                "Three tries",
                {"max_iterations": 3, "fallback_message": "Sorry, it did not work out."},
            ),
        ),
    )

    max_iterations: Count | None = Field(
        default=5,
        title="At most",
        description="How many rounds there are in all; empty: the limit of the flow.",
    )
    fallback_message: Text = Field(
        default="",
        title="Fallback message",
        description="What to say in the chat when the limit is reached; empty: nothing.",
    )
    updates: Updates = Field(
        default=(), title="Changes", description="Variables to change each time it goes back."
    )

    def handles(self) -> tuple[Handle, ...]:
        """Back, or on."""
        return (Handle("loop_back", "Go back"), Handle("done", "Done"))

    def summary(self) -> str:
        """The limit."""
        return f"at most {self.max_iterations} rounds" if self.max_iterations else ""

    async def run(self, step: StepContext) -> Route:
        """Goes back, or on when there were rounds enough."""
        done = step.loop.round + 1
        limit = step.max_iterations if self.max_iterations is None else self.max_iterations
        if done < limit:
            reason = f"Round {done} of {limit} is over: back to the beginning."
            changes = changes_of(self.updates)
            return Route("loop_back", {"count": done}, changes=changes, reason=reason)
        reason = f"The limit of {limit} {'round' if limit == 1 else 'rounds'} is reached."
        content = self.fallback_message or reason
        said = (message(content),) if self.fallback_message else ()
        return Route("done", {"count": done, "content": content}, changes=said, reason=reason)
