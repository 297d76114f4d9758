"""Puts the values that arrived on pins together into one nested object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.errors import PinError
from engine.flow.pins.path import EVERY, Pin, PinStep, parse_pin, pin_text

MOST_INDEX = 9_999
"""The last index up to which a list grows."""


class PinClashError(PinError):
    """Two pins that cannot both hold.

    Args:
        first: Text of the pin that came first.
        second: Text of the other one.
        message: What they disagree about.
        hint: What to try.
    """

    def __init__(self, first: str, second: str, message: str, hint: str) -> None:
        super().__init__(message, hint)
        self.first = first
        self.second = second


@dataclass(slots=True)
class _Place:
    """A place in the object that is being made; `pin` is the first that asked for it."""

    pin: Pin
    inside: dict[str | int, _Place] = field(default_factory=dict)
    holds_value: bool = False
    value: Any = None


def assemble(values: Mapping[str, Any]) -> dict[str, Any]:
    """The nested object in which each pin finds its value.

    Objects and lists are made on the way; lists are filled up with None. The order of the pins
    does not matter but for the order of keys. The values themselves are neither copied nor changed.

    Args:
        values: Value by pin text.

    Raises:
        PinClashError: Two pins disagree; names both.
        PinError: A text that is no pin, or a pin that names no place.
    """
    root: dict[str | int, _Place] = {}
    for text, value in values.items():
        pin = parse_pin(text)
        _refuse_unplaceable(pin)
        _put(root, pin, value)
    return {str(key): _made(place) for key, place in root.items()}


def _refuse_unplaceable(pin: Pin) -> None:
    if not isinstance(pin.steps[0], str):
        msg = f"The target pin '{pin}' does not begin with a name."
        raise PinError(msg, "Begin with the name of an input: config.host.")
    for step in pin.steps:
        if step is EVERY:
            msg = f"The target pin '{pin}' holds [*], which only reads."
            raise PinError(msg, "Name one place, for example items[0].")
        if isinstance(step, int) and step < 0:
            msg = f"The target pin '{pin}' counts from the end of a list that is yet to be made."
            raise PinError(msg, "Count from the start: [0] is the first item.")
        if isinstance(step, int) and step > MOST_INDEX:
            msg = f"The target pin '{pin}' asks for a list of more than {MOST_INDEX + 1:,} items."
            raise PinError(msg, f"The last index is {MOST_INDEX:,}.")


def _put(root: dict[str | int, _Place], pin: Pin, value: Any) -> None:
    inside, place = root, None
    for number, step in enumerate(pin.steps):
        assert step is not EVERY
        if place is not None:
            _refuse_disagreement(place, pin, number)
        place = inside.setdefault(step, _Place(pin))
        inside = place.inside
    assert place is not None
    if place.holds_value:
        raise _clash(place.pin, pin, "lead to the same place")
    if place.inside:
        raise _clash(place.pin, pin, f"disagree: '{pin}' is a whole value, the other goes into it")
    place.holds_value, place.value, place.pin = True, value, pin


def _refuse_disagreement(place: _Place, pin: Pin, number: int) -> None:
    """Judges one step further into a place that others may have claimed."""
    if place.holds_value:
        raise _clash(place.pin, pin, f"disagree: '{place.pin}' is a whole value, the other goes in")
    step = pin.steps[number]
    for other, inner in place.inside.items():
        if isinstance(other, int) is not isinstance(step, int):
            where = pin_text(pin.steps[:number])
            what = (
                f"disagree about '{where}': {_shape(other)} for one, {_shape(step)} for the other"
            )
            raise _clash(inner.pin, pin, what)
        return


def _clash(first: Pin, second: Pin, what: str) -> PinClashError:
    msg = f"The pins '{first}' and '{second}' {what}."
    return PinClashError(first.text, second.text, msg, "Change the target pin of one of them.")


def _shape(step: PinStep) -> str:
    return "a list" if isinstance(step, int) else "an object"


def _made(place: _Place) -> Any:
    if place.holds_value:
        return place.value
    if isinstance(next(iter(place.inside)), str):
        return {str(key): _made(inner) for key, inner in place.inside.items()}
    made: list[Any] = [None] * (1 + max(key for key in place.inside if isinstance(key, int)))
    for key, inner in place.inside.items():
        if isinstance(key, int):
            made[key] = _made(inner)
    return made
