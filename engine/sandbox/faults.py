"""What went wrong in a person's code, in words: the line, the cause, and what to try."""

from __future__ import annotations

from engine.errors import NodeError
from engine.sandbox.limits import DEEPEST, LONGEST_CODE, LONGEST_TEXT, MOST_VALUES, Limits

_LONGEST_LINE = 80
_LONGEST_REASON = 400


def fault(
    code: str, line: int | None, reason: str, hint: str = "", detail: str = "", kind: str = "error"
) -> NodeError:
    """An error that begins with the line it happened on."""
    reason = shortened(reason, _LONGEST_REASON).rstrip(".")
    return NodeError(f"{_place(code, line)}{reason}.", hint, shortened(detail, 2000), kind=kind)


def _place(code: str, line: int | None) -> str:
    lines = code.split("\n")
    if line is None or not 1 <= line <= len(lines):
        return "The code failed: "
    text = shortened(lines[line - 1].strip(), _LONGEST_LINE)
    return f"Line {line}, `{text}`: " if text else f"Line {line}: "


def shortened(text: str, longest: int) -> str:
    """The text, cut where it is longer."""
    return text if len(text) <= longest else text[:longest] + "…"


def too_slow(limits: Limits, code: str = "", line: int | None = None) -> NodeError:
    """The time limit was reached."""
    return fault(
        code,
        line,
        f"it ran longer than {limits.seconds:g} s and was stopped",
        "Look for a loop that never ends, or raise the time limit under Advanced.",
        kind="timeout",
    )


def too_much_memory(limits: Limits, code: str = "", line: int | None = None) -> NodeError:
    """The memory limit was reached."""
    return fault(
        code,
        line,
        f"it needed more than {limits.memory_mb} MB of memory and was stopped",
        "Work on less data at once, or raise the memory limit under Advanced.",
        kind="memory",
    )


def too_long(code: str) -> NodeError:
    """The code itself is too long."""
    return NodeError(
        f"The code has {len(code):,} characters; at most {LONGEST_CODE:,} can be run.",
        "Hand data over as an input instead of writing it into the code.",
    )


def box_lost(detail: str) -> NodeError:
    """The process that ran the code is gone."""
    return NodeError(
        "The code broke the box that it ran in, and was stopped.",
        "Usually it needed far too much memory, or nested its data far too deeply.",
        shortened(detail, 2000),
        kind="crash",
    )


def unfit_result(reason: str, path: str) -> NodeError:
    """The code's value is no data that can go on in the flow."""
    where = shortened(f"result{path}", _LONGEST_LINE)
    words = {
        "large": f"The result holds more than {MOST_VALUES:,} values: it is too large.",
        "long": f"The result is longer than {LONGEST_TEXT:,} characters: it is too large.",
        "deep": f"The result is nested more than {DEEPEST} levels deep, or holds itself.",
    }
    if reason in words:
        return NodeError(words[reason], "Give back only what the flow needs.")
    if reason == "key":
        message = f"The result cannot go on in the flow: the key in `{where}` is no text."
        return NodeError(message, "Keys of records are texts: write `str(key)`.")
    kind = reason.removeprefix("type ").removeprefix("<class '").removesuffix("'>")
    return NodeError(
        f"The result cannot go on in the flow: `{where}` is of the kind `{shortened(kind, 80)}`.",
        _WAYS_OUT.get(kind, _WAYS_OUT[""]),
    )


_WAYS_OUT = {
    "": "A result is made of texts, numbers, yes/no values, None, lists and records.",
    "set": "Make a list of it: `list(...)` or `sorted(...)`.",
    "frozenset": "Make a list of it: `list(...)` or `sorted(...)`.",
    "bytes": "Make a text of it: `.decode()`.",
    "datetime.datetime": "Make a text of it: `.isoformat()`.",
    "datetime.date": "Make a text of it: `.isoformat()`.",
    "datetime.time": "Make a text of it: `.isoformat()`.",
    "datetime.timedelta": "Make a number of it: `.total_seconds()`.",
    "decimal.Decimal": "Make a number or a text of it: `float(...)` or `str(...)`.",
    "function": "Call the function: write `()` behind its name.",
    "Map": "Make a record of it: `Object.fromEntries(...)`.",
    "Set": "Make a list of it: `[...set]`.",
}
