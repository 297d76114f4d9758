"""Values on their way into and out of a box: copied, checked, and written as text.

On the wire a value is JSON after one letter. `p`: plain JSON. `t`: JSON in which every text
begins with `s`, so that `i-0xff` can be a whole number of any size and `nNaN` a number that JSON
lacks. `e`: a fault, as JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import NodeError
from engine.language.words import kind_of
from engine.sandbox.limits import DEEPEST, MOST_VALUES

_LARGEST_SAFE = 2**53 - 1
_SPECIAL_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class Copy:
    """A deep copy of one value as dict, list and scalars; read-only views become plain.

    Args:
        value: What is copied.
        name: The name by which the code sees it, for messages.

    Raises:
        NodeError: It is too large, nested too deeply, or holds something that is no data.
    """

    __slots__ = ("_left", "_name", "half_characters", "special", "value")

    def __init__(self, value: Any, name: str = "inputs") -> None:
        self._left = MOST_VALUES
        self._name = name
        self.special = False
        """Whether it holds a number that JavaScript's JSON would not keep."""
        self.half_characters = False
        """Whether a text in it is no valid Unicode: it holds a lone surrogate."""
        self.value = self._copied(value, 0)

    def _copied(self, value: Any, depth: int) -> Any:
        self._left -= 1
        if self._left < 0:
            raise NodeError(
                f"`{self._name}` is too large for code: it holds more than {MOST_VALUES:,} values.",
                "Hand over only the part that the code needs, as an input of its own.",
            )
        if depth > DEEPEST:
            raise NodeError(
                f"`{self._name}` is nested more than {DEEPEST} levels deep.",
                "Hand over only the part that the code needs.",
            )
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int | float):
            return self._number(value)
        return self._container(value, depth + 1)

    def _text(self, text: str) -> str:
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                self.half_characters = True
        return text

    def _number(self, number: float) -> float:
        if isinstance(number, int):
            self.special |= not -_LARGEST_SAFE <= number <= _LARGEST_SAFE
        else:
            self.special |= not math.isfinite(number)
        return number

    def _container(self, value: Any, depth: int) -> Any:
        if isinstance(value, Mapping):
            return {self._key(key): self._copied(value[key], depth) for key in value}
        if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
            return [self._copied(item, depth) for item in value]
        raise NodeError(
            f"`{self._name}` holds {kind_of(value)} ({type(value).__name__}), which code cannot "
            "take.",
            "Code takes texts, numbers, yes/no values, lists and records.",
        )

    def _key(self, key: Any) -> str:
        if not isinstance(key, str):
            raise NodeError(f"`{self._name}` has a key that is no text: {key!r}.")
        return self._text(key)


def to_wire(copy: Copy) -> str:
    """A copied value as text, for JavaScript; ASCII only."""
    if copy.special:
        return "t" + json.dumps(_tagged(copy.value))
    return "p" + json.dumps(copy.value)


def _tagged(value: Any) -> Any:
    if isinstance(value, str):
        return "s" + value
    if isinstance(value, dict):
        return {key: _tagged(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_tagged(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nNaN" if math.isnan(value) else "nInfinity" if value > 0 else "n-Infinity"
    if type(value) is int and not -_LARGEST_SAFE <= value <= _LARGEST_SAFE:
        return f"i{value:#x}"
    return value


def from_wire(text: str) -> Any:
    """The value that a box wrote.

    Raises:
        ValueError: The text was not written by a box.
    """
    mode, body = text[:1], text[1:]
    if mode not in ("p", "t"):
        msg = "a box's answer begins with p or t"
        raise ValueError(msg)
    try:
        value = json.loads(body)
        return _untagged(value) if mode == "t" else value
    except (RecursionError, IndexError, KeyError) as fault:
        msg = "a box's answer is damaged"
        raise ValueError(msg) from fault


def _untagged(value: Any) -> Any:
    if isinstance(value, str):
        tag, rest = value[0], value[1:]
        return rest if tag == "s" else int(rest, 16) if tag == "i" else _SPECIAL_NUMBERS[rest]
    if isinstance(value, dict):
        return {key: _untagged(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_untagged(inner) for inner in value]
    return value
