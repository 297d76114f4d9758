"""When two values count as the same, and how they are put in order."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from engine.errors import NodeError
from engine.language.words import kind_of
from engine.node_tools import is_list
from engine.operations.read_json import sentence


def identity(value: Any) -> Hashable:
    """Equal for values that are the same: 1 and 1.0 are, True and 1 are not."""
    if isinstance(value, bool):
        return ("yes/no", value)
    if isinstance(value, Mapping):
        return ("record", frozenset((key, identity(value[key])) for key in value))
    if is_list(value):
        return ("list", tuple(identity(item) for item in value))
    if isinstance(value, float) and value != value:
        return ("not a number",)
    hashable: Hashable = value
    return hashable


def in_order(
    items: Sequence[Any], by: Callable[[Any], Any], *, descending: bool, ignore_case: bool
) -> list[Any]:
    """The items sorted; those that are equal keep their order.

    Raises:
        NodeError: They are of kinds that cannot be compared.
    """
    keys = [by(item) for item in items]
    for key in keys:
        if not isinstance(key, str | int | float) or (isinstance(key, float) and key != key):
            raise NodeError(
                sentence(f"{kind_of(key)} cannot be sorted."),
                "Numbers or texts can. For records, say by which key.",
            )
    if len({_kind(key) for key in keys}) > 1:
        kinds = " and ".join(sorted({kind_of(key) for key in keys}))
        raise NodeError(
            f"The list mixes {kinds}, which cannot be sorted together.",
            "Convert the items to one kind first.",
        )
    ready = [key.casefold() if ignore_case and isinstance(key, str) else key for key in keys]
    # Sorting backwards with `reverse` keeps equal items in their order as well.
    places = sorted(range(len(items)), key=lambda i: ready[i], reverse=descending)
    return [items[place] for place in places]


def _kind(key: Any) -> str:
    return "text" if isinstance(key, str) else "yes/no" if isinstance(key, bool) else "number"
