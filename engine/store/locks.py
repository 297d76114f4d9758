"""A lock between programs that vanishes with the program that holds it.

Used directly instead of a library: every run takes two of these before its first step, a library
takes a tenth of the start-up time to import, and the refusal must name who holds the lock.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.errors import StoreError
from engine.store.files import BINARY, CLOSE_ON_EXEC, PRIVATE, reason, remedy

if sys.platform == "win32":
    import msvcrt

    # Far behind the content: Windows lets nobody read bytes that are locked.
    _LOCKED_BYTE = 1 << 30

    def _lock(descriptor: int) -> bool:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True
else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


_POLL_S = 0.005
_held: set[int] = set()


def _let_go_after_fork() -> None:
    # A forked child shares the lock and would keep it alive after its parent was killed.
    for descriptor in _held:
        with contextlib.suppress(OSError):
            os.close(descriptor)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_after_fork)


class FileLock:
    """Exclusive among programs and among locks of one program; ends when the program ends.

    Args:
        path: The lock file; made when missing, left behind afterwards.
        wait_s: How long entering the lock waits for whoever holds it.
        on_busy: Makes the error of a lock that stays held, given the holder's process id.
    """

    def __init__(
        self,
        path: Path,
        *,
        wait_s: float = 30.0,
        on_busy: Callable[[int | None], Exception] | None = None,
    ) -> None:
        self.path = path
        self._wait_s = wait_s
        self._on_busy = on_busy or self._busy
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        if self._descriptor is None:
            self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def acquire(self) -> None:
        """Takes the lock, waiting for its holder.

        Raises:
            StoreError: It stays held (or what `on_busy` made), or the disk refuses.
            FileNotFoundError: Its folder does not exist.
        """
        end = time.monotonic() + self._wait_s
        while not self.try_acquire():
            if time.monotonic() >= end:
                raise self._on_busy(lock_holder(self.path))
            time.sleep(_POLL_S)

    def try_acquire(self) -> bool:
        """Takes the lock if nobody holds it, and tells whether it did."""
        assert self._descriptor is None, "this lock is held already"
        while True:
            descriptor = self._open()
            if not self._locked(descriptor):
                os.close(descriptor)
                return False
            if _is_still_there(descriptor, self.path):
                break
            # Deleted between opening and locking: it would guard nothing.
            os.close(descriptor)
        self._descriptor = descriptor
        _held.add(descriptor)
        _sign(descriptor)
        return True

    def release(self) -> None:
        """Gives the lock back; nothing happens if it is not held."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None and descriptor in _held:
            _held.discard(descriptor)
            os.close(descriptor)

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | BINARY | CLOSE_ON_EXEC
        try:
            return os.open(self.path, flags, PRIVATE)
        except FileNotFoundError:
            raise
        except OSError as fault:
            raise self._refused(fault) from fault

    def _locked(self, descriptor: int) -> bool:
        try:
            return _lock(descriptor)
        except OSError as fault:
            os.close(descriptor)
            raise self._refused(fault) from fault

    def _refused(self, fault: OSError) -> StoreError:
        return StoreError(f"'{self.path}' cannot be locked: {reason(fault)}.", remedy(fault))

    def _busy(self, holder: int | None) -> StoreError:
        who = f"process {holder}" if holder else "another program"
        return StoreError(
            f"'{self.path}' has been held by {who} for {self._wait_s:g} seconds.",
            "Wait until it is done, or end it, and try again.",
        )


def _is_still_there(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _sign(descriptor: int) -> None:
    # The signature only serves messages: a full disk must not keep anyone from locking.
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, os.write(descriptor, b"%d\n" % os.getpid()))


def lock_holder(path: Path) -> int | None:
    """The process that last took a lock; None when unknown."""
    try:
        digits = path.read_bytes().strip()
    except OSError:
        return None
    return int(digits) if digits.isdigit() and len(digits) < 20 else None


def is_locked(path: Path) -> bool:
    """Whether anyone holds the lock just now."""
    try:
        descriptor = os.open(path, os.O_RDWR | BINARY | CLOSE_ON_EXEC)
    except OSError:
        return False
    try:
        return not _lock(descriptor)
    finally:
        os.close(descriptor)
