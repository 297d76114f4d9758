"""The list of runs: one document a run, touched when a status changes, rebuilt from the journals.

Every call but the looking up of one run waits for the disk: make it beside the event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import LoopwrightError, RunError
from engine.store.document_file import DamagedFileError, DocumentFile
from engine.store.run_files import has_begun, is_run_open, run_ids

if TYPE_CHECKING:
    from tinydb import TinyDB
    from tinydb.table import Table

_TABLE = "runs"
DAMAGED = "damaged"
"""Status in the list of a run whose journal cannot be read."""

Summarise = Callable[[Path], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class RunEntry:
    """What the list of runs shows of a run.

    Args:
        run_id: Its name.
        flow_id: Id of the flow that it runs.
        flow_name: The flow's name when the run began.
        status: `running`, `paused`, `stopped`, `finished`, `error`; `damaged` for a journal that
            cannot be read.
        started: Seconds since 1970.
        ended: Likewise; None while it may go on.
        parent: The run that it is a part of.
        forked_from: The run and step that it was forked from.
        steps: Finished steps.
        error: One line; empty without an error.
        waiting: Open requests to people.
    """

    run_id: str
    flow_id: str = ""
    flow_name: str = ""
    status: str = "running"
    started: float | None = None
    ended: float | None = None
    parent: str | None = None
    forked_from: tuple[str, int] | None = None
    steps: int = 0
    error: str = ""
    waiting: int = 0

    @classmethod
    def from_document(cls, document: Mapping[str, Any], run_id: str | None = None) -> RunEntry:
        """An entry from a summary or a stored document; keys that it does not know are left out."""
        known = {name: document[name] for name in _FIELDS if name in document}
        if run_id is not None:
            known["run_id"] = run_id
        if known.get("forked_from") is not None:
            known["forked_from"] = tuple(known["forked_from"])
        return cls(**known)


_FIELDS = tuple(each.name for each in fields(RunEntry))


class RunIndex:
    """The list of all runs.

    Args:
        path: Its file.
        runs: The folder of all runs.
        summarise: Gives the fields of an entry from a run's folder; may raise LoopwrightError.
    """

    def __init__(self, path: Path, runs: Path, summarise: Summarise) -> None:
        self._file = DocumentFile(path, "loopwright.runs", "list of runs")
        self._runs = runs
        self._summarise = summarise

    def put(self, entry: RunEntry) -> None:
        """Enters a run, or replaces its entry."""
        self._change(lambda table: _put(table, entry))

    def change(self, run_id: str, **changes: Any) -> RunEntry:
        """Changes some fields of an entry; a missing entry is first made from the journal.

        Raises:
            RunError: There is no such run.
        """
        entry = self.get(run_id)
        if entry is None:
            raise RunError(f"There is no run '{run_id}'.")
        made: list[RunEntry] = []

        def update(table: Table) -> None:
            # Read again under the lock: another program may have changed other fields.
            made.append(replace(_get(table, run_id) or entry, **changes))
            _put(table, made[0])

        self._change(update)
        return made[0]

    def remove(self, run_id: str) -> None:
        """Takes a run out of the list; its folder stays."""
        self._change(lambda table: _remove(table, {run_id}))

    def get(self, run_id: str) -> RunEntry | None:
        """The entry of a run, from its journal if the list lacks it; None without such a run."""
        entry = self._entries().get(run_id)
        folder = self._runs / run_id
        if entry is None and has_begun(folder):
            return self._from_journal(run_id)
        return entry

    def all(self) -> list[RunEntry]:
        """Every run on the disk, oldest first; the list is put right where it differs."""
        entries = self._entries()
        on_disk = run_ids(self._runs)
        fresh = {
            run_id: self._from_journal(run_id)
            for run_id in on_disk
            if run_id not in entries or self._may_be_stale(entries[run_id])
        }
        changed = {name: each for name, each in fresh.items() if entries.get(name) != each}
        gone = entries.keys() - set(on_disk)
        if changed or gone:
            self._change(lambda table: self._put_right(table, entries, changed, gone))
            entries = self._entries()
        return [entries[name] for name in sorted(entries)]

    def rebuild(self) -> list[RunEntry]:
        """Makes the whole list anew from the journals."""
        entries = [self._from_journal(run_id) for run_id in run_ids(self._runs)]

        def replace_all(table: Table) -> None:
            table.truncate()
            table.insert_multiple(asdict(entry) for entry in entries)

        self._change(replace_all)
        return entries

    def _may_be_stale(self, entry: RunEntry) -> bool:
        # Its program was killed before it could change the status.
        return entry.status == "running" and not is_run_open(self._runs / entry.run_id)

    def _put_right(
        self,
        table: Table,
        seen: Mapping[str, RunEntry],
        changed: Mapping[str, RunEntry],
        gone: Collection[str],
    ) -> None:
        now = _entries(table)
        for run_id, entry in changed.items():
            # Whoever changed the entry meanwhile knows better; so does who deleted the run.
            if now.get(run_id) == seen.get(run_id) and has_begun(self._runs / run_id):
                _put(table, entry)
        _remove(table, {run_id for run_id in gone if not (self._runs / run_id).is_dir()})

    def _from_journal(self, run_id: str) -> RunEntry:
        try:
            return RunEntry.from_document(self._summarise(self._runs / run_id), run_id)
        except LoopwrightError as fault:
            return RunEntry(run_id, status=DAMAGED, error=fault.message)

    def _entries(self) -> dict[str, RunEntry]:
        try:
            with self._file.reading() as database:
                return _entries(_table(database))
        except DamagedFileError:
            return {entry.run_id: entry for entry in self.rebuild()}

    def _change(self, change: Callable[[Table], None]) -> None:
        try:
            with self._file.changing() as database:
                change(_table(database))
        except DamagedFileError:
            self.rebuild()
            self._change(change)


def _table(database: TinyDB) -> Table:
    return database.table(_TABLE)


def _entries(table: Table) -> dict[str, RunEntry]:
    entries = (RunEntry.from_document(document) for document in table)
    return {entry.run_id: entry for entry in entries}


def _get(table: Table, run_id: str) -> RunEntry | None:
    document = table.get(lambda each: each["run_id"] == run_id)
    return RunEntry.from_document(document) if document is not None else None


def _put(table: Table, entry: RunEntry) -> None:
    table.upsert(asdict(entry), lambda each: each["run_id"] == entry.run_id)


def _remove(table: Table, ids: Collection[str]) -> None:
    if ids:
        table.remove(lambda each: each["run_id"] in ids)
