"""Which run a person means."""

from __future__ import annotations

from engine.errors import RunError
from engine.store.places import Places
from engine.store.run_files import find_run, run_ids

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
