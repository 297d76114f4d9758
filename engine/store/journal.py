"""Writes a run's journal: one whole line per record, on the disk within a tenth of a second."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from zlib import crc32

from engine.errors import JournalError
from engine.store.background_sync import BackgroundSync
from engine.store.blobs import BLOBS_KEY, LARGE, BlobFolder, load_blob, take_out
from engine.store.codec import encode
from engine.store.files import BINARY, CLOSE_ON_EXEC, PRIVATE, reason, remedy, sync_folder
from engine.store.journal_reader import JournalContents, JournalDamagedError, read_journal

__all__ = [
    "JOURNAL_NAME",
    "JournalContents",
    "JournalDamagedError",
    "JournalWriter",
    "load_blob",
    "read_journal",
]

JOURNAL_NAME = "journal.log"
"""The journal's file name in a run's folder."""

_sync_data: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)


class JournalWriter:
    """Appends records to a journal.

    Args:
        path: The file; its folder exists.
        start_n: Number of the first record to be written; 0 makes a new journal.
        end: Where the last whole record ends, in bytes; what follows is cut off. None: found
            out by reading.
        keep_inline: Fields whose values stay in the journal however large they are.
        sync_every_s: How long a written record may wait for the disk.
        write: What writes bytes to a descriptor.

    Raises:
        JournalError: The journal exists already, is not what the caller read, or the disk refuses.
    """

    def __init__(
        self,
        path: Path,
        *,
        start_n: int = 0,
        end: int | None = None,
        keep_inline: Collection[str] = (),
        sync_every_s: float = 0.1,
        write: Callable[[int, bytes], int] = os.write,
    ) -> None:
        self.path = path
        self.next_n = start_n
        if end is None:
            end = _end_of_journal(path, start_n)
        self.size = end
        self._keep = frozenset(("n", "kind", *keep_inline))
        self._write = write
        self._blobs = BlobFolder(path.parent / BLOBS_KEY)
        self._descriptor = _open(path, end)
        self._out_of_use = ""
        self._synced_size = -1
        self._sync = BackgroundSync(self._bring_to_disk, sync_every_s)

    @classmethod
    def reopen(cls, contents: JournalContents, **options: Any) -> Self:
        """Goes on behind what was read: a torn end is cut off, damage is first copied aside.

        Args:
            contents: From `read_journal`.
            **options: `keep_inline`, `sync_every_s`, `write`.
        """
        if contents.damage is not None:
            _copy_aside(contents.path)
        return cls(contents.path, start_n=contents.next_n, end=contents.end_offset, **options)

    def append(self, record: Mapping[str, Any]) -> int:
        """Writes a record under the next number; gives the bytes written, with new large values.

        The record names its `kind`; `n` is added as its first key, or must be the next number. It
        leaves `blobs` to the journal.

        Raises:
            JournalError: It holds something that is no JSON value, or the disk refuses. Nothing
                of it stays in the journal, and the next record may be written.
        """
        if self._out_of_use or self._sync.fault is not None:
            raise self._refusal()
        n = self.next_n
        numbered = {"n": n, **record}
        assert numbered["n"] == n, f"record {numbered['n']} cannot stand at place {n}"
        assert BLOBS_KEY not in record, "the key 'blobs' is the journal's own"
        body = encode(numbered)
        new_blob_bytes = 0
        if len(body) > LARGE:
            body, new_blob_bytes = self._without_large_values(numbered)
        line = b"%08x%b\n" % (crc32(body), body)
        self._write_line(line)
        self._sync.touch()
        return len(line) + new_blob_bytes

    def _without_large_values(self, record: dict[str, Any]) -> tuple[bytes, int]:
        new_bytes = 0

        def store(body: bytes) -> str:
            nonlocal new_bytes
            digest, written = self._blobs.put(body)
            new_bytes += written
            return digest

        return encode(take_out(record, store, self._keep)), new_bytes

    def _write_line(self, line: bytes) -> None:
        try:
            done = self._write(self._descriptor, line)
            while done < len(line):
                done += self._written_more(line[done:])
        except BaseException as fault:
            self._take_back()
            if not isinstance(fault, OSError):
                raise
            msg = f"The journal '{self.path}' cannot be written: {reason(fault)}."
            raise JournalError(msg, remedy(fault)) from fault
        self.size += len(line)
        self.next_n += 1

    def _written_more(self, rest: bytes) -> int:
        done = self._write(self._descriptor, rest)
        if done == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return done

    def _take_back(self) -> None:
        try:
            os.ftruncate(self._descriptor, self.size)
        except OSError as fault:
            # A half-written line must stay the last one: reading drops it only there.
            self._out_of_use = f"a half-written record could not be removed: {reason(fault)}"

    def _refusal(self) -> JournalError:
        why = self._out_of_use
        if not why and self._sync.fault is not None:
            why = f"what was written did not reach the disk: {reason(self._sync.fault)}"
        hint = "The run can be resumed from its last whole record once the disk works again."
        return JournalError(f"The journal '{self.path}' takes no more records: {why}.", hint)

    def sync(self) -> None:
        """Waits until everything written has reached the disk.

        Raises:
            JournalError: The disk refuses.
        """
        if not self._is_synced():
            try:
                self._sync.request().result()
            except OSError as fault:
                raise self._refusal() from fault

    async def sync_async(self) -> None:
        """As `sync`, while other work goes on."""
        if not self._is_synced():
            import asyncio  # Late: reading a journal needs no event loop.

            try:
                await asyncio.wrap_future(self._sync.request())
            except OSError as fault:
                raise self._refusal() from fault

    def _is_synced(self) -> bool:
        if self._out_of_use or self._sync.fault is not None:
            raise self._refusal()
        return self._synced_size == self.size

    def _bring_to_disk(self) -> None:
        size = self.size
        # Large values first: a record on the disk finds what it refers to.
        self._blobs.sync()
        _sync_data(self._descriptor)
        if self._synced_size < 0:
            sync_folder(self.path.parent)
            sync_folder(self.path.parent.parent)
        self._synced_size = size

    def close(self) -> None:
        """Brings everything to the disk and lets go of the file; a second call does nothing.

        Raises:
            JournalError: What was written did not reach the disk.
        """
        if self._descriptor < 0:
            return
        self._sync.stop()
        os.close(self._descriptor)
        self._descriptor = -1
        fault, closed = self._sync.fault, "it is closed"
        if fault is not None and not self._out_of_use:
            refusal = self._refusal()
            self._out_of_use = closed
            raise refusal from fault
        self._out_of_use = self._out_of_use or closed

    async def close_async(self) -> None:
        """As `close`, without keeping the event loop waiting for the disk."""
        if self._descriptor >= 0 and not self._out_of_use and self._sync.fault is None:
            await self.sync_async()
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _end_of_journal(path: Path, start_n: int) -> int:
    if start_n == 0:
        if path.exists() and path.stat().st_size:
            msg = f"The journal '{path}' exists already: a new run needs a folder of its own."
            raise JournalError(msg)
        return 0
    contents = read_journal(path, from_last_snapshot=True, with_blobs=False)
    if contents.next_n != start_n:
        msg = f"The journal '{path}' holds {contents.next_n} records, not {start_n}."
        raise JournalError(msg, "Another program may have written to it: open the run again.")
    return contents.end_offset


def _open(path: Path, end: int) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | BINARY | CLOSE_ON_EXEC
    try:
        descriptor = os.open(path, flags, PRIVATE)
        size = os.fstat(descriptor).st_size
        if size > end:
            os.ftruncate(descriptor, end)
    except OSError as fault:
        msg = f"The journal '{path}' cannot be opened for writing: {reason(fault)}."
        raise JournalError(msg, remedy(fault)) from fault
    if size < end:
        os.close(descriptor)
        msg = f"The journal '{path}' has become shorter since it was read."
        raise JournalError(msg, "Another program may have written to it: open the run again.")
    return descriptor


def _copy_aside(path: Path) -> None:
    import shutil  # Late: only damage needs it.

    copy = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    try:
        shutil.copyfile(path, copy)
    except OSError as fault:
        msg = f"The damaged journal '{path}' cannot be copied aside: {reason(fault)}."
        raise JournalError(msg, remedy(fault)) from fault
