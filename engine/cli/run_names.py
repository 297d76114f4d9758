"""Which run a person means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from engine.errors import RunError
from engine.run.history import History
from engine.store.journal import JournalDamagedError
from engine.store.places import Places
from engine.store.run_files import find_run, has_begun, run_ids

LAST = "last"
RUN_HELP = "a run's name, its beginning, or `last` for the newest"


def which_run(places: Places, text: str) -> str:
    """The whole name of the run that is meant.

    Raises:
        UsageError: The text cannot name a run.
        RunError: There is none, or there are several.
    """
    if text == LAST:
        known = run_ids(places.runs)
        if not known:
            raise RunError("No run has begun yet.", "`loopwright run FLOW` begins one.")
        return known[-1]
    return find_run(places.runs, text)


@contextmanager
def ways_past_damage(run_id: str) -> Iterator[None]:
    """Adds to the error of a damaged journal how what stands before the damage is reached."""
    try:
        yield
    except JournalDamagedError as fault:
        if fault.whole_records:
            many = fault.whole_records
            whole = "The record before it is" if many == 1 else f"The {many} records before it are"
            fault.hint = (
                f"{whole} whole. Go on from there: `loopwright resume {run_id} --up-to-damage`. "
                f"Look at them: `loopwright runs show {run_id} --up-to-damage`."
            )
        raise


def refuse_steps_of_deleted(places: Places, history: History, step: int) -> None:
    """Refuses a step before a fork whose origin was deleted.

    Raises:
        RunError: It says from which step on the fork has conditions of its own.
    """
    fork = history.first.fork
    if fork is None or step >= history.begins_at or has_begun(places.runs / fork["run"]):
        return
    begin = history.begins_at
    msg = f"Run '{history.run_id}' begins at step {begin}, as a fork of another."
    hint = f"That other run, '{fork['run']}', is gone; give a step from {begin} on."
    raise RunError(msg, hint)
