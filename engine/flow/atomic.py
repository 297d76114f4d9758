"""Reads a whole file and replaces one in a single step, with every failure put into words."""

from __future__ import annotations

import os
import stat
from difflib import get_close_matches
from pathlib import Path

from engine.errors import FlowFileError

_MOST_BYTES = 256 * 1024 * 1024


def read_regular_file(path: Path, suffix: str) -> bytes:
    """All bytes of a file.

    Args:
        path: Where it is.
        suffix: How the names of such files end, for near names when it is missing.

    Raises:
        FlowFileError: Missing, not a file, too large, or not readable.
    """
    try:
        found = path.stat()
        _refuse_other_than_files(path, found)
        return path.read_bytes()
    except FileNotFoundError as fault:
        raise _missing(path, suffix) from fault
    except NotADirectoryError as fault:
        msg = f"{path}: a part of this path is a file, not a folder."
        raise FlowFileError(msg, "Check the path.") from fault
    except PermissionError as fault:
        msg = f"{path}: you have no permission to read this file."
        raise FlowFileError(msg, "Ask its owner, or copy it to a folder of yours.") from fault
    except (OSError, ValueError) as fault:
        raise _system_fault(path, "cannot be read", fault) from fault


def _refuse_other_than_files(path: Path, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        inside = ", ".join(sorted(_names_in(path, ".flow.json"))[:5])
        hint = f"It holds: {inside}." if inside else "Name a file that ends in .flow.json."
        raise FlowFileError(f"{path}: this is a folder, not a flow.", hint)
    if not stat.S_ISREG(found.st_mode):
        raise FlowFileError(f"{path}: this is {_kind(found)}, not a flow.", "Name a flow file.")
    if found.st_size > _MOST_BYTES:
        size = found.st_size // (1024 * 1024)
        msg = f"{path}: the file has {size} MB; a flow has at most {_MOST_BYTES >> 20}."
        raise FlowFileError(msg, "Is this the right file?")


def _kind(found: os.stat_result) -> str:
    mode = found.st_mode
    if stat.S_ISFIFO(mode):
        return "a pipe between programs (FIFO)"
    if stat.S_ISSOCK(mode):
        return "a socket between programs"
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        return "a device"
    return "no ordinary file"


def _missing(path: Path, suffix: str) -> FlowFileError:
    folder = path.parent
    if not folder.is_dir():
        return FlowFileError(f"{path}: there is no folder {folder}.", "Check the path.")
    names = sorted(_names_in(folder, suffix))
    plain = {name.removesuffix(suffix): name for name in names}
    wanted = path.name.removesuffix(".json").removesuffix(".flow")
    near = [plain[name] for name in get_close_matches(wanted, list(plain), n=3, cutoff=0.5)]
    if near:
        hint = f"Did you mean {' or '.join(str(folder / name) for name in near)}?"
    elif names:
        hint = f"In that folder there are: {', '.join(names[:5])}."
    else:
        hint = f"There is no {suffix} file in that folder."
    return FlowFileError(f"{path}: there is no such file.", hint)


def _names_in(folder: Path, suffix: str) -> list[str]:
    """File names that end in `suffix`; none when the folder may not be looked into."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if entry.name.endswith(suffix)][:1000]
    except OSError:
        return []


def write_atomically(path: Path, content: bytes) -> None:
    """Makes `content` the whole of a file; a crash at any moment leaves the old or the new one.

    A link is followed, and an older file's permissions stay.

    Raises:
        FlowFileError: It cannot be written; an older file stays as it was.
    """
    try:
        # A link stays a link: the file behind it is replaced.
        real = Path(os.path.realpath(path))
        mode = _mode_of_older(real, path)
        temporary = real.with_name(f".loopwright-{os.urandom(6).hex()}.tmp")
        _write_new(temporary, content, mode)
        _put_in_place(temporary, real)
    except FileNotFoundError as fault:
        msg = f"{path}: there is no folder {path.parent}."
        raise FlowFileError(msg, "Make the folder first, or choose another.") from fault
    except PermissionError as fault:
        msg = f"{path}: you have no permission to write here."
        raise FlowFileError(msg, "Save it under another name or in another folder.") from fault
    except (OSError, ValueError) as fault:
        raise _system_fault(path, "cannot be written", fault) from fault


def _mode_of_older(real: Path, path: Path) -> int | None:
    try:
        found = real.stat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        kind = "a folder" if stat.S_ISDIR(found.st_mode) else "not a regular file"
        raise FlowFileError(f"{path}: this is {kind}.", "Save the flow under another name.")
    if not os.access(real, os.W_OK):
        msg = f"{path}: the file is write-protected."
        raise FlowFileError(msg, "Save it under another name, or lift the protection.")
    return stat.S_IMODE(found.st_mode)


def _write_new(temporary: Path, content: bytes, mode: int | None) -> None:
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(mode)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


_BINARY = getattr(os, "O_BINARY", 0)


def _put_in_place(temporary: Path, real: Path) -> None:
    try:
        temporary.replace(real)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    # The new name itself must outlive a power cut; Windows has no way to sync a folder.
    if os.name == "posix":
        folder = os.open(real.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _system_fault(path: Path, what: str, fault: OSError | ValueError) -> FlowFileError:
    why = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
    hint = "Check the path, the disk's free space and whether the disk is connected."
    return FlowFileError(f"{path}: the file {what}: {why}.", hint, repr(fault))
