"""A TinyDB storage that holds one change in memory; who opened it decides when it is written."""

from __future__ import annotations

from typing import Any

from tinydb.storages import Storage

Tables = dict[str, dict[str, Any]]


class ChangeStorage(Storage):
    """Gives TinyDB the tables of a file and gathers what it writes.

    Args:
        tables: What the file holds.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.changed = False

    def read(self) -> Tables:
        """The tables as they stand in this change."""
        return self.tables

    def write(self, data: Tables) -> None:
        """Takes the tables as TinyDB leaves them."""
        self.tables = data
        self.changed = True
