"""Takes one value out of an output, or says which step of the way was not there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from engine.flow.names import nearest
from engine.flow.pins.path import EVERY, Pin, PinStep, parse_pin, pin_text

_KEYS_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at the end of the way; any value, None included."""

    value: Any


@dataclass(frozen=True, slots=True)
class Miss:
    """The way ends early; `reason` names the step, such as `items[3]: the list has 2 items`."""

    reason: str


def extract(value: Any, pin: Pin | str) -> Found | Miss:
    """What a pin finds in a value.

    `[*]` collects from every item of a list, in order; a second one collects lists of lists.
    Only data are looked into: keys of mappings and items of lists, never attributes.

    Raises:
        PinError: `pin` is a text that is no pin.
    """
    steps = parse_pin(pin).steps if isinstance(pin, str) else pin.steps
    return _walk(value, steps, 0, ())


def _walk(
    value: Any, steps: tuple[PinStep, ...], begin: int, way: tuple[PinStep, ...]
) -> Found | Miss:
    """Follows the steps from `begin`; `way` is how `value` was reached, once `[*]` made choices."""
    for number in range(begin, len(steps)):
        step = steps[number]
        if isinstance(step, str):
            # The plain types first: asking an abstract base class costs far more.
            if not (type(value) is dict or isinstance(value, Mapping)) or step not in value:
                return _miss(value, step, (*way, *steps[begin:number]))
            value = value[step]
        elif step is EVERY:
            return _collected(value, steps, number, (*way, *steps[begin:number]))
        else:
            if not (type(value) is list or _is_list(value)) or not -len(value) <= step < len(value):
                return _miss(value, step, (*way, *steps[begin:number]))
            value = value[step]
    return Found(value)


def _collected(
    value: Any, steps: tuple[PinStep, ...], number: int, way: tuple[PinStep, ...]
) -> Found | Miss:
    if not _is_list(value):
        return _miss(value, EVERY, way)
    collected = []
    for index, item in enumerate(value):
        found = _walk(item, steps, number + 1, (*way, index))
        if isinstance(found, Miss):
            return found
        collected.append(found.value)
    return Found(collected)


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))


def _miss(value: object, step: PinStep, way: tuple[PinStep, ...]) -> Miss:
    why = _no_key(value, step) if isinstance(step, str) else _no_item(value, step)
    return Miss(f"{pin_text((*way, step))}: {why}")


def _no_key(value: object, key: str) -> str:
    if not isinstance(value, Mapping):
        hint = " (write [0] for its first item)" if _is_list(value) else ""
        return f"a key is looked up in {_kind(value)}, which has none{hint}"
    if not value:
        return "the object is empty"
    known = [str(name) for name in islice(value, _KEYS_LOOKED_AT)]
    hint = nearest(key, known)
    if hint:
        return f"there is no such key. {hint}"
    return f"there is no such key; there is {_listed(known, len(value))}"


def _listed(known: Sequence[str], count: int) -> str:
    shown = ", ".join(_short(name) for name in known[:5])
    return f"{shown} and {count - 5} more" if count > 5 else shown


def _no_item(value: object, step: PinStep) -> str:
    if not _is_list(value):
        wanted = "every item" if step is EVERY else "an item"
        return f"{wanted} is taken from {_kind(value)}, which is not a list"
    assert isinstance(value, Sequence)
    count = len(value)
    return f"the list has {count} item{'' if count == 1 else 's'}" if count else "the list is empty"


def _kind(value: object) -> str:
    kinds: Iterable[tuple[Any, str]] = (
        (type(None), "nothing (null)"),
        (bool, "true or false"),
        ((int, float), "a number"),
        (str, "a text"),
        (Mapping, "an object"),
    )
    for kind, words in kinds:
        if isinstance(value, kind):
            return words
    return "a list" if _is_list(value) else f"a {type(value).__name__}"


def _short(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:37]}…"
