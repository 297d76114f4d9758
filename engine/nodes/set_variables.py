"""Changes flow variables."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from engine.node_tools import Updates, changes_of, new_values
from engine.node_type import Group, NodeMeta, NodeType, Output, StepContext


class SetVariables(NodeType):
    """Changes flow variables, one after the other.

    A value keeps its kind: a number stays a number, a list stays a list, and a field that is just
    `{{ input }}` takes the input as it is. Later nodes read a variable as `{{ context.name }}`.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="set_variables",
        title="Set variables",
        group=Group.DATA,
        icon="mdi6.variable",
        words=("assign", "store", "save", "remember", "state", "count", "increment", "append"),
        examples=(
            (
                "Count and remember",
                {
                    "updates": [
                        {"variable": "count", "operation": "add", "value": 1},
                        {"variable": "answers", "operation": "append", "value": "{{ input }}"},
                    ]
                },
            ),
        ),
    )

    updates: Updates = Field(title="Changes", description="Which variables change, and how.")

    def summary(self) -> str:
        """The names of the variables."""
        return ", ".join(dict.fromkeys(row.variable for row in self.updates))

    async def run(self, step: StepContext) -> Output:
        """Makes the changes and gives the new values."""
        return Output(new_values(step, self.updates), changes=changes_of(self.updates))
