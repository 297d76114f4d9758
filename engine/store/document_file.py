"""A TinyDB file that cannot tear, lose a change of another program, or be misread when damaged.

The file is plain JSON on one line: a header with a checksum, then TinyDB's tables.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from engine.errors import JournalError, StoreError
from engine.store.codec import decode, encode
from engine.store.files import reason, remedy, write_whole
from engine.store.locks import FileLock
from engine.store.places import make_folder

if TYPE_CHECKING:
    from tinydb import TinyDB

    from engine.store.tiny_storage import ChangeStorage, Tables

VERSION = 1
_HEADER = re.compile(
    rb'\{"format":"([a-z.]+)","version":(\d{1,9}),"codec":"(fast|exact)","crc32":"([0-9a-f]{8})",'
    rb'"tables":'
)
_CODEC_NAMES = {b" ": b"fast", b"~": b"exact"}
_CODECS = {name: codec for codec, name in _CODEC_NAMES.items()}
_END = b"}\n"


class DamagedFileError(StoreError):
    """A file that is not what was written; it has been kept aside.

    Args:
        message: Which file, and where it is kept now.
        hint: What to try.
        kept_as: Where it is kept now.
    """

    def __init__(self, message: str, hint: str, kept_as: Path) -> None:
        super().__init__(message, hint)
        self.kept_as = kept_as


class DocumentFile:
    """Tables of documents in one file, shared between programs.

    Args:
        path: The file; missing means empty.
        kind: Name of its format, such as `loopwright.flows`.
        title: What a person calls it, such as `library of flows`.
    """

    def __init__(self, path: Path, kind: str, title: str) -> None:
        self.path = path
        self._kind = kind.encode()
        self._title = title

    @contextmanager
    def reading(self) -> Iterator[TinyDB]:
        """The tables as they are now.

        Raises:
            DamagedFileError: The file is damaged; it has been kept aside.
            StoreError: It cannot be read.
        """
        with _database(self._read()) as (database, _):
            yield database

    @contextmanager
    def changing(self) -> Iterator[TinyDB]:
        """As `reading`, with no other program changing them meanwhile.

        What the block changed is written whole when it ends, and not at all if it raises.
        """
        make_folder(self.path.parent)
        with self._lock(), _database(self._read_locked()) as (database, storage):
            yield database
            if storage.changed:
                self._write(storage.tables)

    def damaged_copies(self) -> list[Path]:
        """Damaged files that were kept aside, oldest first."""
        return sorted(self.path.parent.glob(f"{self.path.name}.damaged-*"))

    def _lock(self) -> FileLock:
        return FileLock(self.path.with_name(f"{self.path.name}.lock"))

    def _read(self) -> Tables:
        tables = self._tables()
        if tables is not None:
            return tables
        # Looked at again under the lock: another program may have put it right.
        with self._lock():
            return self._read_locked()

    def _read_locked(self) -> Tables:
        tables = self._tables()
        if tables is None:
            raise self._keep_aside()
        return tables

    def _tables(self) -> Tables | None:
        """The tables; None when the file is damaged."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as fault:
            msg = f"The {self._title} '{self.path}' cannot be read: {reason(fault)}."
            raise StoreError(msg, remedy(fault)) from fault
        header = _HEADER.match(data)
        if header is None or header[1] != self._kind or not data.endswith(_END):
            return None
        if int(header[2]) > VERSION:
            msg = f"The {self._title} '{self.path}' was written by a newer version of Loopwright."
            raise StoreError(msg, "Install that version, or set LOOPWRIGHT_HOME to another folder.")
        body = _CODECS[header[3]] + data[header.end() : -len(_END)]
        return _sound_tables(body) if header[4] == b"%08x" % crc32(body) else None

    def _write(self, tables: Tables) -> None:
        try:
            body = encode(tables)
        except JournalError as fault:
            msg = f"The {self._title} cannot hold this: {fault.message}"
            raise StoreError(msg, fault.hint) from fault
        header = b'{"format":"%b","version":%d,"codec":"%b","crc32":"%08x","tables":' % (
            self._kind,
            VERSION,
            _CODEC_NAMES[body[:1]],
            crc32(body),
        )
        try:
            # Of programs that were killed while writing; the lock is ours, so nobody writes now.
            for leftover in self.path.parent.glob(f".{self.path.name}.*.part"):
                leftover.unlink()
            write_whole(self.path, header + body[1:] + _END)
        except OSError as fault:
            msg = f"The {self._title} '{self.path}' cannot be written: {reason(fault)}."
            raise StoreError(msg, remedy(fault)) from fault

    def _keep_aside(self) -> StoreError:
        stamp = time.strftime("%Y%m%d-%H%M%S")
        kept, count = self.path.with_name(f"{self.path.name}.damaged-{stamp}"), 1
        while kept.exists():
            count += 1
            kept = self.path.with_name(f"{self.path.name}.damaged-{stamp}-{count}")
        try:
            self.path.rename(kept)
        except OSError as fault:
            msg = f"The {self._title} '{self.path}' is damaged: {reason(fault)}."
            return StoreError(msg, remedy(fault) or "Move it away by hand.")
        return DamagedFileError(
            f"The {self._title} '{self.path.name}' is damaged and has been kept as '{kept}'.",
            "Put a copy back in its place; otherwise it begins anew, empty.",
            kept,
        )


@contextmanager
def _database(tables: Tables) -> Iterator[tuple[TinyDB, ChangeStorage]]:
    # Late: TinyDB is not needed to start a program that only prints its help.
    from tinydb import TinyDB

    from engine.store.tiny_storage import ChangeStorage

    storage = ChangeStorage(tables)
    # A database per change: TinyDB's caches would not see what other programs write.
    with TinyDB(storage=lambda: storage) as database:
        yield database, storage


def _sound_tables(body: bytes) -> Tables | None:
    try:
        tables = decode(body)
    except ValueError:
        return None
    sound = isinstance(tables, dict) and all(isinstance(each, dict) for each in tables.values())
    return tables if sound else None
