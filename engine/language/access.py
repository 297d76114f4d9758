"""Going into data: fields by name, items by number, parts by slice. Never Python's attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import ExpressionError
from engine.language.budget import Evaluation
from engine.language.methods import METHOD_TABLES, RECORD_METHODS, is_blocked_key
from engine.language.scope import NodeValue
from engine.language.values import is_list, is_record
from engine.language.words import kind_of, missing, sentence, shown


def field(value: Any, name: str, where: str) -> Any:
    """`value.name`.

    Args:
        value: A record, or the node that gave an output.
        name: The field.
        where: What `value` was called, for the message.

    Raises:
        ExpressionError: There is no such field.
    """
    if isinstance(value, NodeValue):
        return _node_part(value, name, where)
    if is_record(value):
        if not is_blocked_key(name):
            try:
                return value[name]
            except KeyError:
                pass
        raise _no_field(value, name, where)
    raise ExpressionError(
        f"Cannot take `.{name}` of {where}: it is {kind_of(value)}.", _hint_for(value, name)
    )


def _node_part(node: NodeValue, name: str, where: str) -> Any:
    if name == "output":
        return node.output
    raise ExpressionError(
        f"There is no `{name}` in the node {where}.", f"Write `{where}.output.{name}`."
    )


def _no_field(record: Mapping[Any, Any], name: str, where: str) -> ExpressionError:
    message, hint = missing(name, record, where)
    if name in RECORD_METHODS:
        hint = f"To call the method, write `{where}.{name}()`."
    return ExpressionError(message, hint)


def _hint_for(value: object, name: str) -> str:
    if name in ("length", "size", "count", "len"):
        return "`len(…)` gives the number of items or characters."
    if any(name in table for table in METHOD_TABLES):
        return f"A method needs brackets: `.{name}()`."
    if is_list(value):
        return f"Take one item first: `[0].{name}`, or all: `[x.{name} for x in …]`."
    if value is None:
        return "Nothing has arrived there yet; `.get('…', default)` gives a default."
    return "Only records have fields."


def item(value: Any, key: Any, where: str, ev: Evaluation) -> Any:
    """`value[key]`: a field by its name, or an item by its number.

    Raises:
        ExpressionError: There is no such part.
    """
    if isinstance(value, NodeValue):
        return _node_part(value, str(key), where)
    if is_record(value):
        return _by_key(value, key, where)
    if isinstance(value, str) or is_list(value):
        return _by_number(value, key, where)
    raise ExpressionError(
        f"Cannot take a part of {where}: it is {kind_of(value)}.",
        "Lists, texts and records have parts.",
    )


def _by_key(record: Mapping[Any, Any], key: Any, where: str) -> Any:
    if not isinstance(key, str):
        try:
            return record[key]
        except (KeyError, TypeError):
            raise ExpressionError(
                f"There is no {shown(key)} in {where}: its fields have names.",
                'Write the name in quotes: `["name"]`.',
            ) from None
    if not is_blocked_key(key):
        try:
            return record[key]
        except KeyError:
            pass
    raise ExpressionError(*missing(key, record, where))


def _by_number(value: Sequence[Any] | str, key: Any, where: str) -> Any:
    if not isinstance(key, int):
        raise ExpressionError(
            f"The items of {where} have numbers, not names: {shown(key)} is none.",
            "The first is `[0]`, the last `[-1]`.",
        )
    try:
        return value[key]
    except IndexError:
        raise ExpressionError(*no_item(value, key, where)) from None


def no_item(value: Sequence[Any] | str, number: int, where: str) -> tuple[str, str]:
    """Message and hint for an item that a list or text does not have."""
    unit = "character" if isinstance(value, str) else "item"
    count = len(value)
    amount = f"only {count} {unit}{'' if count == 1 else 's'}" if count else f"no {unit}s"
    message = f"There is no {unit} [{number}] in {where}: it has {amount}."
    return sentence(message), "The first is `[0]`, the last `[-1]`." if count else ""


def part(value: Any, start: Any, stop: Any, step: Any, where: str, ev: Evaluation) -> Any:
    """`value[start:stop:step]` of a list or text.

    Raises:
        ExpressionError: It has no order, or a bound is no whole number.
    """
    if not (isinstance(value, str) or is_list(value)):
        raise ExpressionError(
            f"Cannot take a part of {where}: it is {kind_of(value)}.",
            "Only lists and texts can be cut.",
        )
    for bound in (start, stop, step):
        if bound is not None and not isinstance(bound, int):
            raise ExpressionError(f"A part is cut by whole numbers, not {shown(bound)}.")
    if step == 0:
        raise ExpressionError("The step of a part cannot be 0.")
    places = range(len(value))[start:stop:step]
    if isinstance(value, str):
        ev.spend_text(len(places))
        return value[start:stop:step]
    ev.spend(len(places))
    if isinstance(value, list):
        return value[start:stop:step]
    return [value[place] for place in places]
