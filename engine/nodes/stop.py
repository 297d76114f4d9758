"""Ends the whole run."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from engine.fields import Labels, Text
from engine.node_type import Group, Handle, NodeMeta, NodeType, StepContext, Stop


class StopHere(NodeType):
    """Ends the whole run at once, also the branches that are still at work.

    Use it when nothing more makes sense: the work is done, or something is so wrong that the run
    should count as failed. A flow needs no such node to end: it ends when nothing is left to do.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="stop",
        title="Stop here",
        group=Group.START,
        icon="mdi6.stop-circle-outline",
        words=("end", "abort", "finish", "exit", "fail", "cancel"),
        examples=(
            ("Give up", {"status": "error", "message": "The order {{ input }} does not exist."}),
        ),
    )

    status: Annotated[
        Literal["finished", "error"],
        Labels.of(finished="Finished: all is well", error="Error: the run has failed"),
    ] = Field(default="finished", title="The run counts as", description="How the run ends.")
    message: Text = Field(
        default="", title="Message", description="Why it ends; shown with the run."
    )

    def handles(self) -> tuple[Handle, ...]:
        """Nothing comes after it."""
        return ()

    def summary(self) -> str:
        """The message."""
        return self.message

    async def run(self, step: StepContext) -> Stop:
        """Ends the run with what this node received as its output."""
        message = self.message
        if self.status == "error" and not message:
            message = f"The node '{step.label}' ended the run."
        return Stop(self.status, message, step.input)
