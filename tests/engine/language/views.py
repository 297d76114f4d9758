"""Read-only views of data, as a run gives them, for the tests of the language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


class RecordView(Mapping[str, Any]):
    """A record that can be read only; `get` also finds the fallback's fields."""

    def __init__(self, fields: dict[str, Any], fallback: dict[str, Any] | None = None) -> None:
        self._fields = fields
        self._fallback = fallback or {}

    def __getitem__(self, key: str) -> Any:
        return self._fields[key] if key in self._fields else self._fallback[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)


class ListView(Sequence[Any]):
    """A list that can be read only, and one item at a time."""

    def __init__(self, items: list[Any]) -> None:
        self._items = items

    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, int):
            raise TypeError("one item at a time")
        return self._items[place]

    def __len__(self) -> int:
        return len(self._items)
