"""One problem of a flow: what, where, and the edit that mends it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from engine.flow.document import Flow

Severity = Literal["error", "warning", "info"]
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that takes one problem away; `title` is what a button says."""

    title: str
    apply: Callable[[Flow], Flow]


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of a flow.

    Args:
        code: A stable word in kebab-case; the catalogue explains each.
        severity: An error stops a run or makes it go wrong; a warning may; an info is good to know.
        message: Where and what, as a full sentence.
        hint: What to try; may be empty.
        node: Id of the node that it is about.
        edge: Id of the edge that it is about.
        field: Where in the node's configuration, or in the edge's data.
        position: Character in that field's text, 0 for the first.
        fix: The edit that mends it, where there is one.
    """

    code: str
    severity: Severity
    message: str
    hint: str = ""
    node: str | None = None
    edge: str | None = None
    field: Path = ()
    position: int | None = None
    fix: Fix | None = dataclasses.field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def to_json(self) -> dict[str, Any]:
        """The problem as JSON data; of the fix its title."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "hint": self.hint,
            "node": self.node,
            "edge": self.edge,
            "field": path_text(self.field) or None,
            "path": list(self.field),
            "position": self.position,
            "fix": self.fix.title if self.fix is not None else None,
        }


def path_text(path: Path) -> str:
    """A place in a configuration as it is written: `routes[0].condition`."""
    parts = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(parts).removeprefix(".")
