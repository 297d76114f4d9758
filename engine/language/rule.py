"""How a function, method or filter is called: data for the evaluator, the editor and the help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that can be called.

    Args:
        name: As it is written.
        usage: How it is called, for the completion list.
        help: One line.
        run: For functions `(evaluation, *arguments)`; for methods and filters the value comes
            between the two.
        least: Fewest arguments.
        most: Most arguments; None for any number.
        keywords: Arguments that may be given by name.
        goes_through: It takes a comprehension without brackets: `any(x > 3 for x in items)`.
    """

    name: str
    usage: str
    help: str
    run: Callable[..., Any]
    least: int = 0
    most: int | None = 0
    keywords: tuple[str, ...] = ()
    goes_through: bool = False

    def takes(self) -> str:
        """The number of arguments in words."""
        if self.most is None:
            return f"{self.least} or more values"
        if self.least == self.most:
            count = "no" if self.most == 0 else str(self.most)
            return f"{count} value{'' if self.most == 1 else 's'}"
        return f"{self.least} to {self.most} values"


def by_name(*rules: Rule) -> dict[str, Rule]:
    """The rules as a look-up table."""
    return {rule.name: rule for rule in rules}
