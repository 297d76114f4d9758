"""The small functions that a function node offers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, Literal

from engine.errors import NodeError
from engine.language.words import shown
from engine.node_tools import is_list
from engine.operations import collections
from engine.operations.convert import as_number, as_text

FunctionName = Literal["math_add", "math_multiply", "string_concat", "dict_get", "dict_set"]

_MOST_BITS = 1_000_000


def call(name: FunctionName, inputs: Mapping[str, Any]) -> Any:
    """The value of a named function.

    Raises:
        NodeError: An input is missing or does not fit.
    """
    by_name: dict[str, Callable[[Mapping[str, Any]], Any]] = {
        "math_add": _sum,
        "math_multiply": _product,
        "string_concat": _text,
        "dict_get": _get,
        "dict_set": _set,
    }
    return by_name[name](inputs)


def _sum(inputs: Mapping[str, Any]) -> int | float:
    return reduce(_added, _numbers(inputs))


def _product(inputs: Mapping[str, Any]) -> int | float:
    return reduce(_multiplied, _numbers(inputs))


def _added(one: float, other: float) -> int | float:
    try:
        return one + other
    except OverflowError:
        raise _too_large() from None


def _multiplied(one: float, other: float) -> int | float:
    if isinstance(one, int) and isinstance(other, int):
        if one.bit_length() + other.bit_length() > _MOST_BITS:
            raise _too_large()
        return one * other
    try:
        return one * other
    except OverflowError:
        raise _too_large() from None


def _too_large() -> NodeError:
    return NodeError("The result is too large.", "Work with smaller numbers.")


def _numbers(inputs: Mapping[str, Any]) -> list[int | float]:
    """The numbers of the list `values`, else of all inputs in order."""
    numbers = []
    for name, value in _members(inputs, "two numbers, such as `a` and `b`").items():
        try:
            numbers.append(as_number(value))
        except NodeError as fault:
            raise NodeError(f"Input '{name}': {fault.message}", fault.hint) from None
    return numbers


def _text(inputs: Mapping[str, Any]) -> str:
    separator = as_text(inputs.get("separator", ""))
    others = {name: value for name, value in inputs.items() if name != "separator"}
    parts = _members(others, "texts, such as `text1` and `text2`")
    return separator.join("" if value is None else as_text(value) for value in parts.values())


def _members(inputs: Mapping[str, Any], wanted: str) -> Mapping[str, Any]:
    if "values" in inputs:
        values = inputs["values"]
        if not is_list(values):
            raise NodeError(f"Input 'values': a list is needed here, not {shown(values)}.")
        inputs = {f"values[{index}]": value for index, value in enumerate(values)}
    if not inputs:
        raise NodeError("There is nothing to work on.", f"Add {wanted}, under Inputs.")
    return inputs


def _get(inputs: Mapping[str, Any]) -> Any:
    default = (inputs["default"],) if "default" in inputs else ()
    return collections.get(_needed(inputs, "record"), _needed(inputs, "key"), *default)


def _set(inputs: Mapping[str, Any]) -> Any:
    record = inputs.get("record")
    held = collections.collection({} if record is None else record)
    key, value = _needed(inputs, "key"), _needed(inputs, "value")
    if isinstance(held, dict):
        return {**held, as_text(key): value}
    return collections.with_key(held, key, value)


def _needed(inputs: Mapping[str, Any], name: str) -> Any:
    if name not in inputs:
        raise NodeError(f"The input `{name}` is missing.", f"Add `{name}` under Inputs.")
    return inputs[name]
