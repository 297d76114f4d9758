"""How a write joins what is there: one function per reducer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.errors import NodeError
from engine.run.values import in_short
from engine.run.views import GrowingList

Reducer = Callable[[Any, Any], Any]


def _replace(_old: Any, new: Any) -> Any:
    return new


def _append(old: Any, new: Any) -> Any:
    return _growing(old, "append to").extended((new,))


def _extend(old: Any, new: Any) -> Any:
    if not _is_list(new):
        raise _unfit("extend with", new, "a list")
    return _growing(old, "extend").extended(new)


def _add(old: Any, new: Any) -> Any:
    if old is None:
        return new
    if _is_number(old) and _is_number(new):
        return _sum(old, new)
    if isinstance(old, str) and isinstance(new, str):
        return old + new
    if _is_list(old):
        return _growing(old, "add to").extended(new if _is_list(new) else (new,))
    msg = f"{_say(new)} cannot be added to {_say(old)}."
    raise NodeError(msg, "Add numbers to numbers, text to text, items to lists.")


def _sum(old: Any, new: Any) -> Any:
    try:
        return old + new
    except OverflowError:
        msg = f"The sum of {_say(old)} and {_say(new)} is too large for a number with decimals."
        raise NodeError(msg, "Use smaller numbers, or whole numbers alone.") from None


def _merge(old: Any, new: Any) -> Any:
    if not isinstance(new, Mapping):
        raise _unfit("merge in", new, "an object")
    if old is None:
        return dict(new)
    if not isinstance(old, Mapping):
        raise _unfit("merge into", old, "an object")
    return {**old, **new}


def _min(old: Any, new: Any) -> Any:
    return _pick(old, new, min)


def _max(old: Any, new: Any) -> Any:
    return _pick(old, new, max)


def _union(old: Any, new: Any) -> Any:
    items = list(_growing(old, "join into"))
    added = new if _is_list(new) else (new,)
    missing: list[Any] = []
    for item in added:
        if not any(_equal(item, known) for known in (*items, *missing)):
            missing.append(item)
    return _growing(old, "join into").extended(missing)


def _remove(old: Any, new: Any) -> Any:
    if old is None:
        return None
    if isinstance(old, Mapping):
        return {key: value for key, value in old.items() if key != new}
    if _is_list(old):
        return [item for item in old if not _equal(item, new)]
    return None if _equal(old, new) else old


REDUCERS: Mapping[str, Reducer] = {
    "replace": _replace,
    "append": _append,
    "extend": _extend,
    "add": _add,
    "merge": _merge,
    "min": _min,
    "max": _max,
    "union": _union,
    "remove": _remove,
}


def _growing(old: Any, doing: str) -> GrowingList:
    if isinstance(old, GrowingList):
        return old
    if old is None:
        return GrowingList()
    if _is_list(old):
        return GrowingList(old)
    raise _unfit(doing, old, "a list")


def _pick(old: Any, new: Any, choose: Callable[..., Any]) -> Any:
    if old is None:
        return new
    if new is None:
        return old
    try:
        return choose(old, new)
    except TypeError:
        msg = f"{_say(new)} cannot be compared with {_say(old)}."
        raise NodeError(msg, "Compare numbers with numbers and text with text.") from None


def _equal(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _say(value: Any) -> str:
    text = in_short(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _unfit(doing: str, value: Any, wanted: str) -> NodeError:
    return NodeError(
        f"To {doing} this, it must be {wanted}; it is {_say(value)}.",
        "Change the variable's first value, or the operation.",
    )
