"""One run on disk: started, opened again, driven, answered and closed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.errors import JournalError, RunError
from engine.flow.document import Flow
from engine.flow.file import flow_data
from engine.registry import NodeRegistry
from engine.run import events
from engine.run.condition import Condition
from engine.run.fold import apply, begin_condition
from engine.run.nested import StoredRuns
from engine.run.requests import ways_to_answer
from engine.run.runner import Runner
from engine.run.snapshot import restore
from engine.run.workplace import RunOptions, Workplace, limits_from_environment
from engine.store.journal import JOURNAL_NAME, JournalContents, JournalWriter, read_journal
from engine.store.locks import FileLock
from engine.store.run_files import create_run_folder, has_begun, lock_run, new_run_id

KEPT_INLINE = ("flow",)


class RunSession:
    """A run that this program has open for writing; nobody else can write it meanwhile."""

    def __init__(
        self,
        workplace: Workplace,
        condition: Condition,
        journal: JournalWriter,
        lock: FileLock,
        first: events.RunStarted,
        contents: JournalContents | None = None,
    ) -> None:
        self.workplace = workplace
        self.condition = condition
        self.first = first
        self.observers: list[Callable[[events.Event], None]] = []
        self._journal = journal
        self._lock = lock
        self.nested = StoredRuns(self, _Sessions(workplace))
        self.services = workplace.make_services(
            clock=workplace.clock,
            journal=journal,
            nested=self.nested,
            redact=workplace.redact,
            journal_bytes=contents.bytes_since_snapshot if contents else 0,
            snapshot_bytes=contents.snapshot_bytes if contents else 0,
        )
        self.runner = Runner(condition, self.services, (self._tell,))

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self._journal.path.parent

    def _tell(self, event: events.Event) -> None:
        for observer in self.observers:
            observer(event)

    # ---- begin -----------------------------------------------------------------------------

    @classmethod
    def start(
        cls,
        workplace: Workplace,
        flow: Flow,
        run_input: Mapping[str, Any],
        options: RunOptions | None = None,
        run_id: str | None = None,
    ) -> RunSession:
        """A new run of a flow; it has not done anything yet.

        Raises:
            RunError: The run's folder cannot be made.
            JournalError: The disk refuses.
        """
        options = options or RunOptions()
        first = events.RunStarted(
            run_id=run_id or new_run_id(),
            flow=flow_data(flow),
            time=workplace.clock.now(),
            input=dict(run_input),
            vars=dict(workplace.vars),
            limits={**limits_from_environment(os.environ), **options.limits},
            use_pins=options.use_pins,
            model=options.model,
            flow_path=str(options.flow_path) if options.flow_path else None,
            parent=dict(options.parent) if options.parent else None,
        )
        return cls.begin(workplace, first)

    @classmethod
    def begin(
        cls,
        workplace: Workplace,
        first: events.RunStarted,
        more: Sequence[events.Event] = (),
        make: Callable[[events.RunStarted, NodeRegistry], Condition] = begin_condition,
    ) -> RunSession:
        """A new run whose journal begins with these events."""
        workplace.places.create()
        folder = _folder_for(workplace, first.run_id)
        lock = lock_run(folder)
        try:
            condition = make(first, workplace.registry)
            journal = JournalWriter(folder / JOURNAL_NAME, keep_inline=KEPT_INLINE)
            redact = workplace.redact or _unchanged
            for event in (first, *more):
                journal.append(redact(events.to_record(event)))
        except BaseException:
            lock.release()
            raise
        return cls(workplace, condition, journal, lock, first)

    @classmethod
    def open(cls, workplace: Workplace, run_id: str, *, up_to_damage: bool = False) -> RunSession:
        """A run that was started before, as its journal leaves it.

        Raises:
            RunLockedError: Another program has it open.
            JournalError: Its journal is damaged.
        """
        folder = workplace.places.runs / run_id
        lock = lock_run(folder)
        try:
            contents = read_journal(
                folder / JOURNAL_NAME, from_last_snapshot=True, up_to_damage=up_to_damage
            )
            condition, first = condition_from(contents, workplace.registry)
            journal = JournalWriter.reopen(contents, keep_inline=KEPT_INLINE)
        except BaseException:
            lock.release()
            raise
        return cls(workplace, condition, journal, lock, first, contents)

    # ---- drive -----------------------------------------------------------------------------

    async def go(self) -> None:
        """Runs until the run is finished, paused, stopped or failed."""
        try:
            await self.runner.run()
        finally:
            await self.nested.settle()

    def resume(self, limits: Mapping[str, Any] | None = None) -> None:
        """Makes a run that was stopped, failed or broke off ready to go on.

        Raises:
            RunError: It is finished, or only an answer can make it go on.
        """
        condition = self.condition
        if condition.status == "finished":
            msg = f"Run '{condition.run_id}' is finished: there is nothing to go on with."
            raise RunError(msg, "Start a new run, or fork this one at a step.")
        if condition.stop is not None:
            msg = f"Run '{condition.run_id}' was ended by the flow itself, at a Stop here node."
            raise RunError(msg, "Start a new run, or fork this one at an earlier step.")
        idle = all(firing.status != "ready" for firing in condition.firings.values())
        if condition.status == "paused" and idle and not limits:
            many = len(condition.open_requests())
            what = "an answer" if many == 1 else f"answers to {many} questions"
            msg = f"Run '{condition.run_id}' waits for {what}."
            raise RunError(msg, ways_to_answer(condition))
        self.runner.emit(events.RunResumed(self.services.clock.now(), dict(limits or {})))

    def close(self) -> None:
        """Lets go of the run; the journal is brought to disk."""
        self._journal.close()
        self._lock.release()

    async def __aenter__(self) -> RunSession:
        """The session itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Closes it."""
        await asyncio.shield(self._journal.close_async())
        self._lock.release()


class _Sessions:
    """Where the nested runs of a run are started and opened."""

    def __init__(self, workplace: Workplace) -> None:
        self._workplace = workplace

    def start(
        self, flow: Flow, run_input: Mapping[str, Any], options: RunOptions, run_id: str
    ) -> RunSession:
        return RunSession.start(self._workplace, flow, run_input, options, run_id)

    def open(self, run_id: str) -> RunSession:
        return RunSession.open(self._workplace, run_id)


def _folder_for(workplace: Workplace, run_id: str) -> Path:
    """A new folder, or the one of a run that was cut off before it had begun."""
    folder = workplace.places.runs / run_id
    if folder.is_dir() and not has_begun(folder):
        return folder
    return create_run_folder(workplace.places.runs, run_id)


def condition_from(
    contents: JournalContents, registry: NodeRegistry
) -> tuple[Condition, events.RunStarted]:
    """The condition that a journal leaves, and its first event."""
    records = contents.records
    if not records:
        msg = "The run's journal is empty: the program ended before the run began."
        raise RunError(msg, "Start the run again; this one can be deleted.")
    first = events.read_event(records[0])
    if not isinstance(first, events.RunStarted):
        msg = f"The journal does not begin with run_started, but with '{first.kind}'."
        raise RunError(msg, "The file is not a journal of Loopwright, or its beginning is gone.")
    begin = contents.snapshot_index
    if begin is None:
        condition, rest = begin_condition(first, registry), records[1:]
    else:
        condition = _restored(records[begin], first, registry)
        rest = records[begin + 1 :]
    for record in rest:
        apply(condition, events.read_event(record))
    condition.notices.clear()
    condition.cancelled.clear()
    return condition, first


def _restored(
    record: dict[str, Any], first: events.RunStarted, registry: NodeRegistry
) -> Condition:
    try:
        return restore(record["condition"], first, registry)
    except (KeyError, IndexError, TypeError, ValueError) as fault:
        msg = "The last snapshot in the run's journal is not of a form that this version knows."
        hint = "The run was written by another version; open it there, or start it again."
        raise JournalError(msg, hint, repr(fault)) from fault


def _unchanged(record: Any) -> Any:
    return record
