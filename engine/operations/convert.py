"""From one kind of value to another, where nothing is lost by it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Literal

from engine.errors import NodeError
from engine.language.words import kind_of, shown
from engine.node_tools import is_list
from engine.operations.read_json import plain, read_json, sentence

Kind = Literal["text", "whole_number", "number", "yes_no", "list", "record"]

_NUMERAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_LONGEST_NUMERAL = 4_000
_WORDS = {
    "text": "a text",
    "whole_number": "a whole number",
    "number": "a number",
    "yes_no": "yes or no",
    "list": "a list",
    "record": "a record",
}
_YES_NO = {"true": True, "yes": True, "false": False, "no": False}


def convert(value: Any, to: Kind) -> Any:
    """The same value as another kind.

    Raises:
        NodeError: It cannot be, or something would be lost.
    """
    by_kind: dict[str, Callable[[Any], Any]] = {
        "text": as_text,
        "whole_number": as_whole_number,
        "number": as_number,
        "yes_no": as_yes_no,
        "list": as_list,
        "record": as_record,
    }
    return by_kind[to](value)


def _cannot(value: Any, to: Kind, why: str, hint: str = "") -> NodeError:
    return NodeError(sentence(f"{shown(value)} cannot become {_WORDS[to]}: {why}."), hint)


def as_text(value: Any) -> str:
    """A value as text: numbers in digits, lists and records as JSON.

    Raises:
        NodeError: It is nothing, or a number that cannot be written.
    """
    if isinstance(value, str):
        return value
    if value is None:
        raise _cannot(value, "text", "it would look like an empty text", "Give a default first.")
    if isinstance(value, float) and not math.isfinite(value):
        raise _cannot(value, "text", "it is no number that can be written")
    return json_of(value)


def json_of(value: Any) -> str:
    """A value as JSON.

    Raises:
        NodeError: It cannot be written.
    """
    import json

    try:
        return json.dumps(plain(value), ensure_ascii=False)
    except ValueError:
        raise NodeError("A number of more than 4,300 digits cannot be written as text.") from None
    except (TypeError, RecursionError):
        raise NodeError(sentence(f"{kind_of(value)} cannot be written as text.")) from None


def as_number(value: Any) -> int | float:
    """A value as a number.

    Raises:
        NodeError: It is none, or digits would be lost.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _cannot(value, "number", "only a number, or a text that is one, can")
    if not isinstance(value, str):
        return value
    text = value.strip()
    if len(text) > _LONGEST_NUMERAL or not _NUMERAL.fullmatch(text):
        hint = "A number is written with a point and without marks between thousands: 1234.5."
        raise _cannot(value, "number", "it is not written as a number", hint)
    if not re.search(r"[.eE]", text):
        return int(text)
    number = float(text)
    if not math.isfinite(number) or Decimal(repr(number)) != Decimal(text):
        raise _cannot(value, "number", "digits would be lost")
    return number


def as_whole_number(value: Any) -> int:
    """A value as a whole number.

    Raises:
        NodeError: It is none, or a fraction would be lost.
    """
    try:
        number = as_number(value)
    except NodeError as fault:
        raise NodeError(fault.message.replace("a number:", "a whole number:"), fault.hint) from None
    if isinstance(number, int):
        return number
    if not number.is_integer():
        why = "its fraction would be lost" if math.isfinite(number) else "it is not finite"
        hint = "`round(...)` in a calculation gives the nearest whole number."
        raise _cannot(value, "whole_number", why, hint)
    return int(number)


def as_yes_no(value: Any) -> bool:
    """A value as yes or no.

    Raises:
        NodeError: It is not clear which.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and (word := value.strip().lower()) in _YES_NO:
        return _YES_NO[word]
    if isinstance(value, int | float) and value in (0, 1):
        return value == 1
    raise _cannot(value, "yes_no", "only true, yes, 1 and false, no, 0 can")


def as_list(value: Any) -> list[Any]:
    """A value as a list; a record gives one `{key, value}` each.

    Raises:
        NodeError: It is no list, record, or JSON of one.
    """
    if isinstance(value, str):
        value = _from_json(value, "list")
    if is_list(value):
        return list(value)
    if isinstance(value, Mapping):
        return [{"key": key, "value": value[key]} for key in value]
    raise _cannot(value, "list", "it holds no items", "*Make list* makes a list of single values.")


def as_record(value: Any) -> dict[str, Any]:
    """A value as a record; a list must hold one `{key, value}` each.

    Raises:
        NodeError: It is no record, list of such rows, or JSON of one.
    """
    if isinstance(value, str):
        value = _from_json(value, "record")
    if isinstance(value, Mapping):
        return dict(value)
    if not is_list(value):
        raise _cannot(value, "record", "it holds no keys", "*Make record* makes a record.")
    record: dict[str, Any] = {}
    for row in value:
        if not isinstance(row, Mapping) or set(row) != {"key", "value"}:
            raise _cannot(value, "record", "each item must be a record of `key` and `value`")
        key = row["key"]
        if not isinstance(key, str) or key in record:
            why = f"the key {shown(key)} is no text, or there twice"
            raise _cannot(value, "record", why)
        record[key] = row["value"]
    return record


def _from_json(text: str, to: Kind) -> Any:
    example = '["a", "b"]' if to == "list" else '{"name": "Ada"}'
    hint = f"A text must be the JSON of {_WORDS[to]}, for example {example}."
    if to == "list":
        hint += " *Split text* cuts a text into a list."
    return read_json(text, sentence(shown(text)), hint)
