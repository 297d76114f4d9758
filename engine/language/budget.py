"""What one evaluation may use: work that is counted, and a time that is looked at now and then."""

from __future__ import annotations

from time import perf_counter

from engine.errors import ExpressionError
from engine.language.scope import Names

WORK = 1_000_000
"""Units of work. One is about 0.1 µs, one item of a list, or eight characters of new text."""

PAIR = 6
"""Units for making a small list or record, beside its items."""

SECONDS = 0.2
"""The longest an evaluation may take; the count of work, which is the same on every machine,
normally ends it earlier."""

LONGEST_TEXT = 8 * WORK
"""Characters in a text that an expression makes."""

MOST_BITS = 14_000
"""Bits in a whole number that an expression makes: about 4,200 digits, which can be shown."""

_UNITS_BETWEEN_LOOKS = 5_000


class Evaluation:
    """One evaluation under way: its names, its own variables and what is left to spend."""

    __slots__ = ("_deadline", "_next_look", "left", "lookup", "names", "slots")

    def __init__(self, names: Names, slot_count: int) -> None:
        self.names = names
        self.lookup = names.lookup
        self.slots: list[object] = [None] * slot_count
        self.left = WORK
        self._next_look = WORK - _UNITS_BETWEEN_LOOKS
        self._deadline = 0.0

    def spend(self, units: int) -> None:
        """Takes `units` of work from the budget.

        Raises:
            ExpressionError: The budget or the time is used up.
        """
        self.left -= units
        if self.left < self._next_look:
            self._look()

    def spend_text(self, length: int) -> None:
        """Takes the work for a text of `length` characters, before it is made.

        Raises:
            ExpressionError: The budget or the time is used up.
        """
        if length > 256:
            self.spend(length >> 3)

    def _look(self) -> None:
        if self.left < 0:
            raise ExpressionError(
                "This expression does too much: it was stopped.",
                "Work on fewer items or a shorter text, or use a function node.",
            )
        self._next_look = self.left - _UNITS_BETWEEN_LOOKS
        now = perf_counter()
        # The clock starts at the first look, so a short evaluation never reads it.
        if not self._deadline:
            self._deadline = now + SECONDS
        elif now > self._deadline:
            raise ExpressionError(
                "This expression takes too long: it was stopped.",
                "Work on fewer items or a shorter text, or use a function node.",
            )
