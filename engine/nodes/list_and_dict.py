"""Works on lists, records and texts."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from engine.errors import NodeError
from engine.fields import AnyValue, ExpressionText, Labels, Language, ShowWhen, Text
from engine.node_type import Group, Handle, NodeMeta, NodeType, Output, Route, StepContext
from engine.operations import collections, texts
from engine.operations.convert import Kind, as_list, convert
from engine.operations.identity import in_order

_ON_VALUE = (
    "get",
    "add",
    "remove",
    "replace",
    "count",
    "sort",
    "unique",
    "merge",
    "split_text",
    "join_text",
    "extract_text",
    "convert_type",
)


def _for(*operations: str) -> ShowWhen:
    return ShowWhen("operation", *operations)


class ListAndDict(NodeType):
    """Works on lists, records (names with values) and texts, without any code.

    Choose what to do; the fields that it needs appear. Most operations work on *Value*; left
    alone, it is the node's input. What comes in is never changed: the node gives a new list, record
    or text. What is not there is an error, never a silent nothing.

    *Extract text by pattern* has two ways out: one when the pattern was found, one when it was not.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="list_and_dict",
        title="Lists and records",
        group=Group.DATA,
        icon="mdi6.format-list-bulleted-type",
        words=(
            *("list", "record", "dictionary", "array", "object", "sort", "filter", "count", "get"),
            *("split", "join", "regex", "pattern", "extract", "convert", "calculate", "merge"),
        ),
        examples=(
            ("The first name", {"operation": "get", "value": "{{ context.names }}", "key": 0}),
            (
                "People by age",
                {"operation": "sort", "value": "{{ input }}", "by": "age", "descending": True},
            ),
            (
                "The number of an order",
                {"operation": "extract_text", "value": "{{ question }}", "pattern": "#(\\d+)"},
            ),
            ("A total", {"operation": "calculate", "expression": "context.price * 1.19"}),
        ),
    )

    operation: Annotated[
        Literal[
            "make_list",
            "make_record",
            "get",
            "add",
            "remove",
            "replace",
            "count",
            "sort",
            "unique",
            "merge",
            "split_text",
            "join_text",
            "extract_text",
            "convert_type",
            "calculate",
        ],
        Labels.of(
            make_list="Make a list",
            make_record="Make a record",
            get="Get one value",
            add="Add a value",
            remove="Remove a value",
            replace="Replace a value",
            count="Count",
            sort="Sort",
            unique="Leave out repeats",
            merge="Merge two",
            split_text="Split text",
            join_text="Join text",
            extract_text="Extract text by pattern",
            convert_type="Convert to another kind",
            calculate="Calculate",
        ),
    ] = Field(default="get", title="Operation", description="What to do.")
    items: Annotated[tuple[AnyValue, ...], _for("make_list")] = Field(
        default=(), title="Items", description="The items of the new list, in order."
    )
    entries: Annotated[dict[str, AnyValue], _for("make_record")] = Field(
        default_factory=dict, title="Entries", description="The names and values of the new record."
    )
    value: Annotated[AnyValue, _for(*_ON_VALUE)] = Field(
        default=None,
        title="Value",
        description="What to work on. Left alone, it is the input of this node.",
    )
    key: Annotated[AnyValue, _for("get", "add", "remove", "replace")] = Field(
        default=None,
        title="Key or position",
        description="A key of a record, or a position in a list: 0 is the first, -1 the last.",
    )
    item: Annotated[AnyValue, _for("add", "remove", "replace", "count")] = Field(
        default=None,
        title="Item",
        description=(
            "What to add, to put in, to count, or (without a key) to remove wherever it occurs."
        ),
    )
    find: Annotated[AnyValue, _for("replace")] = Field(
        default=None,
        title="Look for",
        description="What is replaced wherever it occurs, when no key is given.",
    )
    default: Annotated[AnyValue, _for("get")] = Field(
        default=None,
        title="Otherwise",
        description="What to give when there is nothing there. Left alone, that is an error.",
    )
    position: Annotated[int | None, _for("add")] = Field(
        default=None,
        title="At position",
        description="Where in the list to add it. Left alone: at the end.",
    )
    other: Annotated[AnyValue, _for("merge")] = Field(
        default=None,
        title="With",
        description="The second list, or the record whose values count more.",
    )
    deep: Annotated[bool, _for("merge")] = Field(
        default=False,
        title="Merge inner records too",
        description="Records inside of records are merged, not replaced.",
    )
    by: Annotated[Text, _for("sort", "unique")] = Field(
        default="",
        title="By key",
        description="For records: the key that counts. Empty for plain numbers or texts.",
    )
    descending: Annotated[bool, _for("sort")] = Field(
        default=False, title="Largest first", description="Turns the order round."
    )
    ignore_case: Annotated[bool, _for("sort", "extract_text")] = Field(
        default=False, title="Ignore case", description="Small and capital letters count the same."
    )
    separator: Annotated[Text, _for("split_text", "join_text")] = Field(
        default=",",
        title="Separator",
        description="What stands between the parts. Empty splits into single characters.",
    )
    trim: Annotated[bool, _for("split_text")] = Field(
        default=True,
        title="Trim",
        description="Takes blanks and line breaks off both ends of each part.",
    )
    drop_empty: Annotated[bool, _for("split_text")] = Field(
        default=False, title="Leave out empty parts", description="Parts without text are dropped."
    )
    pattern: Annotated[str, Language.PLAIN, _for("extract_text")] = Field(
        default="",
        title="Pattern",
        description=(
            "A regular expression: `\\d+` finds digits, `(…)` marks the part to take. Look-ahead, "
            "look-behind and back references are not offered."
        ),
    )
    group: Annotated[str, Language.PLAIN, _for("extract_text")] = Field(
        default="",
        title="Group",
        description=(
            "Number or name of the part to take. Empty: all named parts as a record, else the "
            "first part, else the whole match."
        ),
    )
    every: Annotated[bool, _for("extract_text")] = Field(
        default=False, title="Every match", description="Gives a list of all matches."
    )
    to: Annotated[
        Kind,
        Labels.of(
            text="Text",
            whole_number="Whole number",
            number="Number",
            yes_no="Yes or no",
            list="List",
            record="Record",
        ),
        _for("convert_type"),
    ] = Field(
        default="text",
        title="Kind",
        description="What the value becomes. It is an error if something would be lost by it.",
    )
    expression: Annotated[ExpressionText, _for("calculate")] = Field(
        default="",
        title="Calculation",
        description="An expression such as `context.price * 2`; `value` is not needed for it.",
    )

    def handles(self) -> tuple[Handle, ...]:
        """Found and not found for a pattern, else one."""
        if self.operation == "extract_text":
            return (Handle("match", "Found"), Handle("no_match", "Not found"))
        return (Handle(None),)

    def summary(self) -> str:
        """The operation in words."""
        return self.operation.replace("_", " ").capitalize()

    async def run(self, step: StepContext) -> Output | Route:
        """The new value; a pattern also chooses the way out."""
        if self.operation == "extract_text":
            return self._extracted(step)
        return Output(self._result(step))

    def _value(self, step: StepContext) -> Any:
        return self.value if self._is_set("value") else step.input

    def _is_set(self, field: str) -> bool:
        return field in self.model_fields_set

    def _result(self, step: StepContext) -> Any:
        match self.operation:
            case "make_list":
                return list(self.items)
            case "make_record":
                return dict(self.entries)
            case "calculate":
                if not self.expression.strip():
                    raise NodeError("Field 'Calculation' is empty.", "Write an expression.")
                return step.evaluate(self.expression, "Calculation")
            case "get" | "add" | "remove" | "replace" | "count":
                return self._on_one(self._value(step))
            case _:
                return self._on_all(self._value(step))

    def _on_one(self, value: Any) -> Any:
        match self.operation:
            case "get":
                default = (self.default,) if self._is_set("default") else ()
                return collections.get(value, self._given_key(), *default)
            case "add":
                return collections.add(value, self.item, self.key, self.position)
            case "remove":
                if self._is_set("key") or not self._is_set("item"):
                    return collections.without_key(value, self._given_key())
                return collections.without_item(value, self.item)
            case "replace":
                if self._is_set("key") or not self._is_set("find"):
                    return collections.with_key(value, self._given_key(), self.item)
                return collections.with_item(value, self.find, self.item)
            case _:
                item = (self.item,) if self._is_set("item") else ()
                return collections.count(value, *item)

    def _given_key(self) -> Any:
        if self.key is None:
            raise NodeError(
                "Field 'Key or position' is empty.",
                "Give the key of a record, or a position in a list such as 0.",
            )
        return self.key

    def _on_all(self, value: Any) -> Any:
        match self.operation:
            case "sort":
                return in_order(
                    as_list(value),
                    (lambda item: collections.get(item, self.by)) if self.by else (lambda i: i),
                    descending=self.descending,
                    ignore_case=self.ignore_case,
                )
            case "unique":
                return collections.unique(value, self.by)
            case "merge":
                return collections.merged(value, self.other, deep=self.deep)
            case "split_text":
                return texts.split(
                    value, self.separator, trim=self.trim, drop_empty=self.drop_empty
                )
            case "join_text":
                return texts.join(value, self.separator)
            case _:
                return convert(value, self.to)

    def _extracted(self, step: StepContext) -> Route:
        if not self.pattern:
            raise NodeError("Field 'Pattern' is empty.", "Write what to look for, such as \\d+.")
        found = texts.find(
            self._value(step),
            self.pattern,
            self.group,
            ignore_case=self.ignore_case,
            every=self.every,
        )
        if not found:
            return Route("no_match", None, reason=f"nothing fits the pattern {self.pattern}")
        return Route(
            "match", found if self.every else found[0], reason=f"the pattern {self.pattern} fits"
        )
