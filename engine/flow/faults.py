"""What pydantic found wrong with a flow, in a person's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from engine.flow.names import nearest as nearest
from engine.flow.names import quoted

# A number may be whole or not; pydantic reports both attempts, and the second says it all.
_FIRST_ATTEMPTS = {"int", "constrained-int"}
_LAST_ATTEMPTS = {"float", "constrained-float"}
_ROOMS = {"nodes": "node", "edges": "edge", "notes": "note", "variables": "variable"}
_KINDS = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "dict": "an object in { }",
    "tuple": "a list in [ ]",
    "list": "a list in [ ]",
    "model": "an object in { }",
}


def validation_faults(error: ValidationError, data: object) -> list[str]:
    """One line per fault, such as `node 'check': timeout_s must be greater than 0`.

    Args:
        error: What pydantic raised.
        data: What it was given; names the nodes and edges.
    """
    return list(dict.fromkeys(_line(fault, data) for fault in _faults(error)))


def part_faults(error: ValidationError, owner: str) -> list[str]:
    """As `validation_faults`, for one part of a flow; `owner` names it, such as `node 'check'`."""
    lines = (f"{owner}: {_sentence(_field(fault['loc']), fault)}" for fault in _faults(error))
    return list(dict.fromkeys(lines))


def _faults(error: ValidationError) -> list[ErrorDetails]:
    faults = error.errors(include_url=False)
    return [fault for fault in faults if not _ends_in(fault["loc"], _FIRST_ATTEMPTS)]


def _ends_in(place: Sequence[int | str], tags: set[str]) -> bool:
    return len(place) > 1 and place[-1] in tags


def _line(fault: ErrorDetails, data: object) -> str:
    place = fault["loc"]
    if len(place) >= 2 and place[0] in _ROOMS and isinstance(place[1], int):
        owner, field = _owner(str(place[0]), place[1], data), _field(place[2:])
    elif len(place) >= 2 and place[0] == "pinned":
        owner, field = f"pinned output of {quoted(str(place[1]))}", _field(place[2:])
    else:
        owner, field = "", _field(place)
    sentence = _sentence(field, fault)
    return f"{owner}: {sentence}" if owner else sentence


def _owner(room: str, index: int, data: object) -> str:
    kind, key = _ROOMS[room], "name" if room == "variables" else "id"
    part = _at(data, room, index)
    name = part.get(key) if isinstance(part, Mapping) else None
    if isinstance(name, str) and name:
        return f"{kind} {quoted(name)}"
    return f"{kind} {index + 1} of {_count(data, room)}"


def _at(data: object, room: str, index: int) -> object:
    parts = data.get(room) if isinstance(data, Mapping) else None
    return parts[index] if isinstance(parts, (list, tuple)) and index < len(parts) else None


def _count(data: object, room: str) -> int:
    parts = data.get(room) if isinstance(data, Mapping) else None
    return len(parts) if isinstance(parts, (list, tuple)) else 0


def _field(place: Sequence[int | str]) -> str:
    if _ends_in(place, _LAST_ATTEMPTS):
        place = place[:-1]
    named = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return named.removeprefix(".")


def _sentence(field: str, fault: ErrorDetails) -> str:
    if fault["type"] == "value_error" and field in {"", "extra"}:
        return str(fault["ctx"]["error"])
    if fault["type"] == "missing":
        return f"{field} is missing"
    if fault["type"] == "extra_forbidden":
        return f"{field} is not known here"
    return f"{field or 'it'} {_rule(fault)}"


def _rule(fault: ErrorDetails) -> str:
    kind, context = fault["type"], fault.get("ctx", {})
    if kind == "value_error":
        return f"is wrong: {context['error']}"
    if kind == "string_unicode":
        return "holds half a character (a lone surrogate such as \\ud800), which no file can keep"
    if kind == "literal_error":
        return _choice(context["expected"], fault["input"])
    if kind in {"string_too_short", "too_short"}:
        return "must not be empty"
    limits = {
        "greater_than": ("greater than", "gt"),
        "greater_than_equal": ("at least", "ge"),
        "less_than": ("less than", "lt"),
        "less_than_equal": ("at most", "le"),
    }
    if kind in limits:
        words, key = limits[kind]
        return f"must be {words} {_number(context[key])}"
    if kind == "finite_number":
        return "must be a finite number"
    wanted = _KINDS.get(kind.partition("_")[0])
    got = _shown(fault["input"])
    return f"must be {wanted}, not {got}" if wanted else f"is wrong: {fault['msg']}"


def _choice(expected: str, given: object) -> str:
    known = expected.replace(" or ", ", ").replace("'", "").split(", ")
    hint = nearest(given, known) if isinstance(given, str) else ""
    return f"must be {expected}, not {_shown(given)}" + (f". {hint}" if hint else "")


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _shown(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, (list, tuple)):
        return "a list"
    text = repr(value) if isinstance(value, (str, int, float)) else type(value).__name__
    return text if len(text) <= 40 else f"{text[:37]}…"
