"""Errors told to a person, or to a program that asked for JSON."""

from __future__ import annotations

import sys
import traceback
from typing import Any

from engine.cli.json_output import print_json
from engine.cli.secret_cover import cover_of_secrets
from engine.cli.terminal import Screen
from engine.errors import (
    FlowCheckError,
    FlowFileError,
    JournalError,
    LoopwrightError,
    StoreError,
)

FINISHED, USAGE, ERROR, PAUSED, STOPPED, INTERRUPTED = 0, 2, 3, 4, 5, 130
"""What the program ends with."""

STATUS_CODES = {"finished": FINISHED, "error": ERROR, "paused": PAUSED, "stopped": STOPPED}


class InvalidFlowError(FlowCheckError):
    """A flow with mistakes that keep it from running.

    Args:
        message: Which flow.
        hint: What to try.
        problems: Each mistake as JSON.
    """

    def __init__(self, message: str, hint: str, problems: list[dict[str, Any]]) -> None:
        super().__init__(message, hint)
        self.problems = problems


def exit_code_of(fault: LoopwrightError) -> int:
    """2 for what the person can put right in the command or the flow, 3 for the rest."""
    is_disk = isinstance(fault, (JournalError, StoreError)) and not isinstance(fault, FlowFileError)
    return ERROR if is_disk else USAGE


def tell(fault: LoopwrightError, *, as_json: bool) -> int:
    """Tells what went wrong; the exit code.

    With `as_json` the same stands on standard output as an object, so that a program never
    finds it empty.
    """
    cover = cover_of_secrets()
    screen = Screen(sys.stderr, cover)
    for problem in fault.problems if isinstance(fault, InvalidFlowError) else ():
        text = f"{problem['message']} {problem['hint']}".strip()
        screen.line(f"  {screen.paint(screen.glyph('✗'), 'red')} {screen.show(text)}")
    screen.line(screen.paint("loopwright: ", "red") + screen.show(fault.message))
    if fault.hint:
        screen.line(f"  {screen.show(fault.hint)}")
    if as_json:
        print_json({"status": "error", "error": screen.cover(error_record(fault))})
    return exit_code_of(fault)


def error_record(fault: LoopwrightError) -> dict[str, Any]:
    """The error as JSON."""
    record: dict[str, Any] = {
        "kind": _kind(fault),
        "message": fault.message,
        "hint": fault.hint,
    }
    if fault.detail:
        record["detail"] = fault.detail
    if isinstance(fault, InvalidFlowError):
        record["problems"] = fault.problems
    return record


def _kind(fault: LoopwrightError) -> str:
    """A stable word: `usage`, `flow_file`, `run_locked`, ..."""
    name = type(fault).__name__.removesuffix("Error")
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def apologise(fault: BaseException, *, as_json: bool) -> int:
    """Tells of a fault of the program itself; the whole of it goes into a file."""
    text = "".join(traceback.format_exception(fault))
    where = _kept(_covered(text))
    message = f"Loopwright itself failed: {type(fault).__name__}. This is not your mistake."
    hint = f"Please send the file '{where}' to its makers." if where else ""
    detail = "" if where else _covered(text)
    apology = LoopwrightError(message, hint, detail)
    code = tell(apology, as_json=as_json)
    if detail:
        sys.stderr.write(detail)
    return ERROR if code == USAGE else code


def _covered(text: str) -> str:
    from engine.store.secrets import Secrets  # Late: only a fault of the program needs it.

    return Secrets().redactor().text(text)


def _kept(text: str) -> str:
    """The file that the text was written to; empty when it cannot be."""
    import time
    from contextlib import suppress

    from engine.store.places import default_places, make_folder

    with suppress(LoopwrightError, OSError):
        cache = default_places().cache
        make_folder(cache)
        path = cache / f"fault-{time.strftime('%Y%m%d-%H%M%S')}.txt"
        path.write_text(text, "utf-8", "backslashreplace")
        return str(path)
    return ""
