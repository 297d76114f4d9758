"""Fills in a text."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from engine.fields import AnyValue, Language, LongText, text_of
from engine.node_type import Group, NodeMeta, NodeType, Output, StepContext


class Template(NodeType):
    """Makes a text out of a pattern with gaps.

    What stands between double braces is filled in. Values can be given names first, so that the
    text stays easy to read: with a value `name`, write `Dear {{ name }}`.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="template",
        title="Fill in text",
        group=Group.DATA,
        icon="mdi6.text-box-edit-outline",
        words=("template", "text", "format", "prompt", "compose", "string", "mail merge"),
        examples=(
            (
                "A letter",
                {
                    "template": "Dear {{ name }},\n\nyou owe us {{ amount }} Euro.",
                    "values": {"name": "Ada", "amount": "{{ context.amount }}"},
                },
            ),
        ),
    )

    template: Annotated[LongText, Language.OWN_TEMPLATE] = Field(
        title="Text", description="The text with its gaps: {{ name }}."
    )
    values: dict[str, AnyValue] = Field(
        default_factory=dict,
        title="Values",
        description="Names for this text alone, and what they stand for.",
    )

    async def run(self, step: StepContext) -> Output:
        """The text."""
        filled: Any = step.render(self.template, "Text", self.values)
        return Output(text_of(filled))
