"""Values that must fit the declared type of a flow variable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import NodeError
from engine.flow.document import Variable
from engine.run.values import in_short

_WORDS = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "list": "a list",
    "object": "an object",
}


def fit(variable: Variable, value: Any) -> Any:
    """The value, converted where nothing is lost by it; None is always allowed.

    Raises:
        NodeError: It does not fit.
    """
    kind = variable.type
    if kind == "any" or value is None:
        return value
    fitted = _FITTERS[kind](value)
    if fitted is _MISFIT:
        shown = in_short(value)
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        msg = f"it must be {_WORDS[kind]}, but got {shown}."
        raise NodeError(msg, "Change the value, or the variable's type.")
    return fitted


class _Misfit:
    pass


_MISFIT = _Misfit()


def _string(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, (int, float)):
        return _MISFIT
    try:
        return str(value)
    except ValueError:  # Python writes no whole number of more than 4,300 digits.
        return _MISFIT


def _number(value: Any) -> Any:
    if isinstance(value, bool):
        return _MISFIT
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, str):
        return _read_number(value.strip())
    return _MISFIT


def _read_number(text: str) -> Any:
    for convert in (int, float):
        try:
            number = convert(text)
        except ValueError:
            continue
        # A text that is too large for a number would silently become "infinite".
        lost = isinstance(number, float) and math.isinf(number) and "inf" not in text.lower()
        return _MISFIT if lost else number
    return _MISFIT


def _integer(value: Any) -> Any:
    number = _number(value)
    if isinstance(number, float):
        whole = math.isfinite(number) and number.is_integer()
        return int(number) if whole else _MISFIT
    return number


def _boolean(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower(), _MISFIT)
    return _MISFIT


def _list(value: Any) -> Any:
    is_list = isinstance(value, Sequence) and not isinstance(value, (str, bytes))
    return value if is_list else _MISFIT


def _object(value: Any) -> Any:
    return value if isinstance(value, Mapping) else _MISFIT


_FITTERS = {
    "string": _string,
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
    "list": _list,
    "object": _object,
}
