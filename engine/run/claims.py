"""Claims: what fires, and the frame that it fires in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.flow.structure import Structure
from engine.run.frames import Frame, loop_key, split_key, strand_key, value_of, with_key, without
from engine.run.groups import Group
from engine.run.queues import Token


@dataclass(slots=True)
class Claim:
    """A group that fires: its node, the step's frame, and the tokens taken.

    `gave_up_on` names the edges that a forced firing no longer waits for; `entered` whether a
    loop is entered afresh.
    """

    node: int
    frame: Frame
    tokens: Sequence[Token]
    gave_up_on: tuple[int, ...] = ()
    entered: bool = False
    forced: bool = False


class Claims:
    """Makes the claims of one level: numbers the entries of loops and the strands in them."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.entries: dict[int, int] = {}
        self.strands = 0
        self._inside: dict[int, frozenset[int]] = {}

    def of_group(
        self,
        group: Group,
        frame: Frame,
        taken: Sequence[Token],
        gave_up: tuple[int, ...] = (),
    ) -> Claim:
        """A claim on the tokens of a group; `frame` is the union of their frames."""
        if group.header:
            return self.of_node(group.node, frame, taken, gave_up, entered=True)
        if group.returns:
            key = loop_key(self.structure.rank[group.node])
            at = value_of(frame, key)
            if at is None:
                return self.of_node(group.node, frame, taken, gave_up, entered=True)
            whole = with_key(self._one_strand(group.node, frame), key, at[0], at[1] + 1)
            return Claim(group.node, whole, taken, gave_up)
        return Claim(group.node, frame, taken, gave_up)

    def of_node(
        self,
        node: int,
        frame: Frame,
        taken: Sequence[Token] = (),
        gave_up: tuple[int, ...] = (),
        *,
        entered: bool,
    ) -> Claim:
        """A claim on a node; `entered` when it enters its loop afresh."""
        if not entered:
            return Claim(node, frame, taken, gave_up)
        entry = self.entries[node] = self.entries.get(node, 0) + 1
        key = loop_key(self.structure.rank[node])
        return Claim(node, with_key(frame, key, entry, 0), taken, gave_up, entered=True)

    def _one_strand(self, header: int, frame: Frame) -> Frame:
        """The frame with the splits made inside the loop drawn together into one strand."""
        inside = self._splits_inside(header)
        if not any(item[0] in inside for item in frame):
            return frame
        self.strands += 1
        rest = without(frame, inside)
        return with_key(rest, strand_key(self.structure.rank[header]), self.strands, 0)

    def _splits_inside(self, header: int) -> frozenset[int]:
        known = self._inside.get(header)
        if known is None:
            nodes, rank = self.structure.loops[header].nodes, self.structure.rank
            ranks = [rank[node] for node in range(len(rank)) if nodes >> node & 1]
            keys = (key(place) for place in ranks for key in (strand_key, split_key))
            known = self._inside[header] = frozenset(keys)
        return known
