"""Large values, stored once by hash beside the journal.

A record that grows long gives up its large parts: each becomes a file named by its hash, and the
record's own key `blobs` lists where they belong. No value inside a record is ever read as a
reference, so nothing that a person or a model writes can be taken for one.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from engine.errors import JournalError
from engine.store.codec import decode, encode
from engine.store.files import reason, remedy, sync_file, sync_folder, write_whole

LARGE = 8 * 1024
"""Bytes from which on a value is stored beside the journal."""

BLOBS_KEY = "blobs"
# Parts are sought this deep; a chain of boxes inside boxes is stored whole below.
_LEVELS = 8
_DIGEST = re.compile(r"[0-9a-f]{64}")
# A character takes six bytes at most (`\\u0000`): shorter text cannot be large.
_SURELY_SMALL = LARGE // 6 - 2

Place = list[str | int]


class BlobFolder:
    """The files that hold a run's large values; made when the first one comes.

    Args:
        path: The folder, `blobs` beside the journal.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: set[str] = set()
        self._unsynced: deque[Path] = deque()

    def put(self, body: bytes) -> tuple[str, int]:
        """Stores an encoded value; gives its hash and how many bytes were new.

        Raises:
            JournalError: The disk refuses.
        """
        digest = _digest(body)
        if digest in self._known:
            return digest, 0
        path = self.path / digest
        try:
            written = self._write(path, body)
        except OSError as fault:
            msg = f"A large value cannot be written to '{self.path}': {reason(fault)}."
            raise JournalError(msg, remedy(fault)) from fault
        self._known.add(digest)
        return digest, written

    def _write(self, path: Path, body: bytes) -> int:
        # After a power cut a file may stand there empty: only a whole one counts.
        written = 0 if _size(path) == len(body) else len(body)
        if written:
            self.path.mkdir(exist_ok=True)
            write_whole(path, body, durable=False)
        self._unsynced.append(path)
        return written

    def sync(self) -> None:
        """Waits until every value stored so far has reached the disk."""
        folders: set[Path] = set()
        while self._unsynced:
            path = self._unsynced[0]
            sync_file(path)
            folders.update((path.parent, path.parent.parent))
            self._unsynced.popleft()
        for folder in folders:
            sync_folder(folder)

    def load(self, digest: str) -> Any:
        """A stored value.

        Raises:
            JournalError: It is missing or damaged.
        """
        if not _DIGEST.fullmatch(digest):
            raise JournalError(f"'{digest[:80]}' is no name of a large value.")
        path = self.path / digest
        try:
            body = path.read_bytes()
        except OSError as fault:
            msg = f"A large value of this run is missing: '{path}': {reason(fault)}."
            raise JournalError(msg, "Put the file back from a copy of the run's folder.") from fault
        try:
            if _digest(body) == digest:
                return decode(body)
        except ValueError:
            pass  # Whole but of no known form: reported like any other damage.
        raise JournalError(
            f"A large value of this run is damaged: '{path}' is not what was written.",
            "Put the file back from a copy of the run's folder.",
        )


def load_blob(folder: Path, digest: str) -> Any:
    """A large value by its hash; `folder` is the run's `blobs` folder.

    Raises:
        JournalError: It is missing or damaged.
    """
    return BlobFolder(folder).load(digest)


def take_out(
    record: Mapping[str, Any], store: Callable[[bytes], str], keep: Collection[str]
) -> dict[str, Any]:
    """The record with its large parts stored and listed under `blobs`; fields in `keep` stay."""
    found: list[tuple[Place, str]] = []
    reduced = {
        field: value if field in keep else _reduced(value, [field], store, found)
        for field, value in record.items()
    }
    if found:
        reduced[BLOBS_KEY] = found
    return reduced


def put_back(record: MutableMapping[str, Any], load: Callable[[str], Any]) -> None:
    """Undoes `take_out`, in place.

    Raises:
        JournalError: A value is missing or damaged, or the list does not fit the record.
    """
    try:
        _put_back(record, load)
    except (TypeError, ValueError, LookupError) as fault:
        raise JournalError("Its list of large values does not fit it.") from fault


def _put_back(record: MutableMapping[str, Any], load: Callable[[str], Any]) -> None:
    for place, digest in record.pop(BLOBS_KEY, ()):
        box: Any = record
        for step in place[:-1]:
            box = box[step]
        box[place[-1]] = load(digest)


def _reduced(
    value: Any, place: Place, store: Callable[[bytes], str], found: list[tuple[Place, str]]
) -> Any:
    if isinstance(value, str):
        if len(value) <= _SURELY_SMALL:
            return value
    elif value is None or isinstance(value, (bool, int, float)):
        return value
    body = encode(value)
    if len(body) <= LARGE:
        return value
    before = len(found)
    if not isinstance(value, str) and len(place) < _LEVELS:
        inner = _with_reduced_parts(value, place, store, found)
        if len(found) > before:
            return inner
    found.append((place, store(body)))
    return None


def _with_reduced_parts(
    value: Any, place: Place, store: Callable[[bytes], str], found: list[tuple[Place, str]]
) -> Any:
    if isinstance(value, Mapping):
        return {name: _reduced(part, [*place, name], store, found) for name, part in value.items()}
    return [_reduced(part, [*place, index], store, found) for index, part in enumerate(value)]


def _digest(body: bytes) -> str:
    # Imported late: most runs have no large value.
    from hashlib import sha256

    return sha256(body).hexdigest()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return -1
