"""Ctrl+C: the first stops the run so that it can be resumed, the second ends the program."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

from engine.cli.streams import put

INTERRUPTED = 130


class Interrupts:
    """While it is entered, Ctrl+C and a request to end are answered by stopping the run.

    Attributes:
        was_interrupted: Whether Ctrl+C was pressed.
        was_ended: Whether the system asked the program to end.
    """

    def __init__(self, stop: Callable[[], None]) -> None:
        self.was_interrupted = False
        self.was_ended = False
        self.is_asking = False
        self._stop = stop
        self._loop: asyncio.AbstractEventLoop | None = None
        self._before: dict[int, Any] = {}

    @property
    def came(self) -> bool:
        """Whether the run is to stop."""
        return self.was_interrupted or self.was_ended

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._take)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    async def watch(self, work: Callable[[], Any]) -> None:
        """Does the work; a request to stop that came before is carried out as it begins."""
        self._loop = asyncio.get_running_loop()
        if self.came:
            self._loop.call_soon(self._stop)
        try:
            await work()
        finally:
            self._loop = None

    def _take(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self.came:
            # The journal holds whole records alone: the run can be resumed even so.
            os._exit(INTERRUPTED)
        if number == signal.SIGINT:
            self.was_interrupted = True
        else:
            self.was_ended = True
        if self.is_asking:
            raise KeyboardInterrupt
        put(sys.stderr, "\nStopping the run ... (press again to end at once)\n")
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._stop)
