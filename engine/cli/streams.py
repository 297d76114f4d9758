"""The streams of this program: missing ones, full ones, and those that nobody reads any more."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from io import TextIOWrapper
from typing import TextIO

_lost: list[OSError] = []


def make_ready() -> None:
    """Gives every stream that is missing a place where nothing stays, and lets all take any text.

    A value may hold signs that the terminal has none for: they are shown as escapes.
    """
    _lost.clear()
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, _nowhere(mode))
    for stream in (sys.stdout, sys.stderr):
        change = getattr(stream, "reconfigure", None)
        if change is not None:
            change(errors="backslashreplace")


def _nowhere(mode: str) -> TextIO:
    # It takes the lowest free number, which is that of the missing stream: no file that is opened
    # later, such as a journal, may get it and be written to as if it were that stream.
    number = os.open(os.devnull, os.O_RDWR)
    return TextIOWrapper(os.fdopen(number, f"{mode}b"), encoding="utf-8")


def put(stream: TextIO, text: str) -> bool:
    """Writes text, seen at once; false when nobody can read it any more.

    Whoever reads may have gone, and the disk behind a file may be full: the work goes on, and
    `lost_output` tells of it in the end.
    """
    try:
        stream.write(text)
        stream.flush()
    except OSError as fault:
        _give_up(stream, fault)
        return False
    return True


def lost_output() -> OSError | None:
    """Why standard output could not be written; None when all of it was, or nobody wanted it."""
    try:
        sys.stdout.flush()
    except OSError as fault:
        _give_up(sys.stdout, fault)
    except ValueError:  # It has been closed.
        return None
    return _lost[0] if _lost else None


def why_lost(fault: OSError) -> str:
    """Half a sentence: `no space left`."""
    from engine.store.files import reason  # Late: only a fault needs it.

    return "no space left" if fault.errno == errno.ENOSPC else reason(fault)


def _give_up(stream: TextIO, fault: OSError) -> None:
    if not isinstance(fault, BrokenPipeError) and stream is not sys.stderr:
        _lost.append(fault)
    # What is still in the stream goes nowhere, or the end of the program would complain.
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
