"""Reads JSON."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from engine.errors import NodeError
from engine.fields import AnyValue, Language, Text
from engine.node_type import Group, NodeMeta, NodeType, Output, StepContext
from engine.operations.read_json import is_too_deep, plain, read_json

_LONGEST_REPAIRED = 200_000
_WHAT = "The source"


class JsonParser(NodeType):
    """Turns text that holds JSON into data, and takes from it what is needed.

    A *query* picks values out of the data: `$.order.items[0].name` gives one value,
    `$.order.items[*].name` gives a list of all. A *schema* checks the data first. Data that is no
    text is taken as it is, so the same node also queries and checks data.

    Text from a model is often nearly JSON: turn on *Repair* and brackets, commas and quotes are
    mended. What cannot be read is an error that names the line; set *On error* to *branch* to give
    it a way of its own.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="json_parser",
        title="Read JSON",
        group=Group.DATA,
        icon="mdi6.code-json",
        words=("json", "parse", "query", "jsonpath", "schema", "validate", "extract", "repair"),
        examples=(
            ("The answer of a model", {"source": "{{ input.content }}", "repair": True}),
            ("All names", {"source": "{{ input }}", "jsonpath_query": "$.people[*].name"}),
            (
                "Only if it fits",
                {"json_schema": {"type": "object", "required": ["name", "age"]}},
            ),
        ),
    )

    source: AnyValue = Field(
        default=None,
        title="Source",
        description="Text that holds JSON, or data. Left alone, it is the input of this node.",
    )
    jsonpath_query: Text = Field(
        default="",
        title="Query",
        description="A JSONPath that picks out values. Empty gives everything.",
    )
    json_schema: Annotated[AnyValue, Language.PLAIN] = Field(
        default=None,
        title="Schema",
        description="A JSON Schema that the data must fit, before the query picks from them.",
    )
    repair: bool = Field(
        default=False,
        title="Repair",
        description="Mends text that is nearly JSON, as models write it.",
    )

    def summary(self) -> str:
        """The query."""
        return self.jsonpath_query

    async def run(self, step: StepContext) -> Output:
        """The data, or what the query finds in them."""
        source = self.source if "source" in self.model_fields_set else step.input
        value, was_repaired = await step.in_thread(self._value, source)
        if was_repaired:
            step.log("The source was not quite JSON and was repaired.")
        return Output(value)

    def _value(self, source: Any) -> tuple[Any, bool]:
        value, was_repaired = self._read(source) if isinstance(source, str) else (source, False)
        if self._has_schema():
            from engine.operations.schema import check_schema

            check_schema(plain(value), self.json_schema)
        if self.jsonpath_query.strip():
            from engine.operations.query import query

            value = query(plain(value), self.jsonpath_query.strip())
        return value, was_repaired

    def _has_schema(self) -> bool:
        return self.json_schema is not None and self.json_schema != ""

    def _read(self, text: str) -> tuple[Any, bool]:
        """The data, and whether they had to be repaired."""
        hint = "" if self.repair else "Turn on *Repair* to mend small faults."
        try:
            return read_json(text, _WHAT, hint), False
        except NodeError as fault:
            if not self.repair:
                raise
            return _repaired(text, fault), True


def _repaired(text: str, fault: NodeError) -> Any:
    if len(text) > _LONGEST_REPAIRED:
        raise NodeError(
            f"{fault.message} It is too long to be repaired.",
            f"At most {_LONGEST_REPAIRED:,} characters can be.",
        )
    # Loaded late: only broken JSON needs it.
    import json_repair

    try:
        value = json_repair.loads(text)
    except (RecursionError, ValueError) as cause:
        raise NodeError(f"{fault.message} It could not be repaired.", "", str(cause)) from None
    if value == "" or is_too_deep(value):
        raise NodeError(f"{fault.message} It could not be repaired.")
    return value
