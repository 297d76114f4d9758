"""Which tokens a group would take, and what can still come that it must wait for."""

from __future__ import annotations

from collections.abc import Iterable

from engine.run.activity import Activity, Place
from engine.run.frames import Frame, loop_key, union, value_of
from engine.run.groups import Group, Layout
from engine.run.queues import Slot, Token


class Readiness:
    """Looks at the tokens and the activity of one level; changes nothing.

    Args:
        layout: The groups of the level.
        activity: Where something is under way.
        slots: The tokens that wait, by slot.
        static: The kept values of static edges, by edge.
    """

    def __init__(
        self, layout: Layout, activity: Activity, slots: list[Slot], static: dict[int, Token]
    ) -> None:
        self._layout = layout
        self._structure = layout.structure
        self._activity = activity
        self._slots = slots
        self._static = static

    def seeds(self, group: Group, frame: Frame) -> list[Token]:
        """The oldest token of exactly this frame on each input, oldest first."""
        found = (self._slots[slot].first_fresh(frame) for slot in group.slots)
        return sorted((t for t in found if t is not None), key=lambda token: token.order)

    def fresh_frames(self, group: Group) -> list[Frame]:
        """The frames of all tokens that nothing has used yet, oldest first."""
        found = sorted(pair for slot in group.slots for pair in self._slots[slot].frames())
        return list(dict.fromkeys(frame for _, frame in found))

    def match(self, group: Group, seed: Token) -> tuple[list[Token], Frame, list[int]]:
        """The oldest agreeing token of each input, the union of frames, and the empty inputs."""
        taken: list[Token] = []
        empty: list[int] = []
        frame = seed.frame
        own = self._layout.slot_of_edge[seed.edge]
        for place, slot in enumerate(group.slots):
            token = seed if slot == own else self._slots[slot].oldest(frame)
            if token is not None:
                taken.append(token)
                frame = union(frame, token.frame)
                continue
            kept = [self._static[e] for e in group.edges[place] if e in self._static]
            if kept:
                taken.append(max(kept, key=lambda token: token.order))
            else:
                empty.append(place)
        return taken, frame, empty

    def blocker(self, group: Group, frame: Frame, empty: Iterable[int]) -> tuple[Place, int] | None:
        """What can still put a token on an empty input, and on which; None when nothing can."""
        structure = self._structure
        if group.header:
            found = self._in_loop(group.node, frame)
            if found is not None:
                return found, -1
        for place in empty:
            for edge in group.edges[place]:
                seen, barred = self._seen_from(edge, group.node, frame)
                running = structure.feeders(edge, barred)
                tokens = running & ~(1 << group.node)
                for header in barred:
                    tokens &= ~(1 << header)
                found = self._activity.find(seen, running, tokens)
                if found is not None:
                    return found, group.slots[place]
        return None

    def _seen_from(self, edge: int, node: int, frame: Frame) -> tuple[Frame, frozenset[int]]:
        """The part of a frame that a token on this edge can have, and the loops it is held to.

        A round that no token on the edge can belong to does not count: what comes over it
        comes from outside that loop.
        """
        if not frame:
            return frame, _NO_LOOPS
        rank, loops = self._structure.rank, self._structure.loops
        possible = {*self._structure.carries[edge], *self._structure.holders[node]}
        barred = frozenset(h for h in possible if value_of(frame, loop_key(rank[h])) is not None)
        foreign = {loop_key(rank[h]) for h in loops if h not in possible}
        return tuple(item for item in frame if item[0] not in foreign), barred

    def _in_loop(self, header: int, frame: Frame) -> Place | None:
        """Something under way in an earlier entry of the loop: it must end first."""
        nodes = self._structure.loops[header].nodes
        key = loop_key(self._structure.rank[header])
        for here in self._activity.agreeing(frame):
            hits = (here.running | here.tokens) & nodes
            if hits and value_of(here.frame, key) is not None:
                node = (hits & -hits).bit_length() - 1
                return here.frame, node * 2 + (here.running >> node & 1)
        return None


_NO_LOOPS: frozenset[int] = frozenset()
