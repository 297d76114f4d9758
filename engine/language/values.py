"""The values of the language: plain data, read-only views of it, and sets that keep their order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from engine.errors import ExpressionError
from engine.language.budget import Evaluation
from engine.language.words import kind_of, sentence

SCALARS = frozenset({int, float, bool, type(None), str})
NUMBERS = frozenset({int, float, bool})
_BUILT_IN = frozenset({dict, list})
_DEEPEST = 200


class OrderedSet(Set[Any]):
    """A set that lists its members in the order in which they came, the same in every run."""

    __slots__ = ("_members",)

    def __init__(self, members: Iterable[Any] = ()) -> None:
        self._members = dict.fromkeys(members)

    def __contains__(self, member: object) -> bool:
        return member in self._members

    def __iter__(self) -> Iterator[Any]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return "{" + ", ".join(map(repr, self._members)) + "}" if self._members else "set()"


def make_set(members: Iterable[Any]) -> OrderedSet:
    """A set of the members.

    Raises:
        ExpressionError: A member is a list or a record.
    """
    try:
        return OrderedSet(members)
    except TypeError:
        raise ExpressionError(
            "A set holds texts, numbers and yes/no values only.", "Make a list instead: `[…]`."
        ) from None


def is_number(value: object) -> bool:
    """Whether it is a number; True and False count, as in Python."""
    return isinstance(value, int | float)


def is_list(value: object) -> bool:
    """Whether it is a list or a read-only view of one; a text is not."""
    return type(value) is list or (
        isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)
    )


def is_record(value: object) -> bool:
    """Whether it is a dict or a read-only view of one."""
    return type(value) is dict or isinstance(value, Mapping)


def is_container(value: object) -> bool:
    """Whether it holds other values."""
    return is_record(value) or is_list(value) or isinstance(value, Set)


def items_of(value: object, ev: Evaluation) -> Iterable[Any]:
    """What a loop over `value` goes through: items, keys or characters.

    Raises:
        ExpressionError: It has no items.
    """
    if type(value) is list or isinstance(value, str | Set | Iterator):
        return value
    if is_record(value):
        assert isinstance(value, Mapping)
        ev.spend(len(value))
        return list(value)
    if is_list(value):
        assert isinstance(value, Sequence)
        return value
    raise ExpressionError(
        f"Cannot go through {kind_of(value)} item by item.", "A list is needed here."
    )


def all_items(value: object, ev: Evaluation) -> list[Any]:
    """The items of `value` as a new list, paid for.

    Raises:
        ExpressionError: It has no items, or too many.
    """
    items = items_of(value, ev)
    if not isinstance(items, Iterator):
        ev.spend(len(items))  # type: ignore[arg-type]
    return list(items)


class Weight(NamedTuple):
    """What `weigh` found: the number of parts, and whether all are dicts, lists and scalars."""

    units: int
    plain: bool


def weigh(value: object, ev: Evaluation) -> Weight:
    """Pays for `value` written out in full, where a part that is shared counts each time.

    A list that holds one list twice, which holds one list twice … is small in memory and endless
    when compared, copied or written.

    Raises:
        ExpressionError: It is too large or too deep.
    """
    weight = 1
    ready = True
    level: list[Any] = [value]
    for _ in range(_DEEPEST):
        deeper: list[Any] = []
        units = 0
        for part in level:
            if type(part) is str:
                units += len(part) >> 6
            elif type(part) not in SCALARS:
                inner = _parts(part)
                ready = ready and type(part) in _BUILT_IN
                weight += len(inner)
                ev.spend(1 + len(inner))
                deeper.extend(inner)
        weight += units
        ev.spend(units)
        if not deeper:
            return Weight(weight, ready)
        level = deeper
    raise ExpressionError("This value is nested too deeply.")


def _parts(value: object) -> Sequence[Any]:
    if type(value) is list:
        return value
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, Set):
        return list(value)
    return value if is_list(value) else ()  # type: ignore[return-value]


def plain(value: object, ev: Evaluation, *, sets_as_lists: bool = False, depth: int = 0) -> Any:
    """A deep copy made of dict, list and scalars alone.

    Raises:
        ExpressionError: It is too large or too deep.
    """
    ev.spend(1)
    if type(value) in SCALARS:
        return value
    if depth > _DEEPEST:
        raise ExpressionError("This value is nested too deeply.")
    deeper = depth + 1
    if isinstance(value, Mapping):
        return {
            key: plain(value[key], ev, sets_as_lists=sets_as_lists, depth=deeper) for key in value
        }
    if isinstance(value, Set):
        ev.spend(len(value))
        return list(value) if sets_as_lists else value
    if is_list(value):
        assert isinstance(value, Sequence)
        return [plain(item, ev, sets_as_lists=sets_as_lists, depth=deeper) for item in value]
    return value


def python_text(value: object, ev: Evaluation, *, quoted: bool = False) -> str:
    """What `str` (`repr` when quoted) makes of a value.

    Raises:
        ExpressionError: It would be too long.
    """
    if isinstance(value, str):
        ev.spend_text(len(value))
        return repr(value) if quoted else value
    if is_container(value):
        # The worst of escapes makes ten characters of one; the copy has paid an eighth a part.
        weight = weigh(value, ev)
        ev.spend(weight.units * 8)
        ready = value if weight.plain else plain(value, ev)
        text = _no_huge_number(repr, ready)
        ev.spend_text(len(text))
        return text
    return _no_huge_number(repr, value)


def number_text(value: float) -> str:
    """A number in digits.

    Raises:
        ExpressionError: It has too many.
    """
    return _no_huge_number(repr, value)


def json_text(value: object, ev: Evaluation, *, indent: int | None = None) -> str:
    """A value as JSON.

    Raises:
        ExpressionError: It would be too long, or is no JSON value.
    """
    weight = weigh(value, ev)
    ready = value if weight.plain else plain(value, ev, sets_as_lists=True)

    def write(data: object) -> str:
        return json.dumps(data, ensure_ascii=False, indent=indent)

    try:
        return _no_huge_number(write, ready)
    except TypeError:
        raise ExpressionError(sentence(f"{kind_of(value)} cannot be written as JSON.")) from None


def _no_huge_number(write: Any, value: object) -> str:
    try:
        text = write(value)
    except ValueError:
        raise ExpressionError("A number of more than 4,300 digits cannot be shown.") from None
    assert isinstance(text, str)
    return text
