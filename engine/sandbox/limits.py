"""What code in a box may use, and how its result leaves the box."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

OnPrint = Callable[[str], None]
"""Takes what the code printed, once, when it has ended."""

MOST_VALUES = 1_000_000
"""Values that go into or come out of a box at once, inner ones counted."""

LONGEST_TEXT = 16_000_000
"""Characters of JSON that come out of a box at once."""

DEEPEST = 200
"""How deeply lists and records may be nested."""

LONGEST_CODE = 200_000
"""Characters of code."""

MOST_PRINTED = 100_000
"""Characters of printed text that are kept."""

GRACE = 0.5
"""Seconds that a box gets to notice its own time limit before its process is ended."""

CUT = "\n… more was printed than is kept."


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may use.

    Args:
        seconds: Time.
        memory_mb: Memory for the code's own values.
    """

    seconds: float = 1.0
    memory_mb: int = 100

    @property
    def memory_bytes(self) -> int:
        """The memory in bytes."""
        return self.memory_mb * 1024 * 1024


class Printed:
    """Collects what code prints, up to what is kept."""

    __slots__ = ("_left", "_parts")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._left = MOST_PRINTED

    def add(self, _stream: str, text: str) -> None:
        """Takes one more piece."""
        if self._left < 0:
            return
        self._parts.append(text[: self._left])
        self._left -= len(text)
        if self._left < 0:
            self._parts.append(CUT)

    def hand_over(self, on_print: OnPrint | None) -> None:
        """Gives everything collected, if there is anything and anyone to take it."""
        text = "".join(self._parts).rstrip("\n")
        if text and on_print is not None:
            on_print(text)
