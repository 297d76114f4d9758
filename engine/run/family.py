"""Runs that belong together: a run, and the nested runs that its steps have started."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.errors import JournalError, RunError
from engine.store.journal import JOURNAL_NAME, read_journal
from engine.store.places import Places
from engine.store.run_files import has_begun


def parts_of(places: Places, run_id: str) -> list[str]:
    """The nested runs of a run and theirs, as far as they are still there; inner ones first."""
    found: list[str] = []
    for record in _records(places, run_id):
        if record.get("kind") == "child_started":
            child = record["run_id"]
            if has_begun(places.runs / child):
                found += [*parts_of(places, child), child]
    return list(dict.fromkeys(found))


def needed_by(places: Places, run_id: str) -> str | None:
    """The run whose step still waits for this one; None where it stands alone."""
    first = next(_records(places, run_id, from_last_snapshot=True), {})
    parent = (first.get("parent") or {}).get("run")
    if parent is None or not has_begun(places.runs / parent):
        return None
    waiting: set[int] = set()
    for record in _records(places, parent):
        kind = record.get("kind")
        if kind == "child_started" and record["run_id"] == run_id:
            waiting.add(record["firing"])
        elif kind in _ENDS and record.get("policy") != "stop":
            waiting.discard(record["firing"])
        elif kind == "run_finished" and record["status"] == "finished":
            waiting.clear()
    return parent if waiting else None


def refuse_part(places: Places, run_id: str) -> None:
    """Passes a run that may be driven by itself.

    Raises:
        RunError: A step of another run waits for it; the message names that run.
    """
    parent = needed_by(places, run_id)
    if parent is not None:
        msg = f"Run '{run_id}' is a part of run '{parent}', which waits for it."
        raise RunError(msg, f"Go on with that one: loopwright resume {parent}")


_ENDS = {"step_finished", "step_failed", "step_skipped"}


def _records(
    places: Places, run_id: str, *, from_last_snapshot: bool = False
) -> Iterator[dict[str, Any]]:
    """What a journal holds, up to damage; nothing where there is none to read."""
    path = places.runs / run_id / JOURNAL_NAME
    try:
        contents = read_journal(
            path, from_last_snapshot=from_last_snapshot, up_to_damage=True, with_blobs=False
        )
    except JournalError:
        return
    yield from contents.records
