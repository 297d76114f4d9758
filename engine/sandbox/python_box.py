"""Python in a box: a subset of the language, run by pydantic-monty in a process of its own.

No files, no network, no other programs, no third-party packages. The process is ended when the
call is cancelled.
"""

from __future__ import annotations

import json
import keyword
import os
import signal
from collections.abc import Mapping
from datetime import datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from engine.errors import NodeError
from engine.sandbox.data import Copy, from_wire
from engine.sandbox.faults import box_lost, too_long, too_slow, unfit_result
from engine.sandbox.limits import GRACE, LONGEST_CODE, Limits, OnPrint, Printed
from engine.sandbox.python_faults import in_words
from engine.sandbox.python_result import PREPARE, WRITE
from engine.sandbox.python_source import ready
from engine.sandbox.threads import MOST_AT_ONCE, Lease, in_thread

if TYPE_CHECKING:
    from pydantic_monty import (
        Monty,
        MontyComplete,
        MontyError,
        MontySession,
        OSPolicy,
        ResourceLimits,
    )

_DEEPEST_CALLS = 500
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


async def run_python(
    code: str,
    inputs: Mapping[str, Any],
    limits: Limits | None = None,
    on_print: OnPrint | None = None,
) -> Any:
    """The value of Python code: what it returns, else its `result`, else that of its last line.

    Args:
        code: The code; never a template.
        inputs: What the code sees, by name. It gets copies.
        limits: What it may use.
        on_print: Gets what the code printed, also when it fails.

    Raises:
        NodeError: It names the line, the cause, and what to try.
    """
    limits = limits or Limits()
    if len(code) > LONGEST_CODE:
        raise too_long(code)
    source, values = ready(code), _values(inputs)
    printed = Printed()
    work = partial(_run, source, values, limits, printed)
    try:
        text = await in_thread(work, limits.seconds + GRACE)
    except TimeoutError:
        raise too_slow(limits) from None
    except _error_type() as error:
        raise in_words(error, code, limits, sorted(values)) from None
    finally:
        printed.hand_over(on_print)
    return _value(text)


def _run(
    source: str, values: dict[str, Any], limits: Limits, printed: Printed, lease: Lease
) -> str:
    checkout = _pool().checkout(
        script_name="code.py", limits=_resources(limits), os_policy=_system()
    )
    with checkout as session:
        process = session.worker_pid
        assert process is not None
        with lease.on(partial(os.kill, process, _KILL)):
            _feed(session, PREPARE, {}, printed)
            _feed(session, source, values, printed)
            return str(_feed(session, WRITE, {}, printed).output)


def _feed(
    session: MontySession, source: str, values: dict[str, Any], printed: Printed
) -> MontyComplete:
    """Runs a piece of code to its end; its value stays in the box until it is asked for."""
    from pydantic_monty import MontyComplete

    step = session.feed_start(source, inputs=values, print_callback=printed.add)
    while not isinstance(step, MontyComplete):
        step = step.resume_auto()
    return step


@cache
def _pool() -> Monty:
    """The worker processes, started when code is first run; they end with the program."""
    # Loaded late: most flows run no code.
    from pydantic_monty import Monty

    pool = Monty(min_processes=1, max_processes=MOST_AT_ONCE, feed_duration_limit_grace=GRACE)
    return pool.__enter__()


def _error_type() -> type[MontyError]:
    from pydantic_monty import MontyError

    return MontyError


def _resources(limits: Limits) -> ResourceLimits:
    return {
        "max_feed_duration_secs": limits.seconds,
        "max_memory": limits.memory_bytes,
        "max_recursion_depth": _DEEPEST_CALLS,
    }


def _system() -> OSPolicy:
    """The clock of the box shows the person's own time."""
    zone = datetime.now().astimezone()
    offset = zone.utcoffset()
    assert offset is not None
    return {
        "timezone": {"offset_seconds": round(offset.total_seconds()), "name": zone.tzname() or ""},
    }


def _values(inputs: Mapping[str, Any]) -> dict[str, Any]:
    values = {}
    for name, value in inputs.items():
        if not name.isidentifier() or keyword.iskeyword(name):
            continue
        copy = Copy(value, name)
        if copy.half_characters:
            raise NodeError(
                f"`{name}` holds a text with half a character (a lone surrogate), which Python "
                "code cannot take.",
                "Such texts come from damaged data; JavaScript code can take them.",
            )
        values[name] = copy.value
    return values


def _value(text: str) -> Any:
    if text.startswith("e"):
        reason, path = json.loads(text[1:])
        raise unfit_result(str(reason), str(path))
    try:
        return from_wire(text)
    except ValueError as error:
        raise box_lost(str(error)) from error
