"""Calls that wait in a thread for another process, and end with it when they are cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TypeVar

MOST_AT_ONCE = 32
_SLACK = 0.3
"""Seconds for starting a process on a busy machine."""

Value = TypeVar("Value")


class BoxEndedError(Exception):
    """The call was cancelled before its process was there."""


class Lease:
    """The process that a call runs in, for as long as it does."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kill: Callable[[], None] | None = None
        self._ended = False

    @contextmanager
    def on(self, kill: Callable[[], None]) -> Iterator[None]:
        """While this lasts, ending the lease kills the process.

        Raises:
            BoxEndedError: The lease has ended already.
        """
        with self._lock:
            if self._ended:
                raise BoxEndedError
            self._kill = kill
        try:
            yield
        finally:
            with self._lock:
                self._kill = None

    @property
    def ended(self) -> bool:
        """Whether the call was cancelled."""
        return self._ended

    def end(self) -> None:
        """Kills the process, if it still works for this call, and keeps it from starting."""
        with self._lock:
            self._ended = True
            if self._kill is not None:
                self._kill()


async def in_thread(work: Callable[[Lease], Value], seconds: float) -> Value:
    """What `work` gives; its process is killed when the call is cancelled or too slow.

    Raises:
        TimeoutError: It took longer than `seconds`.
    """
    lease = Lease()
    waiting = asyncio.get_running_loop().run_in_executor(_threads(), work, lease)
    try:
        async with asyncio.timeout(seconds + _SLACK):
            return await waiting
    finally:
        # Does nothing where the work has come to its own end.
        lease.end()


@cache
def _threads() -> ThreadPoolExecutor:
    # Threads of our own: the loop's shared ones are few, and code may run for minutes.
    return ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="code-box")
