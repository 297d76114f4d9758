r"""The written form of a pin: `result.items[0].name`, `["key with.dots"]`, `[-1]`, `items[*].name`.

A bare name is any run of characters but white space and `. [ ] " ' \ *`; every other key stands in
brackets and quotes, with the escapes of JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Final

from engine.errors import PinError

TOOLS_PIN: Final = "tools"
"""The source pin of an edge from an agent to a node that its model may call."""

MOST_STEPS = 64
_MOST_CHARACTERS = 4_000


class _Every(Enum):
    EVERY = "*"

    def __repr__(self) -> str:
        return "EVERY"


EVERY: Final = _Every.EVERY
"""The step `[*]`: every item of a list."""

PinStep = str | int | _Every


@dataclass(frozen=True, slots=True)
class Pin:
    """A parsed pin. Two pins are equal when they lead to the same place, however written.

    Args:
        steps: A key, an index (negative from the end) or EVERY for each step.
        text: As it was written.
    """

    steps: tuple[PinStep, ...]
    text: str = field(compare=False)

    def __str__(self) -> str:
        return self.text


_STEP = re.compile(
    r"""
      (?P<dot>\.)? (?P<name>[^\s.\[\]"'\\*]+)
    | \[ \s* (?:
          (?P<index>-?[0-9]{1,15})
        | (?P<every>\*)
        | (?P<double>"(?:[^"\\]|\\.)*")
        | (?P<single>'(?:[^'\\]|\\.)*')
      ) \s* \]
    """,
    re.VERBOSE | re.DOTALL,
)
_BARE = re.compile(r"""[^\s.\[\]"'\\*]+""")


@lru_cache(maxsize=8_192)
def parse_pin(text: str) -> Pin:
    """The pin that a text stands for.

    Raises:
        PinError: No pin; says what is wrong at which character.
    """
    if not text:
        raise PinError("The pin is empty.", "Write a name such as result.items[0].name.")
    if len(text) > _MOST_CHARACTERS:
        raise PinError(f"The pin '{text[:40]}…' is too long.", "Does it hold a value by mistake?")
    steps: list[PinStep] = []
    position = 0
    while position < len(text):
        found = _STEP.match(text, position)
        if found is None or (found["name"] and (found["dot"] is None) == bool(steps)):
            raise _fault(text, position)
        steps.append(_step(text, found))
        position = found.end()
    if len(steps) > MOST_STEPS:
        raise PinError(f"The pin '{text[:40]}…' has more than {MOST_STEPS} steps.", "Shorten it.")
    return Pin(tuple(steps), text)


def pin_text(steps: Sequence[PinStep]) -> str:
    """The usual way to write the pin with these steps."""
    parts = [_written(step) for step in steps]
    return "".join(parts).removeprefix(".")


def _written(step: PinStep) -> str:
    if step is EVERY:
        return "[*]"
    if isinstance(step, int):
        return f"[{step}]"
    name = str(step)
    return f".{name}" if _BARE.fullmatch(name) else f"[{json.dumps(name, ensure_ascii=False)}]"


def _step(text: str, found: re.Match[str]) -> PinStep:
    if found["name"]:
        return found["name"]
    if found["index"]:
        return int(found["index"])
    if found["every"]:
        return EVERY
    return _quoted(text, found)


def _quoted(text: str, found: re.Match[str]) -> str:
    quoted = found["double"] or _in_double_quotes(found["single"])
    try:
        # Not strict: a key may hold a line break as it is.
        key: str = json.loads(quoted, strict=False)
    except json.JSONDecodeError as fault:
        msg = f"In the pin '{_short(text)}': {quoted} is not a quoted key."
        hint = 'Inside quotes write \\" for a quote and \\\\ for a backslash.'
        raise PinError(msg, hint, str(fault)) from fault
    return key


def _in_double_quotes(single: str) -> str:
    inner = re.sub(r"\\(.)|\"", _requoted, single[1:-1], flags=re.DOTALL)
    return f'"{inner}"'


def _requoted(found: re.Match[str]) -> str:
    if found[0] == '"':
        return '\\"'
    return "'" if found[1] == "'" else found[0]


def _fault(text: str, position: int) -> PinError:
    rest = text[position:]
    where = f"In the pin '{_short(text)}', at character {position + 1}"
    if rest.startswith("["):
        msg = f"{where}: this is no step in brackets."
        hint = 'In brackets stands a number, a star or a quoted key: [0], [-1], [*], ["a key"].'
    elif rest.startswith("."):
        msg = f"{where}: {'a pin' if position == 0 else 'this'} needs a name after each dot."
        msg = msg if position else f"{where}: a pin does not begin with a dot."
        hint = "Write names with one dot between them: result.items[0].name."
    elif rest[0] in "\"'\\*]" or rest[0].isspace():
        msg = f"{where}: {rest[0]!r} cannot stand in a bare name."
        hint = 'Put such a key in brackets and quotes: ["first name"].'
    else:
        msg = f"{where}: there is a dot missing before '{_short(rest)}'."
        hint = "Write a dot between brackets and a name: items[0].name."
    return PinError(msg, hint)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"
