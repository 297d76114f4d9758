"""One JSON object on standard output, whatever values it holds."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import Any

from engine.cli.streams import put
from engine.flow.json_text import escape_surrogates

_BEYOND_ASCII = re.compile("[^\x00-\x7f]")
_USUAL_BITS = 14_280  # Python refuses to write longer whole numbers by itself.


def to_json(value: Any, *, indent: int | None = 2) -> str:
    """A value as JSON text that every reader of JSON and every terminal takes.

    JSON has no NaN and no infinities: they are written as the texts "NaN", "Infinity" and
    "-Infinity". Whole numbers keep all their digits; halves of surrogate pairs become escapes.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    except (ValueError, TypeError):
        # The usual values are many times faster without looking at each.
        whole = _written(value, indent, "\n")
        return escape_surrogates(whole)
    return escape_surrogates(text)


def _written(value: Any, indent: int | None, newline: str) -> str:
    if isinstance(value, float):
        return json.dumps(_float_text(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return _digits(value)
    inner = newline if indent is None else newline + " " * indent
    begin, between = ("", ", ") if indent is None else (inner, f",{inner}")
    end = "" if indent is None else newline
    if isinstance(value, Mapping) and value:
        parts = (
            f"{json.dumps(str(key), ensure_ascii=False)}: {_written(each, indent, inner)}"
            for key, each in value.items()
        )
        return f"{{{begin}{between.join(parts)}{end}}}"
    if isinstance(value, (list, tuple)) and value:
        items = (_written(each, indent, inner) for each in value)
        return f"[{begin}{between.join(items)}{end}]"
    return json.dumps(value, ensure_ascii=False)


def _float_text(value: float) -> float | str:
    if value != value:
        return "NaN"
    if value - value != 0.0:
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _digits(value: int) -> str:
    if value.bit_length() <= _USUAL_BITS:
        return int.__repr__(value)
    from decimal import Decimal  # Late: whole numbers of thousands of digits are rare.

    return str(Decimal(value))


def print_json(value: Mapping[str, Any]) -> None:
    """Prints a value as the one JSON object of this call."""
    text = to_json(value)
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    if encoding not in ("utf8", "utf_8"):
        text = _BEYOND_ASCII.sub(_escaped, text)
    put(sys.stdout, text + "\n")


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]
