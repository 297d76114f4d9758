"""Tasks that begin at once: a coroutine that ends without awaiting never meets the event loop."""

from __future__ import annotations

import asyncio
import sys
from asyncio import events, futures, tasks
from collections.abc import Coroutine
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")

if sys.version_info >= (3, 12):

    def start_eagerly(
        coroutine: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop
    ) -> asyncio.Task[T]:
        """A task that has already run up to its first wait; it may be done."""
        return asyncio.Task(coroutine, loop=loop, eager_start=True)

else:

    class _EagerTask(tasks._PyTask):  # type: ignore[name-defined,misc]
        """What `eager_start` does from Python 3.12 on."""

        def __init__(self, coroutine: Coroutine[Any, Any, Any], loop: Any) -> None:
            futures._PyFuture.__init__(self, loop=loop)  # type: ignore[attr-defined]
            self._name = "step"
            self._num_cancels_requested = 0
            self._must_cancel = False
            self._fut_waiter = None
            self._coro = coroutine
            self._context = copy_context()
            around = tasks.current_task(loop)
            if around is not None:
                tasks._leave_task(loop, around)
            try:
                self._context.run(self._Task__step)
            finally:
                if around is not None:
                    tasks._enter_task(loop, around)
            if not self.done():
                tasks._register_task(self)

    def start_eagerly(
        coroutine: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop
    ) -> asyncio.Task[T]:
        """A task that has already run up to its first wait; it may be done."""
        task: asyncio.Task[T] = _EagerTask(coroutine, loop)
        return task


def running_loop() -> asyncio.AbstractEventLoop:
    """The loop that runs this thread's tasks."""
    return events.get_running_loop()
