"""Python in a box: a subset of the language, run by pydantic-monty in a process of its own.

No files, no network, no other programs, no third-party packages. The process is ended when the
call is cancelled.
"""

from __future__ import annotations

import asyncio
import json
import keyword
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from engine.errors import NodeError
from engine.sandbox.data import Copy, from_wire
from engine.sandbox.faults import box_lost, too_long, too_slow, unfit_result
from engine.sandbox.limits import GRACE, LONGEST_CODE, Limits, OnPrint, Printed
from engine.sandbox.python_faults import in_words
from engine.sandbox.python_result import PREPARE, WRITE
from engine.sandbox.python_source import ready

if TYPE_CHECKING:
    from pydantic_monty import AsyncMonty, AsyncMontySession, OSPolicy, ResourceLimits

_MOST_PROCESSES = 32
_DEEPEST_CALLS = 500

_pools: list[AsyncMonty] = []


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
    try:
        async with asyncio.timeout(limits.seconds + GRACE):
            text = await _run(source, values, limits, printed, code)
    except TimeoutError:
        # The code was asleep: that does not count as running inside the box.
        raise too_slow(limits) from None
    finally:
        printed.hand_over(on_print)
    return _value(text)


async def _run(
    source: str, values: dict[str, Any], limits: Limits, printed: Printed, code: str
) -> str:
    from pydantic_monty import MontyError

    pool = await _pool()
    try:
        async with pool.checkout(
            script_name="code.py", limits=_resources(limits), os_policy=_system(limits)
        ) as session:
            await _feed(session, PREPARE, {}, printed)
            await _feed(session, source, values, printed)
            done = await _feed(session, WRITE, {}, printed)
            return str(done.output)
    except MontyError as error:
        raise in_words(error, code, limits, sorted(values)) from None


async def _feed(
    session: AsyncMontySession, source: str, values: dict[str, Any], printed: Printed
) -> Any:
    """Runs a piece of code to its end; its value stays in the box until it is asked for."""
    from pydantic_monty import MontyComplete

    step = await session.feed_start(source, inputs=values, print_callback=printed.add)
    while not isinstance(step, MontyComplete):
        step = await step.resume_auto()
    return step


async def _pool() -> AsyncMonty:
    """The worker processes, started when code is first run; they end with the program."""
    if not _pools:
        # Loaded late: most flows run no code.
        from pydantic_monty import AsyncMonty

        pool = AsyncMonty(
            min_processes=1, max_processes=_MOST_PROCESSES, feed_duration_limit_grace=GRACE
        )
        await pool.__aenter__()
        _pools.append(pool)
    return _pools[0]


def _resources(limits: Limits) -> ResourceLimits:
    return {
        "max_feed_duration_secs": limits.seconds,
        "max_memory": limits.memory_bytes,
        "max_recursion_depth": _DEEPEST_CALLS,
    }


def _system(limits: Limits) -> OSPolicy:
    """The clock of the box shows the person's own time; a sleep ends with the time limit."""
    zone = datetime.now().astimezone()
    offset = zone.utcoffset()
    assert offset is not None
    return {
        "timezone": {"offset_seconds": round(offset.total_seconds()), "name": zone.tzname() or ""},
        "sleep_system_max": limits.seconds + GRACE,
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
