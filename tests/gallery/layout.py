"""What a flow looks like on the canvas, as rectangles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.flow.document import Flow

WIDTH, HEIGHT = 200, 90
PADDING = 20


@dataclass(frozen=True)
class Rectangle:
    """A node, a box with all that is in it, or a note."""

    id: str
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Rectangle) -> bool:
        """Whether they share any of the canvas."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies inside."""
        return self.left < x < self.right and self.top < y < self.bottom


def node_rectangles(flow: Flow, parent: str | None = None) -> list[Rectangle]:
    """What stands directly in one box, or at the top; boxes with all that is in them."""
    return [_node(flow, node.id) for node in flow.children(parent)]


def _node(flow: Flow, node_id: str) -> Rectangle:
    at = flow.node_by_id[node_id].position
    inside = node_rectangles(flow, node_id)
    if not inside:
        return Rectangle(node_id, at.x, at.y, at.x + WIDTH, at.y + HEIGHT)
    return Rectangle(
        node_id,
        min([at.x, *(each.left - PADDING for each in inside)]),
        min([at.y, *(each.top - PADDING for each in inside)]),
        max([at.x + WIDTH, *(each.right + PADDING for each in inside)]),
        max([at.y + HEIGHT, *(each.bottom + PADDING for each in inside)]),
    )


def note_rectangles(flow: Flow) -> list[Rectangle]:
    """The notes."""
    return [
        Rectangle(
            n.id, n.position.x, n.position.y, n.position.x + n.size.w, n.position.y + n.size.h
        )
        for n in flow.notes
    ]


def overlaps(rectangles: list[Rectangle]) -> Iterator[tuple[str, str]]:
    """Every two that lie on each other."""
    for place, one in enumerate(rectangles):
        for other in rectangles[place + 1 :]:
            if one.overlaps(other):
                yield one.id, other.id


def height_of_text(text: str, width: float) -> float:
    """How high a note must be for its text, roughly: 7 units a character, 18 a line."""
    letters = max(1, int((width - 20) / 7))
    return 20 + 18 * sum(1 + (len(line) - 1) // letters if line else 1 for line in text.split("\n"))
