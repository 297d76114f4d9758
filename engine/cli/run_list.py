"""The list of runs, kept up to date behind the output that a person waits for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.report_errors import disk_fault
from engine.cli.terminal import complain, safe_text
from engine.errors import LoopwrightError
from engine.store.places import Places

if TYPE_CHECKING:
    from engine.run import events
    from engine.store.run_index import RunIndex


def open_run_list(places: Places) -> RunIndex:
    """The list of all runs."""
    from engine.store.run_index import RunIndex  # Late: it needs TinyDB.

    return RunIndex(places.run_index, places.runs, _summarise)


def _summarise(folder: Path) -> dict[str, Any]:
    from engine.run.history import summarise  # Late: a list that is up to date needs no journals.

    return summarise(folder)


def enter_run(
    places: Places, first: events.RunStarted, report: Mapping[str, Any], ended: float | None
) -> None:
    """Enters how a run stands; a list that cannot be written is told of, no more: it is rebuilt."""
    from engine.store.run_index import RunEntry  # Late: it needs TinyDB.

    error = report["error"] or {}
    entry = RunEntry(
        run_id=first.run_id,
        flow_id=first.flow["id"],
        flow_name=first.flow.get("name", ""),
        status=report["status"],
        started=first.time,
        ended=ended if report["status"] in ("finished", "error") else None,
        parent=first.parent["run"] if first.parent else None,
        forked_from=(first.fork["run"], first.fork["step"]) if first.fork else None,
        steps=max((int(step["step"]) for step in report["steps"]), default=0),
        error=str(error.get("message", "")).split("\n", 1)[0],
        waiting=len(report["requests"]),
    )
    try:
        open_run_list(places).put(entry)
    except (LoopwrightError, OSError) as fault:
        _complain(fault)


def enter_parts(places: Places, run_id: str) -> None:
    """Enters how the nested runs of a run stand, and theirs: they ended or waited with it."""
    from engine.run.history import summarise
    from engine.store.run_index import RunEntry  # Late: it needs TinyDB.

    try:
        index = open_run_list(places)
        family = {run_id}
        # A nested run begins after the one that it is a part of.
        for entry in index.all():
            if entry.parent in family:
                family.add(entry.run_id)
                found = summarise(places.runs / entry.run_id)
                index.put(RunEntry.from_document(found, entry.run_id))
    except (LoopwrightError, OSError) as fault:
        _complain(fault)


def mark_running(places: Places, run_id: str) -> None:
    """Notes that a run goes on, so that a crash from here on is noticed."""
    try:
        open_run_list(places).change(run_id, status="running", ended=None, error="", waiting=0)
    except (LoopwrightError, OSError) as fault:
        _complain(fault)


def _complain(fault: LoopwrightError | OSError) -> None:
    known = disk_fault(fault) if isinstance(fault, OSError) else fault
    complain(f"The list of runs could not be brought up to date: {safe_text(str(known))}")
