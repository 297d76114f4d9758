"""Reads flow variables."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from engine.errors import NodeError
from engine.fields import VariableName
from engine.node_tools import no_such
from engine.node_type import Group, NodeMeta, NodeType, Output, StepContext


class GetVariables(NodeType):
    """Puts the values of some flow variables together into one record.

    Use it to send several variables on at once, for example into a function or another flow.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="get_variables",
        title="Get variables",
        group=Group.DATA,
        icon="mdi6.database-export-outline",
        words=("read", "load", "fetch", "state", "variable", "recall"),
        examples=(("Two variables", {"variables": ["customer", "amount"]}),),
    )

    variables: Annotated[tuple[VariableName, ...], Field(min_length=1)] = Field(
        title="Variables", description="The names of the variables to read."
    )
    error_on_missing: bool = Field(
        default=True,
        title="Fail when one is missing",
        description="Otherwise a variable that is not there gives nothing (null).",
    )

    def summary(self) -> str:
        """The names."""
        return ", ".join(self.variables)

    async def run(self, step: StepContext) -> Output:
        """The values by name."""
        context = step.state.get("context", {})
        return Output({name: self._value(name, context) for name in self.variables})

    def _value(self, name: str, context: Any) -> Any:
        if name in context:
            return context[name]
        if not self.error_on_missing:
            return None
        raise NodeError(
            no_such(name, tuple(context), "variable"),
            "Declare it among the flow's variables, or allow it to be missing.",
        )
