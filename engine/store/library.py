"""The library of flows: documents as JSON, each with a revision that grows when it is saved."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import StoreError
from engine.store.document_file import DocumentFile

if TYPE_CHECKING:
    from tinydb import TinyDB
    from tinydb.table import Table

_TABLE = "flows"


@dataclass(frozen=True, slots=True)
class FlowEntry:
    """What the list of flows shows of a flow.

    Args:
        id: The flow's id.
        name: Its name; several flows may share one.
        revision: 1 when first saved, one more each time.
        created: Seconds since 1970.
        saved: Likewise.
    """

    id: str
    name: str
    revision: int
    created: float
    saved: float


@dataclass(frozen=True, slots=True)
class StoredFlow:
    """A flow of the library: its entry, and its document as JSON (see `engine.flow.file`)."""

    entry: FlowEntry
    document: dict[str, Any]


class Library:
    """The flows of a person, shared between programs.

    Args:
        path: The library's file; missing means empty.
    """

    def __init__(self, path: Path) -> None:
        self._file = DocumentFile(path, "loopwright.flows", "library of flows")

    def save(
        self, document: Mapping[str, Any], *, expected_revision: int | None = None
    ) -> FlowEntry:
        """Stores a flow under its id, whether new or known.

        Args:
            document: The flow as JSON; has an `id`, and usually a `name`.
            expected_revision: The revision that was changed, 0 for a new flow; None saves over
                whatever is there.

        Raises:
            StoreError: It has no id, somebody saved it meanwhile, or the disk refuses.
        """
        flow_id, name = _id_of(document), _name_of(document)
        with self._file.changing() as database:
            table = _table(database)
            stored = _by_id(table, flow_id)
            found = stored["revision"] if stored is not None else 0
            if expected_revision not in (None, found):
                raise _changed_meanwhile(name or flow_id, expected_revision, found)
            now = time.time()
            created = stored["created"] if stored is not None else now
            entry = FlowEntry(flow_id, name, found + 1, created, now)
            _put(table, entry, dict(document))
        return entry

    def get(self, id_or_name: str) -> StoredFlow:
        """The flow with that id, else the only one with that name.

        Raises:
            StoreError: There is none, or several share the name; the message says what to try.
        """
        with self._file.reading() as database:
            found = _find(_table(database), id_or_name)
        return StoredFlow(_entry(found), found["document"])

    def all(self) -> list[FlowEntry]:
        """Every flow, by name."""
        with self._file.reading() as database:
            entries = [_entry(stored) for stored in _table(database)]
        return sorted(entries, key=lambda each: (each.name.casefold(), each.id))

    def rename(self, id_or_name: str, new_name: str) -> FlowEntry:
        """Gives a flow another name, in its document too.

        Raises:
            StoreError: As `get`, or the name is empty.
        """
        if not new_name.strip():
            raise StoreError("A flow's name must not be empty.")
        with self._file.changing() as database:
            table = _table(database)
            stored = _find(table, id_or_name)
            old = _entry(stored)
            entry = FlowEntry(old.id, new_name, old.revision + 1, old.created, time.time())
            _put(table, entry, {**stored["document"], "name": new_name})
        return entry

    def delete(self, id_or_name: str) -> FlowEntry:
        """Takes a flow out of the library; its runs stay.

        Raises:
            StoreError: As `get`.
        """
        with self._file.changing() as database:
            table = _table(database)
            entry = _entry(_find(table, id_or_name))
            table.remove(lambda each: each["id"] == entry.id)
        return entry

    def damaged_copies(self) -> list[Path]:
        """Damaged libraries that were kept aside, oldest first."""
        return self._file.damaged_copies()


def _table(database: TinyDB) -> Table:
    return database.table(_TABLE)


def _by_id(table: Table, flow_id: str) -> Mapping[str, Any] | None:
    return table.get(lambda each: each["id"] == flow_id)


def _put(table: Table, entry: FlowEntry, document: dict[str, Any]) -> None:
    stored = {
        "id": entry.id,
        "name": entry.name,
        "revision": entry.revision,
        "created": entry.created,
        "saved": entry.saved,
        "document": document,
    }
    table.upsert(stored, lambda each: each["id"] == entry.id)


def _entry(stored: Mapping[str, Any]) -> FlowEntry:
    names = ("id", "name", "revision", "created", "saved")
    return FlowEntry(*(stored[name] for name in names))


def _find(table: Table, id_or_name: str) -> Mapping[str, Any]:
    stored = _by_id(table, id_or_name)
    if stored is not None:
        return stored
    named = table.search(lambda each: each["name"] == id_or_name)
    if len(named) == 1:
        return named[0]
    if named:
        ids = ", ".join(each["id"] for each in named[:5]) + (", …" if len(named) > 5 else "")
        msg = f"{len(named)} flows are called '{id_or_name}'."
        raise StoreError(msg, f"Give the id of the one you mean: {ids}.")
    known = [name for each in table for name in (each["name"], each["id"]) if name]
    raise StoreError(
        f"There is no flow '{id_or_name}' in the library.", _nearest(id_or_name, known)
    )


def _nearest(word: str, known: Sequence[str]) -> str:
    from engine.flow.faults import nearest  # Late: only a slip of the pen needs it.

    return nearest(word, known) if known else "The library is empty."


def _id_of(document: Mapping[str, Any]) -> str:
    flow_id = document.get("id")
    if not isinstance(flow_id, str) or not flow_id:
        raise StoreError("A flow without an id cannot be kept in the library.")
    return flow_id


def _name_of(document: Mapping[str, Any]) -> str:
    name = document.get("name", "")
    if not isinstance(name, str):
        raise StoreError("The name of a flow must be text.")
    return name


def _changed_meanwhile(title: str, expected: int | None, found: int) -> StoreError:
    if not found:
        return StoreError(
            f"The flow '{title}' is no longer in the library.", "Save it as a new flow."
        )
    return StoreError(
        f"The flow '{title}' was saved elsewhere meanwhile: revision {found}, not {expected}.",
        "Open it again to see that change, or save yours under another name.",
    )
