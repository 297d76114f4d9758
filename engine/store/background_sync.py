"""Brings written bytes to the disk in a thread of its own, so that no step waits for the disk."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future


class BackgroundSync:
    """Calls `work` a moment after `touch`, and at once on `request`.

    Args:
        work: Waits for the disk; runs in the thread alone.
        every_s: How long touches are gathered.
    """

    def __init__(self, work: Callable[[], None], every_s: float) -> None:
        self.fault: OSError | None = None
        self._work = work
        self._every_s = every_s
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._dirty = False
        self._stopping = False
        self._waiters: list[Future[None]] = []

    def touch(self) -> None:
        """Says that there is something to bring to the disk; costs nothing while one is due."""
        if not self._dirty:
            self._dirty = True
            with self._changed:
                self._start()
                self._changed.notify()

    def request(self) -> Future[None]:
        """Is done when everything written before the call has reached the disk.

        The future holds the OSError of a disk that refuses.
        """
        waiter: Future[None] = Future()
        with self._changed:
            assert not self._stopping, "nothing can be asked of a closed journal"
            self._waiters.append(waiter)
            self._start()
            self._changed.notify()
        return waiter

    def stop(self) -> None:
        """Does what is still due, then ends the thread."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _start(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._loop, name="journal-sync", daemon=True)
            self._thread.start()

    def _loop(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._dirty or self._hurried())
                self._changed.wait_for(self._hurried, timeout=self._every_s)
                waiters, self._waiters = self._waiters, []
                due, self._dirty = self._dirty or bool(waiters), False
                last = self._stopping
            if due:
                self._do_work([each for each in waiters if each.set_running_or_notify_cancel()])
            if last:
                return

    def _hurried(self) -> bool:
        return self._stopping or bool(self._waiters)

    def _do_work(self, waiters: list[Future[None]]) -> None:
        try:
            self._work()
        except OSError as fault:
            # Kept for whoever writes next: after one failure the disk's word is worth nothing.
            self.fault = fault
            for waiter in waiters:
                waiter.set_exception(fault)
        except BaseException as fault:
            for waiter in waiters:
                waiter.set_exception(fault)
            raise
        else:
            for waiter in waiters:
                waiter.set_result(None)
