"""The folders of runs: names, finding, locking, deleting."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from engine.errors import RunError, RunLockedError, UsageError
from engine.store.files import reason, remedy
from engine.store.journal import JOURNAL_NAME
from engine.store.locks import FileLock, is_locked

LOCK_NAME = "lock"
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(1, 10)))
)
_DELETED = ".deleted-"
# Whoever only looks whether a run is locked holds the lock for a moment.
_GLANCE_S = 0.1
_last_stamp = 0
_stamp_lock = threading.Lock()


def new_run_id(now_s: float | None = None) -> str:
    """A new name, such as `20260131-174501-250317-a3f09c`: later names sort behind earlier ones.

    Args:
        now_s: Seconds since 1970; the clock when None.
    """
    micros = int((time.time() if now_s is None else now_s) * 1_000_000)
    if now_s is None:
        micros = _after_the_last(micros)
    second = time.strftime("%Y%m%d-%H%M%S", time.gmtime(micros // 1_000_000))
    return f"{second}-{micros % 1_000_000:06d}-{os.urandom(3).hex()}"


def _after_the_last(micros: int) -> int:
    global _last_stamp
    with _stamp_lock:
        _last_stamp = max(micros, _last_stamp + 1)
        return _last_stamp


def check_run_id(text: str) -> str:
    """The text, if it can name a run (or begin the name of one) on every computer.

    Raises:
        UsageError: It is a path, empty, too long, or holds other signs.
    """
    if _RUN_ID.fullmatch(text) and text.lower() not in _DEVICES:
        return text
    shown = text if len(text) <= 60 else f"{text[:57]}…"
    raise UsageError(
        f"{shown!r} is no name of a run.",
        "A run's name holds letters, digits, '-' and '_' only; `loopwright runs` lists them.",
    )


def create_run_folder(runs: Path, run_id: str | None = None) -> Path:
    """Makes the folder of a new run.

    Args:
        runs: The folder of all runs; exists.
        run_id: Its name; a new one when None.

    Raises:
        RunError: There is such a run already, or the disk refuses.
        UsageError: The name cannot name a run.
    """
    folder = runs / check_run_id(run_id or new_run_id())
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError as fault:
        raise RunError(f"There is a run '{folder.name}' already.") from fault
    except OSError as fault:
        msg = f"The folder '{folder}' of a new run cannot be made: {reason(fault)}."
        raise RunError(msg, remedy(fault)) from fault
    return folder


def run_ids(runs: Path) -> list[str]:
    """The names of all runs that have begun, oldest first."""
    try:
        with os.scandir(runs) as entries:
            names = [
                entry.name
                for entry in entries
                if _RUN_ID.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
            ]
    except FileNotFoundError:
        return []
    except OSError as fault:
        msg = f"The folder of runs '{runs}' cannot be read: {reason(fault)}."
        raise RunError(msg, remedy(fault)) from fault
    return sorted(name for name in names if has_begun(runs / name))


def has_begun(folder: Path) -> bool:
    """Whether anything of the run is in its journal; false between making and first record."""
    try:
        return (folder / JOURNAL_NAME).stat().st_size > 0
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        # It cannot be looked at; whoever opens it is told why.
        return True


def find_run(runs: Path, text: str) -> str:
    """The name of the one run that is called so or begins so.

    Raises:
        UsageError: The text cannot begin the name of a run.
        RunError: No run or several; the message names the nearest.
    """
    check_run_id(text)
    known = run_ids(runs)
    if text in known:
        return text
    begins = [name for name in known if name.startswith(text)]
    if len(begins) == 1:
        return begins[0]
    if begins:
        shown = ", ".join(begins[-5:]) + (", …" if len(begins) > 5 else "")
        msg = f"{len(begins)} runs begin with '{text}': {shown}."
        raise RunError(msg, "Give more of the name.")
    raise RunError(f"There is no run '{text}'.", _nearest_run(text, known))


def _nearest_run(text: str, known: Sequence[str]) -> str:
    from engine.flow.faults import nearest  # Late: only a slip of the pen needs it.

    # The newest are what a person has just seen.
    hint = nearest(text, known[::-1])
    if hint or not known:
        return hint or "No run has begun yet."
    return f"The newest is '{known[-1]}'; `loopwright runs` lists them all."


def lock_run(folder: Path) -> FileLock:
    """Locks a run for this program until `release`, the end of a `with`, or the program's end.

    Raises:
        RunLockedError: Another program has it, or this one in another place.
        RunError: There is no such run.
    """

    def busy(holder: int | None) -> RunLockedError:
        return _locked(folder.name, holder)

    lock = FileLock(folder / LOCK_NAME, wait_s=_GLANCE_S, on_busy=busy)
    try:
        lock.acquire()
    except (FileNotFoundError, NotADirectoryError) as fault:
        raise RunError(f"There is no run '{folder.name}'.") from fault
    return lock


def _locked(run_id: str, holder: int | None) -> RunLockedError:
    if holder == os.getpid():
        msg = f"Run '{run_id}' is open in this program already (process {holder})."
        return RunLockedError(msg, "Stop it first.")
    who = f"another program (process {holder})" if holder else "another program"
    return RunLockedError(
        f"Run '{run_id}' is open in {who}.", "Stop it there, or end that program, and try again."
    )


def is_run_open(folder: Path) -> bool:
    """Whether some program, perhaps this one, has the run open."""
    return is_locked(folder / LOCK_NAME)


def delete_run(runs: Path, run_id: str) -> None:
    """Deletes a run's folder with everything in it.

    Raises:
        UsageError: The name cannot name a run.
        RunLockedError: A program has it open.
        RunError: There is no such run, or the disk refuses.
    """
    folder = runs / check_run_id(run_id)
    if folder.is_symlink() or not folder.is_dir():
        raise RunError(f"There is no run '{run_id}'.")
    try:
        # Renamed first: a deletion that is broken off leaves no half of a run.
        doomed = _rename_away(folder)
        _remove_tree(doomed)
        for leftover in runs.glob(f"{_DELETED}*"):
            _remove_tree(leftover)
    except OSError as fault:
        msg = f"Run '{run_id}' cannot be deleted: {reason(fault)}."
        raise RunError(msg, remedy(fault)) from fault


def _rename_away(folder: Path) -> Path:
    doomed = folder.with_name(f"{_DELETED}{folder.name}-{os.urandom(3).hex()}")
    with lock_run(folder) as lock:
        if os.name == "nt":  # A folder with an open file cannot be renamed there.
            lock.release()
        folder.rename(doomed)
    return doomed


def _remove_tree(folder: Path) -> None:
    import shutil  # Late: running a flow deletes nothing.

    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        # Another program sweeps up the same leftovers.
        if folder.exists():
            raise
