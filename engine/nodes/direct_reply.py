"""Says something in the chat."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from engine.fields import LongText
from engine.node_tools import message
from engine.node_type import Group, NodeMeta, NodeType, Output, StepContext


class DirectReply(NodeType):
    """Says something in the chat, word for word, without asking a model.

    Use it for answers that you write yourself, and to show a result at the end of a flow. What
    stands between double braces is filled in.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="direct_reply",
        title="Say",
        group=Group.TALK,
        icon="mdi6.message-text-outline",
        words=("reply", "answer", "print", "output", "tell", "message", "respond"),
        examples=(
            ("Thank the person", {"template": "Thank you, we got your question: {{ question }}"}),
        ),
    )

    template: LongText = Field(
        title="Text", description="What to say. {{ … }} is filled in when the flow runs."
    )

    def summary(self) -> str:
        """The beginning of the text."""
        return self.template[:60]

    async def run(self, step: StepContext) -> Output:
        """Adds the text to the chat."""
        del step
        return Output({"content": self.template}, changes=(message(self.template),))
