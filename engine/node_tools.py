"""What several node types need: lists to go through, changes of variables, values in words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import Field

from engine.errors import LanguageError, NodeError
from engine.fields import AnyValue, Labels, Row, VariableName
from engine.language.words import kind_of, nearest, shown
from engine.node_type import Change, StepContext


class VariableUpdate(Row):
    """One change to a flow variable."""

    variable: VariableName = Field(title="Variable", description="The flow variable to change.")
    operation: Annotated[
        Literal["set", "append", "add", "merge", "remove"],
        Labels.of(
            set="Set to",
            append="Append to the list",
            add="Add",
            merge="Merge into the record",
            remove="Remove from it",
        ),
    ] = Field(
        default="set",
        title="Operation",
        description=(
            "Set replaces the value; append puts one more item at the end of a list; add is the "
            "sum of numbers, or joins texts or lists; merge lays a record over the old one; "
            "remove takes an item out of a list or a key out of a record."
        ),
    )
    value: AnyValue = Field(
        default=None,
        title="Value",
        description="What to set, append, add, merge or remove. Any kind of value.",
    )


Updates = tuple[VariableUpdate, ...]


def is_list(value: Any) -> bool:
    """Whether a value is a list, or a read-only view of one."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def items_of(value: Any, field: str) -> list[Any]:
    """The items to go through, one by one.

    A record gives one `{key, value}` each; a text must be the JSON of a list or a record.

    Raises:
        NodeError: It is nothing that has items.
    """
    if isinstance(value, str):
        value = _from_json(value, field)
    if is_list(value):
        return list(value)
    if isinstance(value, Mapping):
        return [{"key": key, "value": inner} for key, inner in value.items()]
    raise NodeError(
        f"Field '{field}': a list is needed here, not {shown(value)}.",
        "Give a variable or an output that holds a list, for example {{ context.names }}.",
    )


def _from_json(text: str, field: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise NodeError(
            f"Field '{field}': a list is needed here, not {shown(text)}.",
            'A text must be the JSON of a list, for example ["a", "b"].',
        ) from None


def message(content: str) -> Change:
    """The change that adds something the flow says to the chat."""
    return Change("messages", "", "append", {"role": "assistant", "content": content})


def changes_of(updates: Sequence[VariableUpdate]) -> tuple[Change, ...]:
    """The same updates as changes of the run's state, in order."""
    return tuple(
        Change(
            "context",
            row.variable,
            "replace" if row.operation == "set" else row.operation,
            row.value,
        )
        for row in updates
    )


def new_values(step: StepContext, updates: Sequence[VariableUpdate]) -> dict[str, Any]:
    """The variables as they will be after these updates, if nothing else changes them meanwhile.

    Raises:
        NodeError: An operation does not fit what a variable holds.
    """
    context = step.state.get("context", {})
    values: dict[str, Any] = {}
    for row in updates:
        old = values.get(row.variable, context.get(row.variable))
        values[row.variable] = _joined(row, old)
    return values


def _joined(row: VariableUpdate, old: Any) -> Any:
    new = row.value
    match row.operation:
        case "append" if old is None or is_list(old):
            return [*(old or ()), new]
        case "add":
            return new if old is None else _sum(row, old)
        case "merge" if isinstance(new, Mapping) and (old is None or isinstance(old, Mapping)):
            return {**(old or {}), **new}
        case "remove":
            return _without(old, new)
        case "set":
            return new
    raise _unfit(row, old)


def _sum(row: VariableUpdate, old: Any) -> Any:
    new = row.value
    if is_list(old):
        return [*old, *new] if is_list(new) else [*old, new]
    both = (old, new)
    if all(isinstance(each, int | float) and not isinstance(each, bool) for each in both):
        return old + new
    if all(isinstance(each, str) for each in both):
        return old + new
    raise _unfit(row, old)


def _without(old: Any, new: Any) -> Any:
    if isinstance(old, Mapping):
        return {key: value for key, value in old.items() if key != new}
    if is_list(old):
        return [item for item in old if not _same(item, new)]
    return None if _same(old, new) else old


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _unfit(row: VariableUpdate, old: Any) -> NodeError:
    wanted = {
        "append": "append works on a list",
        "add": "add works on two numbers, two texts or a list",
        "merge": "merge works on two records",
    }
    return NodeError(
        f"Variable '{row.variable}' holds {shown(old)} and the value is {shown(row.value)}: "
        f"{wanted[row.operation]}.",
        "Choose another operation, or change the variable's first value.",
    )


def values_read(step: StepContext, expressions: tuple[str, ...]) -> str:
    """What the names in some expressions stand for just now, as `context.score = 92`."""
    found: list[str] = []
    for path in _paths_read(expressions):
        try:
            found.append(f"{path} = {brief(step.evaluate(path))}")
        except NodeError:
            # An `and` or a default may have kept the expression from ever reading it.
            found.append(f"{path} is not there")
    return ", ".join(found)


@lru_cache(maxsize=1024)
def _paths_read(expressions: tuple[str, ...]) -> tuple[str, ...]:
    from engine.language.expression import parse_expression

    paths: dict[str, None] = {}
    for text in expressions:
        try:
            references = parse_expression(text).references
        except LanguageError:
            continue
        for reference in references:
            path = _path_text(reference.root, reference.path)
            paths[path] = None
    return tuple(paths)[:6]


def _path_text(root: str, path: tuple[str | int | None, ...]) -> str:
    """A reference as an expression, up to the first index that is computed."""
    text = root
    for part in path:
        if part is None:
            break
        text += f".{part}" if isinstance(part, str) and part.isidentifier() else f"[{part!r}]"
    return text


def brief(value: Any) -> str:
    """A value short enough for a sentence."""
    if value is False or value is True or value is None:
        return str(value)
    if isinstance(value, str):
        return f"'{value}'" if len(value) <= 40 else f"'{value[:40]}…'"
    if isinstance(value, float):
        return str(value)
    if isinstance(value, int) and value.bit_length() < 200:
        return str(value)
    return f"{kind_of(value)} of {len(value)}" if hasattr(value, "__len__") else kind_of(value)


def no_such(name: str, names: Sequence[str], what: str) -> str:
    """A sentence that a name is not there, with the nearest one that is."""
    near = nearest(name, names)
    return f"There is no {what} '{name}'" + (f"; did you mean '{near}'?" if near else ".")
