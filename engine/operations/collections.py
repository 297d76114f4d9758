"""Getting, adding, removing and replacing what lists and records hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import NodeError
from engine.language.words import kind_of, nearest, shown
from engine.node_tools import is_list
from engine.operations.convert import as_list, as_text, as_whole_number
from engine.operations.identity import identity
from engine.operations.read_json import read_json, sentence


def collection(value: Any) -> list[Any] | dict[str, Any]:
    """A list or a record as a new one of its own; a text must be the JSON of one.

    Raises:
        NodeError: It is neither.
    """
    found = value
    if isinstance(value, str):
        found = read_json(value, sentence(shown(value)), "Give a list or a record.")
    if isinstance(found, Mapping):
        return dict(found)
    if is_list(found):
        return list(found)
    raise NodeError(
        f"A list or a record is needed here, not {shown(value)}.",
        "Give a variable or an output that holds one, for example {{ input }}.",
    )


def get(value: Any, key: Any, *default: Any) -> Any:
    """What stands under a key of a record, or at a position of a list, counted from 0.

    Raises:
        NodeError: There is nothing there, and no default.
    """
    held = collection(value)
    try:
        return held[_place(held, key)]
    except NodeError:
        if default:
            return default[0]
        raise


def _place(held: list[Any] | dict[str, Any], key: Any) -> Any:
    """The key or position as it is in `held`.

    Raises:
        NodeError: It is not there.
    """
    if isinstance(held, dict):
        name = key if isinstance(key, str) else as_text(key)
        if name in held:
            return name
        near = nearest(name, held)
        raise NodeError(
            f"The record has no key '{name}'" + (f"; did you mean '{near}'?" if near else "."),
            f"It has: {', '.join(list(held)[:8])}." if held else "It is empty.",
        )
    position = as_whole_number(key)
    if -len(held) <= position < len(held):
        return position
    raise NodeError(
        f"The list has no position {position}: it has {len(held)} items.",
        "The first position is 0; -1 is the last.",
    )


def add(value: Any, item: Any, key: Any, position: int | None) -> list[Any] | dict[str, Any]:
    """A list with one more item, or a record with one more key.

    Raises:
        NodeError: The record has the key already, or none is given.
    """
    held = collection(value)
    if isinstance(held, dict):
        if key is None:
            raise NodeError("A key is needed to add something to a record.", "Fill in Key.")
        name = as_text(key)
        if name in held:
            raise NodeError(f"The record has a key '{name}' already.", "Use *Replace*.")
        return {**held, name: item}
    where = len(held) if position is None else position
    if not -len(held) <= where <= len(held):
        raise NodeError(
            f"Nothing can be added at position {where}: the list has {len(held)} items.",
            "Leave the position empty to add at the end.",
        )
    held.insert(where, item)
    return held


def without_key(value: Any, key: Any) -> list[Any] | dict[str, Any]:
    """A record without a key, or a list without the item at a position.

    Raises:
        NodeError: It is not there.
    """
    held = collection(value)
    del held[_place(held, key)]
    return held


def without_item(value: Any, item: Any) -> list[Any] | dict[str, Any]:
    """A list without the items, or a record without the keys, whose value is `item`."""
    held, gone = collection(value), identity(item)
    if isinstance(held, dict):
        return {key: inner for key, inner in held.items() if identity(inner) != gone}
    return [inner for inner in held if identity(inner) != gone]


def with_key(value: Any, key: Any, item: Any) -> list[Any] | dict[str, Any]:
    """A record or list with another value under a key or at a position that is there.

    Raises:
        NodeError: It is not there.
    """
    held = collection(value)
    held[_place(held, key)] = item
    return held


def with_item(value: Any, old: Any, new: Any) -> Any:
    """A list, record or text in which every `old` has become `new`.

    Raises:
        NodeError: Texts are replaced in a text, and one of the two is none.
    """
    if isinstance(value, str):
        if old == "":
            raise NodeError("An empty text cannot be replaced.", "Fill in what to look for.")
        return value.replace(as_text(old), as_text(new))
    held, gone = collection(value), identity(old)
    if isinstance(held, dict):
        return {key: new if identity(each) == gone else each for key, each in held.items()}
    return [new if identity(each) == gone else each for each in held]


def count(value: Any, *item: Any) -> int:
    """How many items, keys or characters there are; with `item`, how often it occurs.

    Raises:
        NodeError: There is nothing to count.
    """
    if isinstance(value, str):
        if item and item[0] == "":
            raise NodeError("An empty text cannot be counted.", "Fill in what to count.")
        return value.count(as_text(item[0])) if item else len(value)
    if not isinstance(value, Mapping) and not is_list(value):
        raise NodeError(sentence(f"{kind_of(value)} has nothing to count."))
    if not item:
        return len(value)
    held = collection(value)
    wanted = identity(item[0])
    return sum(identity(e) == wanted for e in (held.values() if isinstance(held, dict) else held))


def merged(value: Any, other: Any, *, deep: bool) -> list[Any] | dict[str, Any]:
    """Two lists one behind the other, or one record laid over another.

    Raises:
        NodeError: One is a list and the other a record.
    """
    one, two = collection(value), collection(other)
    if isinstance(one, dict) and isinstance(two, dict):
        return _laid_over(one, two) if deep else {**one, **two}
    if isinstance(one, list) and isinstance(two, list):
        return [*one, *two]
    raise NodeError("A list and a record cannot be merged.", "Merge two lists or two records.")


def _laid_over(one: Mapping[str, Any], two: Mapping[str, Any]) -> dict[str, Any]:
    both = dict(one)
    for key, new in two.items():
        old = both.get(key)
        inner = isinstance(old, Mapping) and isinstance(new, Mapping)
        both[key] = _laid_over(old, new) if inner else new  # type: ignore[arg-type]
    return both


def unique(value: Any, by: str) -> list[Any]:
    """The items of a list, the first of each kind, in their order."""
    first: dict[Any, Any] = {}
    for item in as_list(value):
        first.setdefault(identity(get(item, by) if by else item), item)
    return list(first.values())
