"""JSON that a person gives on the command line, or in a file or a pipe."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.flow.json_text import JsonTextError, load_json
from engine.store.files import reason, remedy

_LOOKS_LIKE_JSON = ("{", "[", '"')


def read_value(text: str, option: str, hint: str) -> Any:
    """The value of an option: JSON, `@file`, or `@-` for standard input.

    Args:
        text: What was given.
        option: Its name, for messages.
        hint: What to try when it is no JSON at all.

    Raises:
        UsageError: The file cannot be read, or it is no JSON.
    """
    where, whole = option, text
    if text.startswith("@"):
        where, whole = f"{option} {text}", _file_text(text[1:], option)
    try:
        return load_json(whole)
    except JsonTextError as fault:
        raise _no_json(whole, where, hint, fault) from fault


def _file_text(name: str, option: str) -> str:
    if name == "-":
        return _piped(option)
    try:
        return Path(name).read_bytes().decode("utf-8-sig")
    except OSError as fault:
        msg = f"{option}: the file '{name}' cannot be read: {reason(fault)}."
        hint = remedy(fault) or "Check the path; `@-` reads what is piped in."
        raise UsageError(msg, hint) from fault
    except UnicodeDecodeError as fault:
        msg = f"{option}: the file '{name}' is not UTF-8 text."
        raise UsageError(msg, "Save it again as UTF-8.") from fault


def _piped(option: str) -> str:
    try:
        return sys.stdin.read()
    except (OSError, UnicodeDecodeError) as fault:
        msg = f"{option}: what is piped in cannot be read as text."
        raise UsageError(msg, "Pipe UTF-8 text in, or give a file with `@`.") from fault


def _no_json(text: str, where: str, hint: str, fault: JsonTextError) -> UsageError:
    start = text.lstrip()
    if start.startswith(_LOOKS_LIKE_JSON):
        place = f" at {fault.place}" if fault.place else ""
        return UsageError(f"{where}: the JSON is broken{place}: {fault.what}.", hint)
    shown = start if len(start) <= 40 else f"{start[:39]}…"
    return UsageError(f"{where}: '{shown}' is no JSON.", hint)


def json_or_text(text: str) -> Any:
    """The JSON value of a text, or the text itself when it is none."""
    try:
        return load_json(text)
    except JsonTextError:
        return text
