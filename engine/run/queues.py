"""Tokens that wait on edges, first in first out, found by frame."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.run.frames import Frame, agree, shape

Shape = tuple[int, ...]


@dataclass(slots=True)
class Token:
    """One value on one edge; `order` is its place among all tokens of its level.

    A passive one waits in a loop that has been entered, for rounds: it fires nothing by itself.
    """

    order: int
    edge: int
    frame: Frame
    value: Any
    passive: bool = False


class Slot:
    """The tokens of one input: fresh ones by frame, and those kept for inner frames."""

    __slots__ = ("_fresh", "outer")

    def __init__(self) -> None:
        self._fresh: dict[Shape, dict[Frame, deque[Token]]] = {}
        self.outer: list[Token] = []

    def add(self, token: Token) -> None:
        """Puts a token at the end of its line."""
        lines = self._fresh.setdefault(shape(token.frame), {})
        line = lines.get(token.frame)
        if line is None:
            lines[token.frame] = deque((token,))
        else:
            line.append(token)

    def remove(self, token: Token) -> None:
        """Takes a fresh token out."""
        kind = shape(token.frame)
        lines = self._fresh[kind]
        line = lines[token.frame]
        line.remove(token)
        if not line:
            del lines[token.frame]
            if not lines:
                del self._fresh[kind]

    def first_fresh(self, frame: Frame) -> Token | None:
        """The oldest fresh token of exactly this frame."""
        lines = self._fresh.get(shape(frame))
        line = lines.get(frame) if lines else None
        return line[0] if line else None

    def oldest(self, frame: Frame) -> Token | None:
        """The oldest token that agrees with this frame, kept ones included."""
        best: Token | None = None
        own = shape(frame)
        for kind, lines in self._fresh.items():
            if kind == own:
                line = lines.get(frame)
                if line and (best is None or line[0].order < best.order):
                    best = line[0]
                continue
            for other, line in lines.items():
                if (best is None or line[0].order < best.order) and agree(frame, other):
                    best = line[0]
        for token in self.outer:
            if (best is None or token.order < best.order) and agree(frame, token.frame):
                best = token
        return best

    def frames(self) -> Iterator[tuple[int, Frame]]:
        """The frames of fresh tokens, each with the order of its oldest one."""
        for lines in self._fresh.values():
            for frame, line in lines.items():
                yield line[0].order, frame

    def frames_of_other_shapes(self, frame: Frame) -> Iterator[Frame]:
        """Agreeing frames of fresh tokens that hold other keys."""
        own = shape(frame)
        for kind, lines in self._fresh.items():
            if kind != own:
                yield from (other for other in lines if agree(frame, other))

    def fresh(self) -> Iterator[Token]:
        """Every fresh token."""
        for lines in self._fresh.values():
            for line in lines.values():
                yield from line
