"""The waiting room of one level of a run: tokens on edges, and which groups are ready.

It decides and never awaits: `release` and `vacate` answer with the claims that became ready.
What blocks a group is remembered, so a group is tested again only when that is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.run.activity import Activity, Place, Watcher
from engine.run.frames import (
    TOP,
    Frame,
    is_outer,
    loop_key,
    outside_split,
    strand_key,
    split_key,
    union,
    value_of,
    with_key,
    without,
)
from engine.run.groups import Group, Layout
from engine.run.queues import Slot, Token


@dataclass(frozen=True, slots=True)
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


class WaitingRoom:
    """Tokens, kept values and activity of one level of a run."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.structure = layout.structure
        self.activity = Activity()
        self.slots = [Slot() for _ in range(layout.slot_count)]
        self.static: dict[int, Token] = {}
        self.entries: dict[int, int] = {}
        self.first_fired: dict[int, set[Frame]] = {}
        self.dropped: list[Token] = []
        self.waiting = 0
        self.order = 0
        self.strands = 0
        self._inside: dict[int, frozenset[int]] = {}
        self._to_try: list[Watcher] = []
        self._purge_at = 16

    # ---- what happens --------------------------------------------------------------------

    def release(
        self, node: int, frame: Frame, sent: Iterable[tuple[int, Frame, Any]]
    ) -> list[Claim]:
        """A step is over and its tokens leave; what is ready now."""
        claims: list[Claim] = []
        for edge, token_frame, value in sent:
            self._arrive(edge, token_frame, value, claims)
        self._wake(self.activity.remove(frame, node * 2 + 1))
        if self._to_try:
            self._try_all(claims)
        return claims

    def start(self, node: int, frame: Frame = TOP) -> Claim:
        """A node that runs without having received anything."""
        claim = self._claim_frame(node, frame, entered=node in self.structure.loops)
        self.activity.add(claim.frame, node * 2 + 1)
        return claim

    def force(self) -> Claim | None:
        """Fires the topologically first group that holds a token, ready or not."""
        for group in self.layout.in_order:
            frames = self._fresh_frames(group)
            if frames:
                seed = self._seeds(group, frames[0])[0]
                taken, frame, empty = self._match(group, seed)
                gave_up = tuple(edge for place in empty for edge in group.edges[place])
                return self._take(group, frame, taken, gave_up)
        return None

    def put_back(self, token: Token) -> None:
        """Puts a token where a snapshot says it was; `recheck` decides later."""
        self.slots[self.layout.slot_of_edge[token.edge]].add(token)
        self.waiting += 1
        self.activity.add(token.frame, self.structure.target[token.edge] * 2)

    def recheck(self) -> list[Claim]:
        """Tests every group that holds tokens."""
        claims: list[Claim] = []
        for group in self.layout.groups:
            self._to_try.extend((group.number, frame) for frame in self._fresh_frames(group))
        self._try_all(claims)
        return claims

    def unmatched(self) -> list[Token]:
        """Tokens that no step has used, in the order in which they came."""
        waiting = [token for slot in self.slots for token in slot.fresh()]
        return sorted(waiting, key=lambda token: token.order)

    # ---- arriving ------------------------------------------------------------------------

    def _arrive(self, edge: int, frame: Frame, value: Any, claims: list[Claim]) -> None:
        group = self.layout.group_of_edge[edge]
        self.order += 1
        token = Token(self.order, edge, frame, value)
        if group.simple:
            claim = self._claim(group, frame, (token,))
            self.activity.add(claim.frame, group.node * 2 + 1)
            claims.append(claim)
        elif group.join == "first":
            self._arrive_first(group, token, claims)
        elif not (self.layout.static[edge] and self._replaces_static(token)):
            self.put_back(token)
            self._to_try.append((group.number, frame))
            if len(group.slots) > 1:
                self._to_try.extend(
                    (group.number, other)
                    for slot in group.slots
                    for other in self.slots[slot].frames_of_other_shapes(frame)
                )

    def _arrive_first(self, group: Group, token: Token, claims: list[Claim]) -> None:
        fired = self.first_fired.setdefault(group.node, set())
        if token.frame in fired:
            self.dropped.append(token)
            return
        if len(fired) > 64 + 2 * len(self.activity.by_frame):
            fired.intersection_update({f for f in fired if self.activity.alive(f)})
        fired.add(token.frame)
        claim = self._claim(group, token.frame, (token,))
        self.activity.add(claim.frame, group.node * 2 + 1)
        claims.append(claim)

    def _replaces_static(self, token: Token) -> bool:
        """Whether a static edge already holds a value; the new one then takes its place."""
        if token.edge in self.static:
            self.static[token.edge] = token
            return True
        for waiting in self.slots[self.layout.slot_of_edge[token.edge]].fresh():
            if waiting.edge == token.edge:
                waiting.value = token.value
                return True
        return False

    # ---- deciding ------------------------------------------------------------------------

    def _wake(self, watchers: Iterable[Watcher] | None) -> None:
        if watchers:
            self._to_try.extend(watchers)

    def _try_all(self, claims: list[Claim]) -> None:
        while self._to_try:
            batch = list(dict.fromkeys(self._to_try))
            self._to_try.clear()
            for number, frame in batch:
                group = self.layout.groups[number]
                while (claim := self._try(group, frame)) is not None:
                    claims.append(claim)

    def _try(self, group: Group, frame: Frame) -> Claim | None:
        if group.join == "collect":
            return self._try_collect(group, frame)
        for seed in self._seeds(group, frame):
            taken, whole, empty = self._match(group, seed)
            blocker = self._blocker(group, whole, empty)
            if blocker is None:
                return self._take(group, whole, taken)
            self.activity.watch(blocker, (group.number, frame))
        return None

    def _try_collect(self, group: Group, frame: Frame) -> Claim | None:
        outside = outside_split(frame)
        taken = [
            token
            for slot in group.slots
            for token in self.slots[slot].fresh()
            if outside_split(token.frame) == outside
        ]
        if not taken:
            return None
        blocker = self._blocker(group, outside, range(len(group.slots)))
        if blocker is not None:
            self.activity.watch(blocker, (group.number, frame))
            return None
        taken.sort(key=lambda token: (token.frame, token.order))
        return self._take(group, outside, taken)

    def _seeds(self, group: Group, frame: Frame) -> list[Token]:
        found = (self.slots[slot].first_fresh(frame) for slot in group.slots)
        return sorted((t for t in found if t is not None), key=lambda token: token.order)

    def _fresh_frames(self, group: Group) -> list[Frame]:
        found = sorted(pair for slot in group.slots for pair in self.slots[slot].frames())
        return list(dict.fromkeys(frame for _, frame in found))

    def _match(self, group: Group, seed: Token) -> tuple[list[Token], Frame, list[int]]:
        """The oldest agreeing token of each input, the union of frames, and the empty inputs."""
        taken: list[Token] = []
        empty: list[int] = []
        frame = seed.frame
        own = self.layout.slot_of_edge[seed.edge]
        for place, slot in enumerate(group.slots):
            token = seed if slot == own else self.slots[slot].oldest(frame)
            if token is not None:
                taken.append(token)
                frame = union(frame, token.frame)
                continue
            kept = [self.static[e] for e in group.edges[place] if e in self.static]
            if kept:
                taken.append(max(kept, key=lambda token: token.order))
            else:
                empty.append(place)
        return taken, frame, empty

    def _blocker(self, group: Group, frame: Frame, empty: Iterable[int]) -> Place | None:
        """What can still put a token on an empty input, if anything can."""
        structure = self.structure
        if group.header:
            found = self._loop_activity(group.node, frame)
            if found is not None:
                return found
        for place in empty:
            for edge in group.edges[place]:
                seen, barred = self._seen_from(edge, group.node, frame)
                running = structure.feeders(edge, barred)
                tokens = running & ~(1 << group.node)
                for header in barred:
                    tokens &= ~(1 << header)
                found = self.activity.find(seen, running, tokens)
                if found is not None:
                    return found
        return None

    def _seen_from(self, edge: int, node: int, frame: Frame) -> tuple[Frame, frozenset[int]]:
        """The part of a frame that a token on this edge can have, and the loops it is held to.

        A round that no token on the edge can belong to does not count: what comes over it
        comes from outside that loop.
        """
        if not frame:
            return frame, _NO_LOOPS
        rank, loops = self.structure.rank, self.structure.loops
        possible = {*self.structure.carries[edge], *self.structure.holders[node]}
        barred = frozenset(h for h in possible if value_of(frame, loop_key(rank[h])) is not None)
        foreign = {loop_key(rank[h]) for h in loops if h not in possible}
        return tuple(item for item in frame if item[0] not in foreign), barred

    def _loop_activity(self, header: int, frame: Frame) -> Place | None:
        """Something under way in an earlier entry of the loop: it must end first."""
        nodes = self.structure.loops[header].nodes
        key = loop_key(self.structure.rank[header])
        for here in self.activity.agreeing(frame):
            hits = (here.running | here.tokens) & nodes
            if hits and value_of(here.frame, key) is not None:
                node = (hits & -hits).bit_length() - 1
                return here.frame, node * 2 + (here.running >> node & 1)
        return None

    # ---- firing --------------------------------------------------------------------------

    def _take(
        self, group: Group, frame: Frame, taken: list[Token], gave_up: tuple[int, ...] = ()
    ) -> Claim:
        claim = self._claim(group, frame, taken, gave_up)
        self.activity.add(claim.frame, group.node * 2 + 1)
        collects = group.join == "collect"
        for token in taken:
            slot = self.slots[self.layout.slot_of_edge[token.edge]]
            if self.static.get(token.edge) is token or token in slot.outer:
                continue
            if self.layout.static[token.edge]:
                slot.remove(token)
                self.static[token.edge] = token
            elif not collects and any(is_outer(token.frame, t.frame) for t in taken):
                slot.keep(token)
                self._purge(slot)
            else:
                slot.remove(token)
            self.waiting -= 1
            self._wake(self.activity.remove(token.frame, group.node * 2))
        return claim

    def _claim(
        self,
        group: Group,
        frame: Frame,
        taken: Sequence[Token],
        gave_up: tuple[int, ...] = (),
    ) -> Claim:
        if group.header:
            return self._claim_frame(group.node, frame, taken, gave_up, entered=True)
        if group.returns:
            key = loop_key(self.structure.rank[group.node])
            at = value_of(frame, key)
            if at is None:
                return self._claim_frame(group.node, frame, taken, gave_up, entered=True)
            whole = with_key(self._one_strand(group.node, frame), key, at[0], at[1] + 1)
            return Claim(group.node, whole, taken, gave_up)
        return Claim(group.node, frame, taken, gave_up)

    def _claim_frame(
        self,
        node: int,
        frame: Frame,
        taken: Sequence[Token] = (),
        gave_up: tuple[int, ...] = (),
        *,
        entered: bool,
    ) -> Claim:
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

    def _purge(self, slot: Slot) -> None:
        """Forgets kept tokens whose frames have died out, once there are many."""
        if len(slot.outer) < self._purge_at:
            return
        slot.outer = [token for token in slot.outer if self.activity.alive(token.frame)]
        self._purge_at = max(16, 2 * len(slot.outer))


_NO_LOOPS: frozenset[int] = frozenset()
