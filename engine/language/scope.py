"""What expressions and templates can see: names that are looked up only when they are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol


class Names(Protocol):
    """The names that are visible at one place of a run."""

    def lookup(self, name: str) -> object:
        """The value of `name`.

        Raises:
            KeyError: There is no such name.
        """

    def names(self) -> Iterable[str]:
        """Every visible name, for "did you mean" and completion."""


@dataclass(frozen=True, slots=True)
class NodeValue:
    """What the id of a node stands for.

    `{{ id }}` is its output and `{{ id.output.path }}` goes into it; `{{ id.path }}` is an error
    that says so, because the output may itself hold a key named `output`.
    """

    output: object


class GivenNames:
    """Names from a mapping, in front of others when there are any.

    Args:
        values: Value by name.
        behind: Where a name is looked up that `values` does not have.
    """

    __slots__ = ("_behind", "_values")

    def __init__(self, values: Mapping[str, object], behind: Names | None = None) -> None:
        self._values = values
        self._behind = behind

    def lookup(self, name: str) -> object:
        """The value of `name`.

        Raises:
            KeyError: There is no such name.
        """
        if self._behind is None or name in self._values:
            return self._values[name]
        return self._behind.lookup(name)

    def names(self) -> Iterable[str]:
        """Every visible name, the nearer ones first."""
        yield from self._values
        if self._behind is not None:
            yield from (name for name in self._behind.names() if name not in self._values)
