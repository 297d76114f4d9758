"""JSONPath queries, with faults in words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from engine.errors import NodeError

_LONGEST = 1_000
_MOST_DESCENTS = 3
_POSITION = re.compile(r"(?: at (?:\d+:)?| col )(\d+)")
_ONE = frozenset({"Root", "This", "Len", "Keys", "SortedThis"})
_NOT_OFFERED = frozenset({"Operation", "Sub", "Split", "Str"})
_HINT = "A query begins with $ for the whole: $.items[0].name, or $.items[*].name for every name."


def query(value: Any, text: str) -> Any:
    """What a query finds: one value for a path that can lead to one, else a list of all.

    Raises:
        NodeError: The query is faulty, or finds nothing.
    """
    path = _parsed(text)
    try:
        found = [match.value for match in path.find(value)]
    except (RecursionError, TypeError, ValueError, KeyError, IndexError, AttributeError) as fault:
        raise NodeError(
            f"The query `{_shown(text)}` does not fit the data.", _HINT, str(fault)
        ) from None
    if not found:
        raise NodeError(
            f"The query `{_shown(text)}` finds nothing in the data.",
            "Compare it with the data: names must match exactly, with their capitals.",
        )
    return found[0] if _leads_to_one(path) else found


@lru_cache(maxsize=128)
def _parsed(text: str) -> Any:
    if len(text) > _LONGEST:
        raise NodeError(f"The query is longer than {_LONGEST:,} characters.", _HINT)
    # Loaded late: it builds its grammar when it is imported.
    from jsonpath_ng.exceptions import JSONPathError
    from jsonpath_ng.ext.parser import parse

    try:
        path = parse(text)
    except JSONPathError as fault:
        raise _fault(text, str(fault)) from None
    # The parser lets through what its own errors do not cover.
    except Exception as fault:  # noqa: BLE001
        raise _fault(text, str(fault)) from None
    _check(path, text)
    return path


def _fault(text: str, reason: str) -> NodeError:
    found = _POSITION.search(reason)
    place = f" at character {int(found[1]) + 1}" if found else ""
    if "near the end" in reason or "end of string" in reason:
        place = " at its end"
    return NodeError(f"The query `{_shown(text)}` cannot be read{place}.", _HINT, reason)


def _shown(text: str) -> str:
    return text if len(text) <= 80 else text[:80] + "…"


def _check(path: Any, text: str) -> None:
    """Keeps out what can take endless time: patterns, sums of products, repeated descents."""
    parts = list(_parts(path))
    names = [type(part).__name__ for part in parts]
    if names.count("Descendants") > _MOST_DESCENTS:
        raise NodeError(
            f"The query `{_shown(text)}` searches all levels (`..`) more than "
            f"{_MOST_DESCENTS} times.",
            _HINT,
        )
    if any(name in _NOT_OFFERED for name in names) or any(
        getattr(part, "op", None) == "=~" for part in parts
    ):
        raise NodeError(
            f"The query `{_shown(text)}` uses patterns or arithmetic, which are not offered here.",
            "*Lists and records* searches by pattern and calculates.",
        )


def _parts(path: Any) -> Any:
    """Every part of a parsed query."""
    waiting, seen = [path], 0
    while waiting:
        part = waiting.pop()
        seen += 1
        if isinstance(part, list | tuple):
            waiting.extend(part)
        elif hasattr(part, "__dict__") and type(part).__module__.startswith("jsonpath_ng"):
            yield part
            waiting.extend(vars(part).values())


def _leads_to_one(path: Any) -> bool:
    name = type(path).__name__
    if name == "Child":
        return _leads_to_one(path.left) and _leads_to_one(path.right)
    if name == "Fields":
        return len(path.fields) == 1 and path.fields[0] != "*"
    if name == "Index":
        return len(getattr(path, "indices", (0,))) == 1
    return name in _ONE
