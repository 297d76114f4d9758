"""What pydantic-monty says about a failure, in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.errors import NodeError
from engine.sandbox.faults import box_lost, fault, too_much_memory, too_slow
from engine.sandbox.limits import Limits

if TYPE_CHECKING:
    from pydantic_monty import MontyError

MODULES = (
    "base64, collections, dataclasses, datetime, decimal, functools, hashlib, itertools, json, "
    "math, random, re, time"
)
_OUTSIDE = "Code in its box reaches no files, no network and no other programs."
_UNSUPPORTED = re.compile(r"(?:The monty syntax parser does not yet support )?(.*)", re.DOTALL)
_QUOTED = re.compile(r"'([^']*)'")


def in_words(error: MontyError, code: str, limits: Limits, names: Sequence[str]) -> NodeError:
    """The failure of a piece of code.

    Args:
        error: What the box raised.
        code: The code as the person wrote it.
        limits: Those that were in force.
        names: What the code could see.
    """
    from pydantic_monty import MontyCrashedError

    text = _start_of(error)
    if isinstance(error, MontyCrashedError):
        return too_slow(limits) if error.timed_out else box_lost(text)
    line, detail = _place(error)
    kind, _, reason = text.partition(": ")
    if not kind.isidentifier():
        kind, reason = "", text
    if reason.startswith(("feed time limit", "turn time limit", "maximum total sleep")):
        return too_slow(limits, code, line)
    if kind == "MemoryError":
        return too_much_memory(limits, code, line)
    words, hint = _explained(kind, reason, names)
    return fault(code, line, words, hint, f"{text}\n{detail}".strip())


def _start_of(error: MontyError) -> str:
    return str(error)[:3000]


def _place(error: Any) -> tuple[int | None, str]:
    """The innermost line of the person's code, and the way there."""
    frames = error.traceback() if hasattr(error, "traceback") else []
    lines = [frame.line for frame in frames if frame.filename != "<string>"]
    names = [f"line {frame.line} in {frame.function_name or 'the code'}" for frame in frames]
    return (lines[-1] if lines else None), ", ".join(names[-20:])


def _explained(kind: str, reason: str, names: Sequence[str]) -> tuple[str, str]:
    name = found[1] if (found := _QUOTED.search(reason)) else ""
    match kind:
        case "ZeroDivisionError":
            return "a number is divided by zero", "Check the divisor first, for example with `if`."
        case "NameError" | "UnboundLocalError":
            seen = f"The code sees: {', '.join(names)}." if names else "Set it first."
            return f"there is no `{name}` here", seen
        case "KeyError":
            missing = reason.strip("'")
            return f"there is no key `{missing}`", "`record.get(key)` gives None instead."
        case "IndexError":
            return f"the list or text is too short ({reason})", "Check its length with `len`."
        case "ModuleNotFoundError" | "ImportError":
            return f"the module `{name}` is not offered here ({reason})", f"Offered: {MODULES}, …"
        case "PermissionError" | "FileNotFoundError" | "OSError":
            return f"code may not reach outside its box ({reason})", _OUTSIDE
        case "RecursionError":
            return "functions call each other too deeply", "Use a loop instead."
        case "NotImplementedError":
            found = _UNSUPPORTED.fullmatch(reason)
            what = found[1] if found else reason
            return f"{what} cannot be used here", "The box runs the everyday part of Python."
        case "SystemExit" | "KeyboardInterrupt":
            return "the code may not end the program", "Use `return` or an `if`."
        case "RuntimeError" if "is not supported in this environment" in reason:
            return f"{_without(reason)} is not offered here", _hint_outside(name)
        case "":
            return reason, ""
        case _:
            return (f"{kind}: {reason}" if reason else kind), ""


def _without(reason: str) -> str:
    return reason.partition(" is not supported in this environment")[0].replace("'", "`")


def _hint_outside(name: str) -> str:
    return "Use a Wait node to wait." if "sleep" in name else _OUTSIDE
