"""JSON text that loses nothing: read with every doubt refused, written the same every time.

Beside plain JSON it carries whole numbers of any usual length, `NaN`, `Infinity` and text that
holds half of a surrogate pair. Written text is stable: the same value gives the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

from engine.flow.names import quoted

MAX_DEPTH = 120
"""Levels of lists and objects in one document; other JSON tools give up a little later."""

MAX_VALUE_DEPTH = 100
"""Levels of one value inside a document."""

MAX_DIGITS = 4_300
_MAX_BITS = 14_280  # The longest whole number whose decimal form surely has at most MAX_DIGITS.
_SURROGATE = re.compile("[\ud800-\udfff]")
_PLAIN_WORDS = {
    "Expecting value": "a value is missing, or there is a comma too many",
    "Expecting property name enclosed in double quotes": (
        "a name in double quotes is missing, or there is a comma too many"
    ),
    "Illegal trailing comma before end of object": "there is a comma too many",
    "Illegal trailing comma before end of array": "there is a comma too many",
    "Expecting ',' delimiter": "a comma is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Extra data": "something follows after the end",
    "Unterminated string starting at": "this text has no closing quote",
    "Invalid control character at": "a line break or control character stands inside a text",
    "Invalid \\escape": "a backslash stands before a character that it cannot escape",
    "Invalid \\uXXXX escape": "\\u needs four hexadecimal digits",
}


class JsonTextError(ValueError):
    """Text that is not JSON, or a value that JSON cannot hold.

    Args:
        what: What is wrong, without a full stop.
        place: Where, for example `line 3, column 7` or `config.rows[2]`; may be empty.
    """

    def __init__(self, what: str, place: str = "") -> None:
        super().__init__(f"{place}: {what}" if place else what)
        self.what = what
        self.place = place


def load_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        JsonTextError: No JSON, a name that stands twice in one object, or nesting without end.
    """
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_int=_whole_number)
    except json.JSONDecodeError as fault:
        raise JsonTextError(_in_plain_words(fault), _line_and_column(fault)) from fault
    except RecursionError:
        raise JsonTextError(_too_deep()) from None
    _refuse_deep_nesting(value)
    return value


def _in_plain_words(fault: json.JSONDecodeError) -> str:
    for start, words in _PLAIN_WORDS.items():
        if fault.msg.startswith(start):
            return words
    return fault.msg[:1].lower() + fault.msg[1:]


def _line_and_column(fault: json.JSONDecodeError) -> str:
    return f"line {fault.lineno}, column {fault.colno}"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            owner = (
                f" (the one with id {str(made['id'])[:60]!r})"
                if name != "id" and "id" in made
                else ""
            )
            msg = f"the name {quoted(name)} stands twice in one object{owner}"
            raise JsonTextError(msg)
        seen.add(name)
    return made


def _whole_number(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        msg = f"a whole number has {len(digits):,} digits; at most {MAX_DIGITS:,} are understood"
        raise JsonTextError(msg)
    return int(digits)


def _refuse_deep_nesting(value: object) -> None:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        deeper: list[object] = []
        for item in level:
            if isinstance(item, dict):
                deeper.extend(item.values())
            elif isinstance(item, list):
                deeper.extend(item)
        level = deeper
        if not level:
            return
    if any(isinstance(item, (dict, list)) for item in level):
        raise JsonTextError(_too_deep())


def _too_deep() -> str:
    return "lists and objects are nested too deep, more than a hundred levels"


def dump_json(value: object) -> str:
    """A value as JSON text with two-space indent, without an ending newline.

    Names keep their order. Tuples are written as lists.

    Raises:
        JsonTextError: The value holds something that JSON has no form for; `place` says where.
    """
    return escape_surrogates(_written(value, "\n", 0))


def copy_json(value: object, depth: int = 0) -> Any:
    """A deep copy of a JSON value; tuples become lists, mappings plain dicts.

    Args:
        value: What is copied.
        depth: Levels above it that count against `MAX_VALUE_DEPTH`.

    Raises:
        JsonTextError: As `dump_json`.
    """
    return _copied(value, depth + MAX_DEPTH - MAX_VALUE_DEPTH)


def escape_surrogates(text: str) -> str:
    """JSON text that UTF-8 can carry: pairs are joined, halves written as escapes."""
    if not _SURROGATE.search(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", joined)


def _written(value: object, newline: str, depth: int) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, (bool, int, float)):
        return _written_scalar(value)
    if isinstance(value, Mapping):
        return _written_object(value, newline, depth)
    if isinstance(value, (list, tuple)):
        return _written_list(value, newline, depth)
    raise JsonTextError(_no_json_form(value))


def _written_object(value: Mapping[Any, object], newline: str, depth: int) -> str:
    if not value:
        return "{}"
    _check_depth(depth)
    inner, lines = newline + "  ", []
    for key, item in value.items():
        name = _name(key)
        try:
            lines.append(f"{name}: {_written(item, inner, depth + 1)}")
        except JsonTextError as fault:
            raise _inside(key, fault) from fault
    return f"{{{inner}{f',{inner}'.join(lines)}{newline}}}"


def _written_list(value: Sequence[object], newline: str, depth: int) -> str:
    if not value:
        return "[]"
    _check_depth(depth)
    inner, lines = newline + "  ", []
    for index, item in enumerate(value):
        try:
            lines.append(_written(item, inner, depth + 1))
        except JsonTextError as fault:
            raise _inside(index, fault) from fault
    return f"[{inner}{f',{inner}'.join(lines)}{newline}]"


def _written_scalar(value: float | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(_usual_length(value))
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return float.__repr__(value)


def _name(key: object) -> str:
    if not isinstance(key, str):
        msg = f"the name {key!r} is not text"
        raise JsonTextError(msg)
    return encode_basestring(key)


def _copied(value: object, depth: int) -> Any:
    if value is None or isinstance(value, (str, bool, float)):
        return value
    if isinstance(value, int):
        return _usual_length(value)
    if isinstance(value, Mapping):
        _check_depth(depth)
        for key in value:
            _name(key)
        return {key: _copied_at(key, item, depth) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        _check_depth(depth)
        return [_copied_at(index, item, depth) for index, item in enumerate(value)]
    raise JsonTextError(_no_json_form(value))


def _copied_at(key: object, value: object, depth: int) -> Any:
    try:
        return _copied(value, depth + 1)
    except JsonTextError as fault:
        raise _inside(key, fault) from fault


def _usual_length(value: int) -> int:
    if value.bit_length() > _MAX_BITS:
        msg = f"a whole number has more than {MAX_DIGITS:,} digits"
        raise JsonTextError(msg)
    return value


def _check_depth(depth: int) -> None:
    if depth >= MAX_DEPTH:
        raise JsonTextError(_too_deep())


def _inside(key: object, fault: JsonTextError) -> JsonTextError:
    step = f"[{key}]" if isinstance(key, int) else str(key)
    between = "." if fault.place and not fault.place.startswith("[") else ""
    # A fault of the nesting is deep by nature: its whole way would only hide the message.
    place = f"{step}{between}{fault.place}" if len(fault.place) < 80 else f"{step}…"
    return JsonTextError(fault.what, place)


def _no_json_form(value: object) -> str:
    return f"a value of kind {type(value).__name__} has no place in a flow file"
