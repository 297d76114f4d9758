"""Comparing two values as text, number or yes/no, without ever guessing."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

from engine.errors import LanguageError, NodeError
from engine.fields import text_of
from engine.language.patterns import compiled, work_of
from engine.language.words import kind_of, shown
from engine.node_tools import brief, is_list

Kind = Literal["string", "number", "boolean"]
Operation = Literal[
    "equals",
    "not equals",
    "contains",
    "not contains",
    "starts with",
    "ends with",
    "is empty",
    "is not empty",
    "matches pattern",
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "is true",
    "is false",
]

_TEXT = (
    "equals",
    "not equals",
    "contains",
    "not contains",
    "starts with",
    "ends with",
    "is empty",
    "is not empty",
    "matches pattern",
)
_NUMBER = ("=", "!=", "<", "<=", ">", ">=", "is empty", "is not empty")
_YES_NO = ("is true", "is false", "equals", "not equals")
CHOICES: Mapping[str, tuple[str, ...]] = {"string": _TEXT, "number": _NUMBER, "boolean": _YES_NO}
"""The operations that go with each kind of value."""

_NUMERAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_LONGEST_NUMERAL = 4_000


class Comparison(Protocol):
    """Two values and how to compare them."""

    @property
    def left(self) -> Any:
        """What is looked at."""

    @property
    def type(self) -> Kind:
        """How both sides are read."""

    @property
    def operation(self) -> Operation:
        """What must hold."""

    @property
    def right(self) -> Any:
        """What it is compared with."""


def check(rule: Comparison) -> bool:
    """Whether the comparison holds.

    Raises:
        NodeError: A side is not of the kind that is compared.
    """
    if rule.operation in ("is empty", "is not empty"):
        return _is_empty(rule.left) == (rule.operation == "is empty")
    by_kind: dict[str, Callable[[Any, str, Any], bool]] = {
        "string": _check_text,
        "number": _check_number,
        "boolean": _check_yes_no,
    }
    return by_kind[rule.type](rule.left, rule.operation, rule.right)


def shown_rule(rule: Comparison) -> str:
    """The comparison with the values of its sides."""
    if rule.operation in ("is empty", "is not empty", "is true", "is false"):
        return f"{brief(rule.left)} {rule.operation}"
    return f"{brief(rule.left)} {rule.operation} {brief(rule.right)}"


def _is_empty(value: Any) -> bool:
    """Nothing, an empty text, list or record; 0 and false are values."""
    if isinstance(value, bool | int | float):
        return False
    return value is None or len(value) == 0


def _check_text(left: Any, operation: str, right: Any) -> bool:
    if operation in ("equals", "not equals") and (left is None or right is None):
        return (left is right) == (operation == "equals")
    if operation in ("contains", "not contains") and is_list(left):
        found = any(text_of(item) == _text(right, "right") for item in left)
        return found == (operation == "contains")
    here, there = _text(left, "left"), _text(right, "right")
    match operation:
        case "equals" | "not equals":
            return (here == there) == (operation == "equals")
        case "contains" | "not contains":
            return (there in here) == (operation == "contains")
        case "starts with":
            return here.startswith(there)
        case "ends with":
            return here.endswith(there)
    return _matches(here, there)


def _text(value: Any, side: str) -> str:
    if value is None:
        raise NodeError(
            f"The {side} side is nothing (None), so it has no text to look into.",
            "Give it a default, or ask whether it is empty first.",
        )
    return text_of(value)


def _matches(text: str, pattern: str) -> bool:
    try:
        work_of(pattern, text)
        return compiled(pattern).search(text) is not None
    except LanguageError as error:
        raise NodeError(error.message, error.hint) from None
    except UnicodeEncodeError:
        raise NodeError("The text holds half a character (a lone surrogate).") from None


def _check_number(left: Any, operation: str, right: Any) -> bool:
    here, there = number_of(left, "left"), number_of(right, "right")
    by_name: dict[str, bool] = {
        "=": here == there,
        "!=": here != there,
        "<": here < there,
        "<=": here <= there,
        ">": here > there,
        ">=": here >= there,
    }
    return by_name[operation]


def number_of(value: Any, side: str) -> int | float:
    """A value as a number, where nothing is lost by it.

    Raises:
        NodeError: It is no number.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        text = value.strip()
        if len(text) <= _LONGEST_NUMERAL and _NUMERAL.fullmatch(text):
            number = float(text) if re.search(r"[.eE]", text) else int(text)
            if math.isfinite(number):
                return number
    raise NodeError(
        f"The {side} side is {shown(value)}, which is no number.",
        "Compare it as text, or give a number.",
    )


def _check_yes_no(left: Any, operation: str, right: Any) -> bool:
    here = _yes_no(left, "left")
    if operation in ("is true", "is false"):
        return here == (operation == "is true")
    return (here == _yes_no(right, "right")) == (operation == "equals")


def _yes_no(value: Any, side: str) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    if word in ("true", "false"):
        return word == "true"
    raise NodeError(
        f"The {side} side is {shown(value)}, which is neither true nor false.",
        f"Compare it as text or as a number; {kind_of(value)} is not taken for yes or no.",
    )
