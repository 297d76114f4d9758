"""Values of a run are plain JSON values: what nodes give is made so, or refused in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from engine.errors import NodeError

_SCALARS = frozenset((str, int, float, bool, type(None)))
_TEXT = frozenset((str,))
MAX_DEPTH = 200


def plain(value: Any, depth: int = 0) -> Any:
    """The value as JSON data; unchanged parts are shared, not copied.

    Raises:
        NodeError: It holds something that is not data, or is nested too deeply.
    """
    kind = type(value)
    if kind in _SCALARS:
        return value
    if depth > MAX_DEPTH:
        msg = f"The value is nested more than {MAX_DEPTH} levels deep."
        raise NodeError(msg, "Give a flatter value, or one that does not hold itself.")
    if kind is dict:
        return value if _is_flat(value) else _plain_dict(value, depth)
    if kind is list:
        return _plain_list(value, depth)
    return _converted(value, depth)


def in_short(value: Any) -> str:
    """The value as Python writes it, for a message; what it refuses to write is told by kind."""
    try:
        return repr(value)
    except ValueError:  # whole numbers of more than 4,300 digits
        return f"a very long {type(value).__name__}"


def _plain_list(value: list[Any], depth: int) -> list[Any]:
    if _SCALARS.issuperset(map(type, value)):
        return value
    made: list[Any] | None = None
    for place, item in enumerate(value):
        kind = type(item)
        if kind in _SCALARS or (kind is dict and _is_flat(item)):
            continue
        part = plain(item, depth + 1)
        if part is not item:
            made = list(value) if made is None else made
            made[place] = part
    return value if made is None else made


def _is_flat(value: dict[Any, Any]) -> bool:
    """Whether an object holds nothing but text, numbers and the like: the commonest by far."""
    # Sets ask this of all items at once, several times as fast as a loop.
    return _SCALARS.issuperset(map(type, value.values())) and _TEXT.issuperset(map(type, value))


def _plain_dict(value: dict[Any, Any], depth: int) -> Any:
    made = {}
    same = True
    for key, item in value.items():
        if type(key) is not str:
            same = False
        name = key if type(key) is str else _key(key)
        made[name] = part = plain(item, depth + 1)
        same = same and part is item
    return value if same else made


def _key(key: Any) -> str:
    if isinstance(key, str):
        return str(key)
    if isinstance(key, (bool, type(None))) or not isinstance(key, (int, float)):
        msg = f"The name {key!r} in an object is not text."
        raise NodeError(msg, "Names in objects must be text.")
    return str(key)


def _converted(value: Any, depth: int) -> Any:
    if isinstance(value, Enum):
        return plain(value.value, depth + 1)
    for base in (str, bool, int, float):
        if isinstance(value, base):
            return base(value)
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, (Decimal, UUID)):
        return str(value)
    if isinstance(value, Mapping):
        return _plain_dict(dict(value), depth)
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item, depth + 1) for item in value), key=repr)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [plain(item, depth + 1) for item in value]
    if hasattr(value, "model_dump"):
        return plain(value.model_dump(mode="json"), depth + 1)
    msg = f"A value of the kind '{type(value).__name__}' cannot be passed on."
    raise NodeError(msg, "Give text, numbers, true/false, lists or objects.")
