"""Read-only views of values that grow: an append costs the same however long the list is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload


class GrowingList(Sequence[Any]):
    """The first `length` items of a list that only ever grows at its end.

    Versions share one list; an append to an old version copies it.
    """

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._items = list(items)
        self._length = len(self._items)

    def extended(self, more: Iterable[Any]) -> GrowingList:
        """A version with more items at its end."""
        result = GrowingList.__new__(GrowingList)
        if len(self._items) == self._length:
            result._items = self._items
        else:
            result._items = self._items[: self._length]
        result._items.extend(more)
        result._length = len(result._items)
        return result

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self._items[place] for place in range(*index.indices(self._length))]
        place = index + self._length if index < 0 else index
        if not 0 <= place < self._length:
            msg = "list index out of range"
            raise IndexError(msg)
        return self._items[place]

    def __iter__(self) -> Iterator[Any]:
        items = self._items
        for place in range(self._length):
            yield items[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and not isinstance(other, str) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr([*self])
