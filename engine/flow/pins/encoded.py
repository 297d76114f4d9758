r"""The string forms of other systems: `result_#_key`, `result_$_0`, `tools_^_{node}_~_{field}`.

They know no escaping: a key that holds a delimiter cannot be written in them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from engine.errors import PinError
from engine.flow.pins.path import Pin, PinStep, parse_pin, pin_text

_DELIMITER = re.compile(r"_([#$@])_")
_TOOLS = "tools_^_"
_FIELD = "_~_"
_INDEX = re.compile(r"-?[0-9]{1,15}")


class ToolPin(NamedTuple):
    """A field of a node that a model may call as a tool."""

    node: str
    field: str


def parse_encoded_pin(text: str) -> Pin:
    """The pin that an encoded text stands for; an attribute (`_@_`) is read as a key.

    Raises:
        PinError: Not well formed.
    """
    name, *pairs = _DELIMITER.split(text)
    steps: list[PinStep] = [name]
    for kind, step in zip(pairs[::2], pairs[1::2], strict=True):
        steps.append(_index(text, step) if kind == "$" else step)
    if "" in steps:
        msg = f"The encoded pin '{text}' has an empty name."
        raise PinError(msg, "Each of _#_, _$_ and _@_ stands between two names.")
    return parse_pin(pin_text(steps))


def _index(text: str, step: str) -> int:
    if not _INDEX.fullmatch(step):
        msg = f"The encoded pin '{text}' has '{step}' where a whole number belongs."
        raise PinError(msg, "After _$_ stands an index: result_$_0.")
    return int(step)


def encode_pin(pin: Pin | str) -> str:
    """The encoded text of a pin: `_#_` for keys, `_$_` for indexes.

    Raises:
        PinError: The pin has no encoded form.
    """
    pin = parse_pin(pin) if isinstance(pin, str) else pin
    first, *others = pin.steps
    if not isinstance(first, str):
        raise _no_form(pin, "it does not begin with a name")
    parts = [first]
    for step in others:
        if not isinstance(step, (str, int)):
            raise _no_form(pin, "it holds [*]")
        parts.append(f"_$_{step}" if isinstance(step, int) else f"_#_{step}")
    text = "".join(parts)
    # Keys that hold, or together make up, a delimiter would be read back as something else.
    if not all(step != "" for step in pin.steps) or parse_encoded_pin(text) != pin:
        raise _no_form(pin, "a key is empty or holds a delimiter")
    return text


def _no_form(pin: Pin, why: str) -> PinError:
    msg = f"The pin '{pin}' cannot be written in the encoded form: {why}."
    return PinError(msg, "Rename the key, or take the whole value.")


def parse_encoded_tool_pin(text: str) -> ToolPin | None:
    """The node and field that a tool pin names; None when the text is no tool pin.

    Raises:
        PinError: It begins like a tool pin but does not name both.
    """
    if not text.startswith(_TOOLS):
        return None
    node, between, field = text.removeprefix(_TOOLS).partition(_FIELD)
    if not (node and between and field):
        msg = f"The tool pin '{text}' does not name a node and a field."
        raise PinError(msg, "Its form is tools_^_NODE_~_FIELD.")
    return ToolPin(node, field)


def encode_tool_pin(pin: ToolPin) -> str:
    """The encoded text of a tool pin.

    Raises:
        PinError: A name is empty, or the node's holds the delimiter.
    """
    text = f"{_TOOLS}{pin.node}{_FIELD}{pin.field}"
    if not (pin.node and pin.field) or parse_encoded_tool_pin(text) != pin:
        msg = f"The tool pin of node '{pin.node}', field '{pin.field}' cannot be written."
        raise PinError(msg, f"The node's name must not hold '{_FIELD}'.")
    return text
