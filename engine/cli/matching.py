"""Comparing values: the same JSON value, or one that an expectation describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CONTAINS = "contains"


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON value: 1 is 1.0 but not true, NaN is NaN."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(same(mine, theirs) for mine, theirs in pairs)
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return bool(one == other or (one != one and other != other))


def matches(expected: Any, actual: Any) -> bool:
    """Whether a value is as expected.

    `{"contains": part}` anywhere inside an expectation asks for less than the whole: a text that
    holds the part, a list with an item that matches it, an object with names that match it. A
    list of parts asks for each of them.
    """
    if isinstance(expected, Mapping):
        if expected.keys() == {CONTAINS}:
            return _contains(expected[CONTAINS], actual)
        return (
            isinstance(actual, Mapping)
            and expected.keys() == actual.keys()
            and all(matches(expected[name], actual[name]) for name in expected)
        )
    if isinstance(expected, list):
        return (
            isinstance(actual, list)
            and len(expected) == len(actual)
            and all(matches(want, got) for want, got in zip(expected, actual, strict=True))
        )
    return same(expected, actual)


def _contains(part: Any, actual: Any) -> bool:
    if isinstance(part, list):
        return all(_contains(each, actual) for each in part)
    if isinstance(actual, str):
        return isinstance(part, str) and part in actual
    if isinstance(actual, list):
        return any(matches(part, item) for item in actual)
    if isinstance(actual, Mapping) and isinstance(part, Mapping):
        return all(name in actual and matches(part[name], actual[name]) for name in part)
    return False
