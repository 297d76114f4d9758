"""Text as JSON, with faults in words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import NodeError

DEEPEST = 200
"""How deeply lists and records may be nested."""

_WORDS = {
    "Expecting value": "a value is missing here, or is none that JSON knows",
    "Expecting ',' delimiter": "a comma or a closing bracket is missing here",
    "Expecting ':' delimiter": "a colon is missing here",
    "Expecting property name enclosed in double quotes": (
        "a name in double quotes must stand here"
    ),
    "Illegal trailing comma before end of object": "a comma stands before the closing bracket",
    "Illegal trailing comma before end of array": "a comma stands before the closing bracket",
    "Extra data": "the JSON is complete before this place, but more text follows",
    "Unterminated string starting at": "the text that begins here never ends",
    "Invalid control character at": "a line break or tab stands inside a text: write \\n or \\t",
    "Invalid \\escape": "a backslash is followed by a letter that means nothing in JSON",
    "Invalid \\uXXXX escape": "\\u must be followed by four hexadecimal digits",
}


class _Repeated(Exception):  # noqa: N818 - carries a name out of the reader, is never seen
    pass


def read_json(text: str, what: str, hint: str = "") -> Any:
    """The value that a JSON text stands for; a byte order mark before it is skipped.

    Args:
        text: The text.
        what: How the text is called, as in "The field `Source`".
        hint: What to try when it is no JSON.

    Raises:
        NodeError: It names line and character.
    """
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise NodeError(f"{what} is empty: there is no JSON in it.", hint)
    try:
        value = json.loads(text, object_pairs_hook=_record)
    except json.JSONDecodeError as fault:
        raise _fault(fault, text, what, hint) from None
    except _Repeated as fault:
        raise NodeError(
            f"{what} is not clear: one record has the key '{fault}' twice.",
            "Take one of the two out, or rename it.",
        ) from None
    except RecursionError:
        raise _too_deep(what) from None
    except ValueError:
        raise NodeError(f"{what} holds a number of more than 4,300 digits.", hint) from None
    if is_too_deep(value):
        raise _too_deep(what)
    return value


def _record(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Repeated(key[:80])
            seen.add(key)
    return record


def _fault(fault: json.JSONDecodeError, text: str, what: str, hint: str) -> NodeError:
    words = _WORDS.get(fault.msg, fault.msg)
    near = text[max(0, fault.pos - 15) : fault.pos + 15].replace("\n", "⏎")
    place = f"line {fault.lineno}, character {fault.colno}"
    return NodeError(f"{what} is not JSON: {place}, near `{near}`: {words}.", hint)


def _too_deep(what: str) -> NodeError:
    return NodeError(
        f"{what} is nested more than {DEEPEST} levels deep.",
        "Data like this is usually damaged: look at where it comes from.",
    )


def is_too_deep(value: Any) -> bool:
    """Whether lists and records are nested deeper than the flow can carry."""
    level = _holders([value])
    for _ in range(DEEPEST):
        level = _holders([inner for part in level for inner in _parts(part)])
        if not level:
            return False
    return True


def _holders(values: Sequence[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, Mapping | list | tuple)]


def _parts(value: Any) -> Sequence[Any]:
    return list(value.values()) if isinstance(value, Mapping) else list(value)


def plain(value: Any) -> Any:
    """The value made of dict and list alone, where it is a read-only view of them."""
    if isinstance(value, str | int | float) or value is None:
        return value
    if isinstance(value, Mapping):
        return {key: plain(value[key]) for key in value}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [plain(item) for item in value]
    return value


def sentence(text: str) -> str:
    """The text with a capital at its beginning; the rest, which may be data, as it is."""
    return text[:1].upper() + text[1:]
