"""JSON values as one line of bytes, read back exactly as they were.

The first byte tells the codec. A blank: JSON as orjson writes it, the usual and fast case. `~`: the
few values that orjson refuses or would change: whole numbers beyond 64 bits, NaN and infinities,
halves of surrogate pairs, nesting beyond its limit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any, TypeGuard

import orjson

from engine.errors import JournalError

FAST = b" "
EXACT = b"~"
MAX_DEPTH = 300
"""Levels of lists and objects that can be kept; the reader gives up somewhat later."""

_OPTIONS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
_ALWAYS_FINITE = frozenset({str, int, bool, type(None)})
_NO_LISTS = (str, bytes, bytearray, memoryview)
_USUAL_DIGITS = 4_300  # Python refuses to read and write longer whole numbers by itself.
_USUAL_BITS = 14_280


def encode(value: Any) -> bytes:
    """One line without its line feed. Tuples and sequences become lists, mappings objects.

    Raises:
        JournalError: It holds something that is no JSON value; the message says where.
    """
    try:
        text = orjson.dumps(value, default=_plain, option=_OPTIONS)
    except TypeError:
        return EXACT + _exact_text(value)
    # orjson writes NaN and infinities as null without a word.
    if b"null" in text and _holds_non_finite((value,)):
        return EXACT + _exact_text(value)
    return FAST + text


def decode(line: bytes | memoryview) -> Any:
    """The value of a line that `encode` made.

    Raises:
        ValueError: It is no such line.
    """
    codec, text = bytes(line[:1]), line[1:]
    if codec == FAST:
        return orjson.loads(text)
    if codec != EXACT:
        msg = f"unknown codec {codec!r}"
        raise ValueError(msg)
    try:
        # Raw surrogates, not escapes: two escaped halves would be read as one character.
        return json.loads(str(text, "utf-8", "surrogatepass"), parse_int=_whole_number)
    except RecursionError:
        msg = "nested too deep"
        raise ValueError(msg) from None


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if _is_list(value):
        return list(value)
    if isinstance(value, float):
        return float(value)
    raise TypeError


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, _NO_LISTS)


def _holds_non_finite(values: Iterable[Any]) -> bool:
    for value in values:
        kind = type(value)
        if kind in _ALWAYS_FINITE:
            continue
        if kind is dict:
            if _holds_non_finite(value.values()):
                return True
        elif kind is list or kind is tuple:
            if _holds_non_finite(value):
                return True
        elif isinstance(value, float):
            if value - value != 0.0:
                return True
        elif isinstance(value, Mapping):
            if _holds_non_finite(value.values()):
                return True
        elif _is_list(value) and _holds_non_finite(value):
            return True
    return False


def _exact_text(value: object) -> bytes:
    pieces: list[str] = []
    place: list[str | int] = []
    try:
        _write(value, pieces, place)
    except RecursionError:
        raise _too_deep(place) from None
    return "".join(pieces).encode("utf-8", "surrogatepass")


def _write(value: object, pieces: list[str], place: list[str | int]) -> None:
    if isinstance(value, str):
        pieces.append(encode_basestring(value))
    elif value is None or isinstance(value, (bool, int, float)):
        pieces.append(_scalar(value))
    elif isinstance(value, Mapping):
        _write_object(value, pieces, place)
    elif _is_list(value):
        _write_list(value, pieces, place)
    else:
        raise _unfit(place, f"a value of kind {type(value).__name__} cannot be kept")


def _write_object(value: Mapping[Any, object], pieces: list[str], place: list[str | int]) -> None:
    _refuse_depth(place)
    mark = "{"
    for name, item in value.items():
        if not isinstance(name, str):
            raise _unfit(place, f"the name {name!r} is {type(name).__name__}, not text")
        pieces += mark, encode_basestring(name), ":"
        mark = ","
        place.append(name)
        _write(item, pieces, place)
        place.pop()
    pieces.append("{}" if mark == "{" else "}")


def _write_list(value: Any, pieces: list[str], place: list[str | int]) -> None:
    _refuse_depth(place)
    mark = "["
    for index, item in enumerate(value):
        pieces.append(mark)
        mark = ","
        place.append(index)
        _write(item, pieces, place)
        place.pop()
    pieces.append("[]" if mark == "[" else "]")


def _scalar(value: float | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _digits(value)
    if value != value:
        return "NaN"
    if value - value != 0.0:
        return "Infinity" if value > 0 else "-Infinity"
    return float.__repr__(value)


def _digits(value: int) -> str:
    if value.bit_length() <= _USUAL_BITS:
        return int.__repr__(value)
    # Decimal has no limit on digits and is exact.
    from decimal import Decimal

    return str(Decimal(value))


def _whole_number(digits: str) -> int:
    if len(digits) <= _USUAL_DIGITS:
        return int(digits)
    from decimal import Decimal

    return int(Decimal(digits))


def _refuse_depth(place: list[str | int]) -> None:
    if len(place) >= MAX_DEPTH:
        raise _too_deep(place)


def _too_deep(place: list[str | int]) -> JournalError:
    return _unfit(place[:6], f"lists and objects are nested more than {MAX_DEPTH} levels deep")


def _unfit(place: list[str | int], what: str) -> JournalError:
    where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return JournalError(
        f"{where.removeprefix('.') or 'The value'}: {what}.",
        "Only text, numbers, true, false, null, lists and objects can be kept.",
    )
