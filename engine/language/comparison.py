"""Comparisons that respect types: a text is never smaller than a number, it is a mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any

from engine.errors import ExpressionError
from engine.language.budget import Evaluation
from engine.language.values import (
    NUMBERS,
    SCALARS,
    OrderedSet,
    is_container,
    is_list,
    is_number,
    is_record,
    items_of,
    plain,
    weigh,
)
from engine.language.words import kind_of, shown


def equal(left: Any, right: Any, ev: Evaluation) -> bool:
    """`left == right`; values of different kinds are different."""
    if type(left) in SCALARS or type(right) in SCALARS:
        if isinstance(left, str) and isinstance(right, str):
            ev.spend(len(left) >> 6)
        return bool(left == right)
    if isinstance(left, Set) or isinstance(right, Set):
        return isinstance(left, Set) and isinstance(right, Set) and _same_members(left, right, ev)
    if is_record(left) != is_record(right) or is_list(left) != is_list(right):
        return False
    if is_container(left) and is_container(right):
        if left is right or len(left) != len(right):
            return left is right
        return bool(_comparable(left, ev) == _comparable(right, ev))
    return bool(left == right)


def _comparable(value: Any, ev: Evaluation) -> Any:
    """The value, paid for, as something that Python compares by its parts."""
    return value if weigh(value, ev).plain else plain(value, ev)


def _same_members(left: Set[Any], right: Set[Any], ev: Evaluation) -> bool:
    ev.spend(len(left) + len(right))
    return OrderedSet(left) == OrderedSet(right)


def ordered(operation: Callable[[Any, Any], Any], word: str) -> Callable[..., bool]:
    """A comparison by size, such as `<`.

    Args:
        operation: The comparison of two values of one kind.
        word: Its sign.
    """

    def run(left: Any, right: Any, ev: Evaluation) -> bool:
        if type(left) in NUMBERS and type(right) in NUMBERS:
            return bool(operation(left, right))
        if isinstance(left, str) and isinstance(right, str):
            ev.spend(len(left) >> 6)
            return bool(operation(left, right))
        if is_number(left) and is_number(right):
            return bool(operation(left, right))
        if isinstance(left, Set) and isinstance(right, Set):
            ev.spend(len(left) + len(right))
            return bool(operation(OrderedSet(left), OrderedSet(right)))
        if is_list(left) and is_list(right):
            try:
                return bool(operation(_comparable(left, ev), _comparable(right, ev)))
            except TypeError:
                raise ExpressionError(
                    f"Cannot compare the items of the two lists by `{word}`.",
                    "Lists are compared item by item; the items must be of one kind.",
                ) from None
        raise cannot_compare(left, right, word)

    return run


def cannot_compare(left: object, right: object, word: str) -> ExpressionError:
    """The error for two values of which none is smaller."""
    hint = "Both sides must be numbers, or both texts."
    if (is_number(left) and isinstance(right, str)) or (isinstance(left, str) and is_number(right)):
        hint = "`float(…)` makes a number of a text, `str(…)` a text of a number."
    elif left is None or right is None:
        hint = "Check with `is not None` first, or give a default: `context.get('x', 0)`."
    return ExpressionError(f"Cannot compare {shown(left)} with {shown(right)} by `{word}`.", hint)


def contains(item: Any, container: Any, ev: Evaluation) -> bool:
    """`item in container`."""
    if isinstance(container, str):
        if not isinstance(item, str):
            raise ExpressionError(
                f"Cannot look for {shown(item)} in a text.", "Only a text can be in a text."
            )
        ev.spend((len(container) + len(item)) >> 4)
        return item in container
    if is_record(container):
        return type(item) in SCALARS and item in container
    if isinstance(container, Set):
        return _in_set(item, container, ev)
    if not is_list(container):
        raise ExpressionError(
            f"Cannot look for something in {kind_of(container)}.",
            "After `in` stands a list, a text or a record.",
        )
    if type(container) is list and type(item) in SCALARS:
        ev.spend((len(container) >> 2) * (1 + (len(item) >> 6 if isinstance(item, str) else 0)))
        return item in container
    return position_of(item, container, ev) is not None


def _in_set(item: Any, container: Set[Any], ev: Evaluation) -> bool:
    if type(item) in SCALARS:
        return item in container
    return any(equal(item, member, ev) for member in container)


def position_of(
    item: Any, container: Any, ev: Evaluation, start: int = 0, stop: int | None = None
) -> int | None:
    """Where `item` stands first in a list between `start` and `stop`, None when it does not."""
    positions = range(len(container))[start:stop]
    scalar_units = 1 + (len(item) >> 6 if isinstance(item, str) else 0)
    for index in positions:
        ev.spend(scalar_units)
        other = container[index]
        # As in Python, a value is always found by itself, also the one that is not a number.
        if other is item or equal(item, other, ev):
            return index
    return None


def in_order(items: list[Any], ev: Evaluation, *, reverse: bool = False) -> list[Any]:
    """The items sorted, smallest first unless `reverse`.

    Raises:
        ExpressionError: Two items cannot be compared.
    """
    pay_for_ordering(items, ev)
    try:
        return sorted(items, reverse=reverse)
    except TypeError:
        raise mixed_kinds(items) from None


def pay_for_ordering(items: list[Any], ev: Evaluation) -> None:
    """Pays for comparing the items with each other.

    Raises:
        ExpressionError: They are too many, too large, or records.
    """
    rounds = len(items).bit_length()
    if all(type(item) in NUMBERS for item in items):
        ev.spend(len(items) * rounds >> 2)
        return
    for item in items:
        if isinstance(item, Mapping | Iterator):
            raise mixed_kinds(items)
    ev.spend(weigh(items, ev).units * rounds)


def mixed_kinds(items: list[Any]) -> ExpressionError:
    """The error for items that have no order."""
    kinds = list(dict.fromkeys(kind_of(item) for item in items[:1000]))
    return ExpressionError(
        f"Cannot put these in order: the list holds {' and '.join(kinds[:3])}.",
        "All items must be numbers, or all texts. Take one field of each: `[x.name for x in …]`.",
    )


def all_of(value: object, ev: Evaluation) -> bool:
    """Whether every item counts as true."""
    for item in items_of(value, ev):
        ev.spend(1)
        if not item:
            return False
    return True


def any_of(value: object, ev: Evaluation) -> bool:
    """Whether one item counts as true."""
    for item in items_of(value, ev):
        ev.spend(1)
        if item:
            return True
    return False
