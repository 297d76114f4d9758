"""JavaScript in a box: the language itself, run by QuickJS in a process that holds nothing else.

No files, no network, no timers, no modules. The process is ended when the call is cancelled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from engine.errors import NodeError
from engine.sandbox.data import Copy, from_wire, to_wire
from engine.sandbox.faults import box_lost, fault, too_long, too_much_memory, too_slow, unfit_result
from engine.sandbox.javascript_process import ask
from engine.sandbox.limits import GRACE, LONGEST_CODE, Limits, OnPrint, Printed
from engine.sandbox.threads import in_thread

_FRAME = re.compile(r"\(<input>:(\d+)")
_PARSE_FAULT = re.compile(
    r"\s*at <input>:(\d+)\S*\n\s*at eval \(native\)\n\s*at (?:start|isScript) "
)
_SYNTAX_HINT = (
    "Look at this line and the one before it: a missing bracket, quote or comma? "
    "To give a record, write `result = {…}`."
)
_NAME_IN = re.compile(r"^'?([^']+?)'? is not defined$")
_OUTSIDE = re.compile(
    "require|fetch|XMLHttpRequest|WebSocket|process|window|document|module|exports|setTimeout|"
    "setInterval|setImmediate|localStorage|Deno|Bun"
)
_HALF = re.compile("[\ud800-\udfff]")


async def run_javascript(
    code: str,
    inputs: Mapping[str, Any],
    limits: Limits | None = None,
    on_print: OnPrint | None = None,
) -> Any:
    """The value of JavaScript code: what it returns, else its `result`, else that of its last line.

    Whole numbers come back as whole numbers, bigints too; `undefined` comes back as None. A
    number that JavaScript could not hold exactly goes in as a bigint.

    Args:
        code: The code; never a template.
        inputs: What the code sees, by name. It gets copies.
        limits: What it may use.
        on_print: Gets what the code printed with `console.log`, also when it fails.

    Raises:
        NodeError: It names the line, the cause, and what to try.
    """
    limits = limits or Limits()
    if len(code) > LONGEST_CODE:
        raise too_long(code)
    code = _readable(code)
    request = {
        "code": code,
        "values": to_wire(Copy({name: Copy(inputs[name], name).value for name in inputs})),
        "seconds": limits.seconds,
        "memory": limits.memory_bytes,
    }
    try:
        reply = await in_thread(partial(ask, request), limits.seconds + GRACE)
    except TimeoutError:
        raise too_slow(limits) from None
    if reply is None:
        raise box_lost("the process ended")
    printed = Printed()
    printed.add("stdout", reply["printed"])
    printed.hand_over(on_print)
    return _value(reply, code, limits, sorted(inputs))


def _readable(code: str) -> str:
    """The code with plain ends of lines, and half characters as the escapes that mean the same."""
    plain = code.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):x}", plain)


def _value(reply: Mapping[str, Any], code: str, limits: Limits, names: Sequence[str]) -> Any:
    if reply["fault"]:
        raise _limit_fault(reply["fault"], code, limits)
    text = reply["text"]
    if text == "pending":
        raise fault(
            code,
            None,
            "it waits for a promise that nothing will ever settle",
            "Timers are not offered here.",
        )
    if text.startswith("e"):
        raise _fault(json.loads(text[1:]), code, limits, names)
    try:
        return from_wire(text)
    except ValueError as error:
        raise box_lost(str(error)) from error


def _limit_fault(text: str, code: str, limits: Limits) -> NodeError:
    line = _line(text)
    if "interrupted" in text:
        return too_slow(limits, code, line)
    if "stack" in text:
        return _too_deep(code, line, text)
    return too_much_memory(limits, code, line)


def _fault(parts: list[str], code: str, limits: Limits, names: Sequence[str]) -> NodeError:
    if parts[0] == "unfit":
        return unfit_result(parts[1], parts[2])
    _, name, message, stack = parts
    line, detail = _line(stack), f"{name}: {message}\n{stack}"
    if message in ("out of memory", "string too long") or (message, name) == ("null", ""):
        return too_much_memory(limits, code, line)
    if message == "Maximum call stack size exceeded":
        return _too_deep(code, line, detail)
    if name == "SyntaxError" and _is_parse_fault(stack):
        return fault(code, line, f"this is not valid JavaScript: {message}", _SYNTAX_HINT, detail)
    words, hint = _explained(name, message, names)
    return fault(code, line, words, hint, detail)


def _is_parse_fault(stack: str) -> bool:
    """Whether the code itself could not be read, and not a text that it worked on."""
    return bool(_PARSE_FAULT.match(stack))


def _too_deep(code: str, line: int | None, detail: str) -> NodeError:
    return fault(code, line, "functions call each other too deeply", "Use a loop instead.", detail)


def _line(stack: str) -> int | None:
    """The innermost line of the code; a place in a text that the code worked on is none."""
    found = _PARSE_FAULT.match(stack) or _FRAME.search(stack.partition("at start (")[0])
    return int(found[1]) if found else None


def _explained(name: str, message: str, names: Sequence[str]) -> tuple[str, str]:
    missing = _NAME_IN.match(message) if name == "ReferenceError" else None
    if missing:
        what = f"there is no `{missing[1]}` here"
        if _OUTSIDE.fullmatch(missing[1]):
            return what, "Code in its box reaches no files, no network, no timers and no modules."
        return what, f"The code sees: {', '.join(names)}." if names else "Set it first."
    if name in ("", "Error"):
        return message or "the code threw something without a message", ""
    return f"{name}: {message}" if message else name, ""
