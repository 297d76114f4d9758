"""A run looked at without opening it: its events, its steps, its condition after any of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import JournalError, RunError
from engine.registry import NodeRegistry
from engine.run import events
from engine.run.condition import Condition
from engine.run.fold import apply, begin_condition
from engine.run.report import StepList
from engine.run.snapshot import restore
from engine.store.journal import JOURNAL_NAME, JournalContents, read_journal
from engine.store.places import Places
from engine.store.run_files import has_begun, is_run_open

_ENDS = {"run_paused": "paused", "run_stopped": "stopped"}
BROKE_OFF = "It broke off: the program that ran it was ended."


@dataclass(frozen=True, slots=True)
class History:
    """Everything that a run's journal tells.

    Args:
        first: How the run began.
        events: All events in order, the first included.
        contents: The journal that they were read from.
    """

    first: events.RunStarted
    events: tuple[events.Event, ...]
    contents: JournalContents

    @property
    def run_id(self) -> str:
        """The run's name."""
        return self.first.run_id

    @property
    def begins_at(self) -> int:
        """The step after which this run has a condition of its own: 0, or where it was forked."""
        return int(self.first.fork["step"]) if self.first.fork else 0

    def steps(self) -> list[dict[str, Any]]:
        """The finished steps as JSON, those before a fork included."""
        types = {node["id"]: node["type"] for node in self.first.flow["nodes"]}
        steps = StepList(types)
        for event in self.events:
            steps(event)
        return steps.steps

    @property
    def last_step(self) -> int:
        """The number of the newest finished step."""
        steps = self.steps()
        return int(steps[-1]["step"]) if steps else self.begins_at


def read_history(places: Places, run_id: str, *, up_to_damage: bool = False) -> History:
    """The history of a run, also while another program runs it.

    Args:
        places: Where runs lie.
        run_id: The run's whole name.
        up_to_damage: Read a damaged journal as far as it is whole.

    Raises:
        RunError: There is no such run, or it did nothing.
        JournalError: Its journal is damaged.
    """
    folder = places.runs / run_id
    if not has_begun(folder):
        raise RunError(f"There is no run '{run_id}'.", "`loopwright runs` lists those there are.")
    contents = read_journal(folder / JOURNAL_NAME, up_to_damage=up_to_damage)
    read = tuple(events.read_event(record) for record in contents.records)
    return History(_first(read), read, contents)


def _first(read: Sequence[events.Event]) -> events.RunStarted:
    if not read:
        msg = "The run's journal is empty: the program ended before the run began."
        raise RunError(msg, "Start the run again; this one can be deleted.")
    first = read[0]
    if not isinstance(first, events.RunStarted):
        msg = f"The journal does not begin with run_started, but with '{first.kind}'."
        raise JournalError(
            msg, "The file is not a journal of Loopwright, or its beginning is gone."
        )
    return first


def condition_at(history: History, step: int, registry: NodeRegistry) -> Condition:
    """The run's condition right after a step; 0 means just begun.

    What a person edited right after that step, before anything went on, is part of it.

    Raises:
        RunError: The run has no such step.
        JournalError: The history does not fit its own flow.
    """
    _check_step(history, step)
    try:
        return _folded(history, step, registry)
    except (LookupError, AssertionError, TypeError, ValueError) as fault:
        msg = f"The history of run '{history.run_id}' does not fit its own flow."
        hint = "Were node files of your own changed since? Put them back as they were."
        raise JournalError(msg, hint, repr(fault)) from fault


def _check_step(history: History, step: int) -> None:
    begin, last = history.begins_at, history.last_step
    if step < begin and history.first.fork:
        msg = f"Run '{history.run_id}' begins at step {begin}, as a fork of another."
        raise RunError(msg, f"Look at step {step} of run '{history.first.fork['run']}'.")
    if not begin <= step <= last:
        msg = f"Run '{history.run_id}' has no step {step}."
        raise RunError(msg, f"It has the steps {begin} to {last}." if last else "It has no steps.")


def _folded(history: History, step: int, registry: NodeRegistry) -> Condition:
    condition, place = _nearest_start(history, step, registry)
    for event in history.events[place:]:
        if condition.steps == step and not isinstance(event, events.Edited):
            break
        apply(condition, event)
    assert condition.steps == step, "steps are numbered without gaps"
    condition.fresh.clear()
    condition.notices.clear()
    condition.cancelled.clear()
    return condition


def _nearest_start(history: History, step: int, registry: NodeRegistry) -> tuple[Condition, int]:
    """The condition of the newest snapshot that holds no more than asked for, and what follows."""
    for place in range(len(history.events) - 1, 0, -1):
        event = history.events[place]
        if isinstance(event, events.Snapshot):
            # A snapshot may be taken some events behind its last step, but for that of a fork.
            at_fork = history.first.fork is not None and place <= _FORK_SNAPSHOT
            if at_fork or event.condition["steps"] < step:
                return restore(event.condition, history.first, registry), place + 1
    return begin_condition(history.first, registry), 1


_FORK_SNAPSHOT = 2


def summarise(folder: Path) -> dict[str, Any]:
    """What the list of runs shows of a run, read from its journal alone.

    A run that came to no end and that no program has open broke off: it shows as `stopped`.

    Raises:
        RunError: It did nothing.
        JournalError: Its journal is damaged.
    """
    # Asked first: a run that ends meanwhile must not look broken off.
    is_open = is_run_open(folder)
    contents = read_journal(folder / JOURNAL_NAME, from_last_snapshot=True)
    tally = _Tally()
    for record in contents.records:
        tally.take(record)
    first = _first([events.read_event(record) for record in contents.records[:1]])
    broke_off = tally.status == "running" and not is_open
    return {
        "run_id": folder.name,
        "flow_id": first.flow.get("id", ""),
        "flow_name": first.flow.get("name", ""),
        "status": "stopped" if broke_off else tally.status,
        "started": first.time,
        "ended": tally.ended,
        "parent": first.parent["run"] if first.parent else None,
        "forked_from": (first.fork["run"], first.fork["step"]) if first.fork else None,
        "steps": tally.steps,
        "error": BROKE_OFF if broke_off else tally.error,
        "waiting": tally.waiting,
    }


class _Tally:
    """Status and counts, from records alone: no node type is needed to list runs."""

    def __init__(self) -> None:
        self.status = "running"
        self.steps = 0
        self.error = ""
        self.ended: float | None = None
        self._waiting: dict[int, tuple[str, set[str]]] = {}
        self._answered: set[str] = set()

    @property
    def waiting(self) -> int:
        """How many requests wait for an answer."""
        return sum(len(ids) for _, ids in self._waiting.values())

    def take(self, record: dict[str, Any]) -> None:
        """Takes the next record of a journal."""
        kind = record["kind"]
        if kind in _ENDS:
            self.status = _ENDS[kind]
        elif kind == "run_finished":
            self.status, self.ended = record["status"], record["time"]
            if self.status == "finished":
                self._waiting.clear()
            self.error = _error_line(record.get("error"))
        elif kind in ("run_resumed", "pause_answered"):
            self.status, self.ended, self.error = "running", None, ""
        self._count(kind, record)

    def _count(self, kind: str, record: dict[str, Any]) -> None:
        if kind == "snapshot":
            self._take_snapshot(record["condition"])
        elif kind == "pause_requested":
            asked = {each["id"] for each in record["requests"]} - self._answered
            self._waiting[record["firing"]] = (record.get("path", ""), asked)
        elif kind == "pause_answered":
            self._answered.add(record["request"])
            self._waiting.get(record["firing"], ("", set[str]()))[1].discard(record["request"])
        elif kind in ("step_finished", "step_skipped", "step_failed"):
            self._end_step(record)

    def _end_step(self, record: dict[str, Any]) -> None:
        """What waits inside a box, or in an item that failed, ends with it."""
        self.steps = record["step"]
        self._waiting.pop(record["firing"], None)
        path, node = record.get("path", ""), record["node"]
        box = f"{path}/{node}" if path else node
        # A second step of a box that is under way at once has its firing in its path.
        inside = [f"{box}#", f"{box}~{record['firing']}#"]
        if path and record.get("policy") == "stop":
            inside.append(f"{path}/")
        for firing, (where, _) in list(self._waiting.items()):
            if f"{where}/".startswith(tuple(inside)):
                del self._waiting[firing]

    def _take_snapshot(self, condition: dict[str, Any]) -> None:
        self.status, self.steps = condition["status"], condition["steps"]
        self.error = _error_line(condition["error"])
        self._answered = set(condition["answered"])
        self._waiting = {
            firing["id"]: (firing["path"], {each["id"] for each in firing["requests"]})
            for firing in condition["firings"]
        }


def _error_line(error: dict[str, Any] | None) -> str:
    if not error:
        return ""
    where = f"{error['label']}: " if error.get("label") else ""
    return f"{where}{error['message']}".splitlines()[0]
