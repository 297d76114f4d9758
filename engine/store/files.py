"""Files that are whole or not there at all, and faults of the disk in words."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
from pathlib import Path

# Windows would otherwise turn each line feed into two characters.
BINARY = getattr(os, "O_BINARY", 0)
CLOSE_ON_EXEC = getattr(os, "O_CLOEXEC", 0)
PRIVATE = 0o600
"""Runs, settings and flows may hold what only their owner should read."""

_counter = itertools.count()
_WORDS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your share of the disk is used up",
    errno.EFBIG: "the file has grown too large for this disk",
    errno.EACCES: "you have no right to it",
    errno.EPERM: "you have no right to it",
    errno.EROFS: "the disk can only be read",
    errno.EIO: "the disk reports a fault",
    errno.ENOENT: "it does not exist",
    errno.ENOTDIR: "a file stands where a folder is needed",
    errno.EISDIR: "a folder stands where a file is needed",
    errno.ENAMETOOLONG: "its name is too long",
    errno.EMFILE: "too many files are open",
}
_HINTS = {
    errno.ENOSPC: "Free some space and try again.",
    errno.EDQUOT: "Free some space and try again.",
    errno.EACCES: "Give yourself the right to it, or set LOOPWRIGHT_HOME to another folder.",
    errno.EPERM: "Give yourself the right to it, or set LOOPWRIGHT_HOME to another folder.",
    errno.EROFS: "Set LOOPWRIGHT_HOME to a folder that can be written.",
    errno.ENOTDIR: "Move that file away, or set LOOPWRIGHT_HOME to another folder.",
}


def reason(fault: OSError) -> str:
    """Why the disk refused, as half a sentence: `the disk is full`."""
    words = _WORDS.get(fault.errno or 0)
    return words or (fault.strerror or str(fault) or "the disk refused").lower()


def remedy(fault: OSError) -> str:
    """What to try after such a fault; may be empty."""
    return _HINTS.get(fault.errno or 0, "")


def write_whole(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Replaces a file at once: a reader and a crash see the old content or the new, never a mix.

    Args:
        path: What is replaced; its folder exists.
        data: The new content.
        durable: Return only when it has reached the disk.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{next(_counter)}.part")
    try:
        _write_new(temporary, data, durable)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    if durable:
        sync_folder(path.parent)


def _write_new(path: Path, data: bytes, durable: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | BINARY | CLOSE_ON_EXEC
    descriptor = os.open(path, flags, PRIVATE)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Waits until a file's content has reached the disk."""
    descriptor = os.open(path, os.O_RDWR | BINARY | CLOSE_ON_EXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Waits until a folder's list of names has reached the disk."""
    if os.name == "nt":  # Windows keeps names safe by itself and opens no folders.
        return
    descriptor = os.open(path, os.O_RDONLY | CLOSE_ON_EXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
