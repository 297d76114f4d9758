"""Errors told to a person, or to a program that asked for JSON."""

from __future__ import annotations

import sys
import traceback
from typing import Any, Literal

from engine.cli.json_output import print_json
from engine.cli.secret_cover import cover_of_secrets
from engine.cli.streams import put
from engine.cli.terminal import Screen
from engine.errors import (
    FlowCheckError,
    FlowFileError,
    JournalError,
    LoopwrightError,
    StoreError,
)
from engine.store.files import reason, remedy

FINISHED, USAGE, ERROR, PAUSED, STOPPED, INTERRUPTED = 0, 2, 3, 4, 5, 130
"""What the program ends with."""

ErrorForm = Literal["text", "json", "run"]
"""How an error is told: in words, as JSON too, or as the JSON that a run would have printed."""

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


def tell_any(fault: Exception, form: ErrorForm, run_id: str | None = None) -> int:
    """Tells what went wrong, whatever it was; the exit code."""
    if isinstance(fault, LoopwrightError):
        return tell(fault, form, run_id)
    if isinstance(fault, OSError):
        return tell(disk_fault(fault), form, run_id)
    return apologise(fault, form)


def tell(fault: LoopwrightError, form: ErrorForm, run_id: str | None = None) -> int:
    """Tells what went wrong; the exit code.

    Args:
        fault: What went wrong.
        form: With JSON the same stands on standard output as an object, so that a program never
            finds it empty.
        run_id: The run that it happened in, if one had begun.
    """
    screen = Screen(sys.stderr, cover_of_secrets())
    for problem in fault.problems if isinstance(fault, InvalidFlowError) else ():
        text = f"{problem['message']} {problem['hint']}".strip()
        screen.told(screen.show(text), f"  {screen.paint(screen.glyph('✗'), 'red')} ")
    screen.told(screen.show(fault.message), screen.paint("loopwright: ", "red"), "  ")
    if fault.hint:
        screen.told(screen.show(fault.hint), "  ")
    if form != "text":
        print_error(screen.cover(error_record(fault)), form, run_id)
    return exit_code_of(fault)


def print_error(error: dict[str, Any], form: ErrorForm, run_id: str | None = None) -> None:
    """Prints an error as the one JSON object of this call."""
    if form == "json":
        print_json({"status": "error", "error": error})
        return
    nothing: dict[str, Any] = {name: [] for name in ("requests", "warnings", "steps", "unmatched")}
    values: dict[str, Any] = {"output": None, "messages": [], "context": {}, "error": error}
    print_json({"run_id": run_id, "status": "error", **values, **nothing})


def disk_fault(fault: OSError) -> StoreError:
    """What the system refused, in words: which file, why, and what to try."""
    which = f"'{fault.filename}'" if fault.filename else "A file or folder that is needed"
    hint = remedy(fault) or "See to it, and try again; `loopwright doctor` looks at every place."
    return StoreError(f"{which} cannot be used: {reason(fault)}.", hint)


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


def apologise(fault: BaseException, form: ErrorForm) -> int:
    """Tells of a fault of the program itself; the whole of it goes into a file."""
    text = "".join(traceback.format_exception(fault))
    where = _kept(_covered(text))
    message = f"Loopwright itself failed: {type(fault).__name__}. This is not your mistake."
    hint = f"Please send the file '{where}' to its makers." if where else ""
    detail = "" if where else _covered(text)
    apology = LoopwrightError(message, hint, detail)
    code = tell(apology, form)
    if detail:
        put(sys.stderr, detail)
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
