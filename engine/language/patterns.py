"""Patterns (regular expressions) that take time in proportion to the text, never more.

RE2 is used and not `re`: there, `(a|aa)+$` on forty letters takes longer than a life.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from engine.errors import ExpressionError

LONGEST_PATTERN = 1_000
MOST_WORK = 4_000_000
"""The size of a pattern, compiled, times the length of the text in bytes: about 0.1 s at worst."""

_MEMORY = 1 << 20


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """A pattern of the `re2` package, with `match`, `search`, `fullmatch` and `finditer`.

    Raises:
        ExpressionError: The pattern is faulty, too long, or looks ahead or back.
    """
    if len(pattern) > LONGEST_PATTERN:
        raise ExpressionError(f"The pattern is longer than {LONGEST_PATTERN:,} characters.")
    import re2  # type: ignore[import-not-found, unused-ignore]  # an extension module; late

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        return re2.compile(pattern, options=options)
    except (re2.error, UnicodeEncodeError) as fault:
        raise _in_words(fault) from None


def _in_words(fault: Exception) -> ExpressionError:
    if isinstance(fault, UnicodeEncodeError):
        return ExpressionError("The pattern holds half a character (a lone surrogate).")
    reason = fault.args[0] if fault.args else "it is faulty"
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    hint = ""
    if "(?" in text or "escape" in text:
        hint = "Look-ahead `(?=…)`, look-behind and back references are not offered."
    return ExpressionError(f"The pattern cannot be read: {text}.", hint)


def work_of(pattern: str, text: str) -> int:
    """The work of matching `text`, to compare with `MOST_WORK`.

    Raises:
        ExpressionError: It is too much, or the pattern is faulty.
    """
    work = int(compiled(pattern)._regexp.ProgramSize()) * (len(text) + 16)
    if work > MOST_WORK:
        raise ExpressionError(
            "The text is too long for this pattern.", "Use a simpler pattern or a shorter text."
        )
    return work


def starts_with_pattern(pattern: str, text: str) -> bool:
    """Whether `text` begins with something that fits `pattern`, as Python's `re.match`.

    Raises:
        ExpressionError: The pattern is faulty, or the text too long for it.
    """
    work_of(pattern, text)
    try:
        return compiled(pattern).match(text) is not None
    except UnicodeEncodeError:
        raise ExpressionError("The text holds half a character (a lone surrogate).") from None
