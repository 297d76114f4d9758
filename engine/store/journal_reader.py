"""Reads a run's journal: every line checked, a torn end dropped, any other damage refused.

A line is the checksum of what follows it (eight hexadecimal digits), a character that names the
codec, one JSON object whose first key is its number `n`, and a line feed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

from engine.errors import JournalError
from engine.store.blobs import BLOBS_KEY, BlobFolder, put_back
from engine.store.codec import decode
from engine.store.files import reason, remedy

_SNAPSHOT = b'"kind":"snapshot"'


class JournalDamagedError(JournalError):
    """A journal with a damaged line; what stands before it can be opened.

    Args:
        message: Which line, and what is wrong with it.
        whole_records: How many whole records come before the damage.
        end_offset: Where the last of them ends, in bytes.
    """

    def __init__(self, message: str, *, whole_records: int, end_offset: int) -> None:
        hint = f"The {whole_records} records before it are whole: open the run up to there."
        if whole_records == 0:
            hint = "Nothing before it is whole: put the file back from a copy."
        super().__init__(message, hint)
        self.whole_records = whole_records
        self.end_offset = end_offset


@dataclass(slots=True)
class JournalContents:
    """What a journal holds.

    Args:
        path: The journal file.
        records: In order; after `from_last_snapshot` the first, then from the last snapshot on.
        next_n: The number that the next record gets.
        end_offset: Where the last whole record ends, in bytes.
        torn: Whether a half-written last line was dropped.
        snapshot_index: Where in `records` the last snapshot stands; None without one.
        snapshot_bytes: What the last snapshot takes in the file.
        bytes_since_snapshot: What was written after it.
        damage: What was left out when opened up to the damage.
    """

    path: Path
    records: list[dict[str, Any]] = field(default_factory=list)
    next_n: int = 0
    end_offset: int = 0
    torn: bool = False
    snapshot_index: int | None = None
    snapshot_bytes: int = 0
    bytes_since_snapshot: int = 0
    damage: JournalDamagedError | None = None


def read_journal(
    path: Path,
    *,
    from_last_snapshot: bool = False,
    up_to_damage: bool = False,
    with_blobs: bool = True,
) -> JournalContents:
    """The records of a journal.

    Args:
        path: The journal file.
        from_last_snapshot: Check every line, but give only the first record and those from the
            last snapshot on.
        up_to_damage: Give what stands before the first damaged line instead of refusing.
        with_blobs: Put large values back; otherwise None stands for them, and the record's key
            `blobs` lists `[place, hash]` for `engine.store.blobs.load_blob`.

    Raises:
        JournalDamagedError: A line is damaged, missing or doubled, or a large value is.
        JournalError: The file cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as fault:
        msg = f"The journal '{path}' cannot be read: {reason(fault)}."
        raise JournalError(msg, remedy(fault)) from fault
    reader = _Reader(path, with_blobs)
    try:
        reader.scan(data)
    except JournalDamagedError as damage:
        if not up_to_damage:
            raise
        reader.contents.damage = damage
    return reader.read(from_last_snapshot, up_to_damage)


class _Reader:
    def __init__(self, path: Path, with_blobs: bool) -> None:
        self.contents = JournalContents(path)
        self._with_blobs = with_blobs
        self._bodies: list[bytes] = []
        self._blobs = BlobFolder(path.parent / BLOBS_KEY)
        self._loaded: dict[str, Any] = {}

    def scan(self, data: bytes) -> None:
        lines = data.split(b"\n")
        tail = lines.pop()
        self.contents.torn = tail != b""
        bodies = self._bodies
        for n, line in enumerate(lines):
            body = line[8:]
            if line[:8] != b"%08x" % crc32(body):
                raise self._damage(n, "its checksum does not fit")
            start = b'{"n":%d' % n
            if not body.startswith(start, 1) or body[len(start) + 1 : len(start) + 2] not in b",}":
                raise self._damage(n, f"record {n} should stand here: lines are missing or doubled")
            bodies.append(body)

    def _damage(self, n: int, what: str) -> JournalDamagedError:
        return JournalDamagedError(
            f"Line {n + 1} of the journal '{self.contents.path}' is damaged: {what}.",
            whole_records=n,
            end_offset=self._end_of(n),
        )

    def _end_of(self, count: int) -> int:
        return sum(map(len, self._bodies[:count])) + 9 * count

    def read(self, from_last_snapshot: bool, up_to_damage: bool) -> JournalContents:
        contents = self.contents
        try:
            snapshot = self._parse(from_last_snapshot)
        except JournalDamagedError as damage:
            if not up_to_damage:
                raise
            # A sound line that cannot be used: the rest is left out like any other damage.
            del self._bodies[damage.whole_records :]
            contents.damage = damage
            return self.read(from_last_snapshot, up_to_damage)
        if contents.damage is not None:
            contents.torn = False
        contents.next_n = len(self._bodies)
        contents.end_offset = self._end_of(contents.next_n)
        behind = 0 if snapshot is None else snapshot + 1
        contents.bytes_since_snapshot = contents.end_offset - self._end_of(behind)
        if snapshot is not None:
            contents.snapshot_bytes = self._end_of(behind) - self._end_of(snapshot)
        return contents

    def _parse(self, from_last_snapshot: bool) -> int | None:
        """Fills in the records; the number of the last snapshot."""
        contents, count = self.contents, len(self._bodies)
        snapshot = self._last_snapshot()
        wanted = range(count)
        first: range | tuple[int, ...] = ()
        if from_last_snapshot and snapshot is not None:
            wanted = range(snapshot, count)
            first = (0,) if snapshot else ()
        numbers = (*first, *wanted)
        contents.records = [self._record(n) for n in numbers]
        contents.snapshot_index = None if snapshot is None else numbers.index(snapshot)
        return snapshot

    def _last_snapshot(self) -> int | None:
        for n in range(len(self._bodies) - 1, -1, -1):
            # The words may also stand in a person's data: only the record itself tells.
            if _SNAPSHOT in self._bodies[n] and self._object(n).get("kind") == "snapshot":
                return n
        return None

    def _object(self, n: int) -> dict[str, Any]:
        try:
            record = decode(self._bodies[n])
        except ValueError as fault:
            raise self._damage(n, f"it cannot be read ({fault})") from fault
        if not isinstance(record, dict):
            raise self._damage(n, "it holds no record")
        return record

    def _record(self, n: int) -> dict[str, Any]:
        record = self._object(n)
        if BLOBS_KEY in record and self._with_blobs:
            try:
                put_back(record, self._load)
            except JournalError as fault:
                raise self._damage(n, fault.message[:1].lower() + fault.message[1:-1]) from fault
        return record

    def _load(self, digest: str) -> Any:
        # One object for one value: a step's output and the inputs that it became.
        if digest not in self._loaded:
            self._loaded[digest] = self._blobs.load(digest)
        return self._loaded[digest]
