"""The waiting room of one level of a run: tokens on edges, and which groups are ready.

It decides and never awaits: `release` answers with the claims that became ready.
What blocks a group is remembered, so a group is tested again only when that is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.run.activity import Activity, Watcher
from engine.run.claims import Claim, Claims
from engine.run.frames import (
    TOP,
    Frame,
    agree,
    is_outer,
    loop_key,
    outside_split,
    shape,
    value_of,
)
from engine.run.groups import Group, Layout
from engine.run.queues import Slot, Token
from engine.run.readiness import Readiness


class WaitingRoom:
    """Tokens, kept values and activity of one level of a run."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.structure = layout.structure
        self.activity = Activity()
        self.slots = [Slot() for _ in range(layout.slot_count)]
        self.static: dict[int, Token] = {}
        self.first_fired: dict[int, set[Frame]] = {}
        self.dropped: list[Token] = []
        self.unused: list[Token] = []
        self.entered: dict[int, dict[Frame, None]] = {}
        self.waiting = 0
        self.order = 0
        self.claims = Claims(layout.structure)
        self._readiness = Readiness(layout, self.activity, self.slots, self.static)
        self._to_try: list[Watcher] = []
        self._shapes: list[dict[tuple[int, ...], int]] = [{} for _ in layout.groups]
        self._blocked_on: dict[Watcher, int] = {}
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
        claim = self.claims.of_node(node, frame, entered=node in self.structure.loops)
        self._begin(claim, frame)
        return claim

    def force(self) -> list[Claim]:
        """Fires the topologically first group that holds a token, ready or not.

        Values that came too late for their loop are set aside instead, and what became ready by
        that fires on its own account.
        """
        for group in self.layout.in_order:
            while frames := self._readiness.fresh_frames(group):
                taken, frame, gave_up = self._whatever_waits(group, frames[0])
                if not self._came_too_late(group.node, frame):
                    claim = self._take(group, frame, taken, gave_up)
                    claim.forced = True
                    return [claim]
                self._set_aside(group, taken)
        claims: list[Claim] = []
        self._try_all(claims)
        return claims

    def _whatever_waits(
        self, group: Group, first: Frame
    ) -> tuple[list[Token], Frame, tuple[int, ...]]:
        """The tokens that would be taken now, their frame, and the edges given up on."""
        if group.join == "collect":
            outside = self._outside(group, first)
            return self._collected(group, outside), outside, ()
        seed = self._readiness.seeds(group, first)[0]
        taken, frame, empty = self._readiness.match(group, seed)
        return taken, frame, tuple(edge for place in empty for edge in group.edges[place])

    def put_back(self, token: Token) -> None:
        """Puts a token where a snapshot says it was; `recheck` decides later."""
        self.slots[self.layout.slot_of_edge[token.edge]].add(token)
        shapes, kind = (
            self._shapes[self.layout.group_of_edge[token.edge].number],
            shape(token.frame),
        )
        shapes[kind] = shapes.get(kind, 0) + 1
        self.waiting += 1
        node = self.structure.target[token.edge]
        token.passive = node in self.layout.beside and self._came_too_late(node, token.frame)
        if not token.passive:
            self.activity.add(token.frame, node * 2)

    def recheck(self) -> list[Claim]:
        """Tests every group that holds tokens."""
        claims: list[Claim] = []
        for group in self.layout.groups:
            self._to_try.extend(
                (group.number, frame) for frame in self._readiness.fresh_frames(group)
            )
        self._try_all(claims)
        return claims

    def unmatched(self) -> list[Token]:
        """Tokens that no step has used, in the order in which they came."""
        waiting = [token for slot in self.slots for token in slot.fresh()]
        return sorted([*self.unused, *waiting], key=lambda token: token.order)

    # ---- arriving ------------------------------------------------------------------------

    def _arrive(self, edge: int, frame: Frame, value: Any, claims: list[Claim]) -> None:
        group = self.layout.group_of_edge[edge]
        self.order += 1
        token = Token(self.order, edge, frame, value)
        if group.simple:
            claim = self.claims.of_group(group, frame, (token,))
            self._begin(claim, frame)
            claims.append(claim)
        elif group.join == "first":
            self._arrive_first(group, token, claims)
        elif not (self.layout.static[edge] and self._replaces_static(token)):
            self.put_back(token)
            seen_from = self._outside(group, frame) if group.join == "collect" else frame
            if not self._still_blocked(group, token, seen_from):
                self._to_try.append((group.number, seen_from))
            if group.join != "collect" and len(self._shapes[group.number]) > 1:
                self._to_try.extend(
                    (group.number, other)
                    for slot in group.slots
                    for other in self.slots[slot].frames_of_other_shapes(frame)
                )

    def _still_blocked(self, group: Group, token: Token, frame: Frame) -> bool:
        """Whether the group is known to wait for another input than the one that was filled."""
        known = self._blocked_on.get((group.number, frame))
        if group.join == "collect":
            return known is not None
        if len(self._shapes[group.number]) > 1:
            return False
        return known is not None and known != self.layout.slot_of_edge[token.edge]

    def _arrive_first(self, group: Group, token: Token, claims: list[Claim]) -> None:
        fired = self.first_fired.setdefault(group.node, set())
        if token.frame in fired:
            self.dropped.append(token)
            return
        if len(fired) > 64 + 2 * len(self.activity.by_frame):
            fired.intersection_update({f for f in fired if self.activity.alive(f)})
        fired.add(token.frame)
        claim = self.claims.of_group(group, token.frame, (token,))
        self._begin(claim, token.frame)
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
            for watcher in watchers:
                self._blocked_on.pop(watcher, None)
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
        matched: list[Token] = []
        for seed in self._readiness.seeds(group, frame):
            if seed in matched:
                continue
            taken, whole, empty = self._readiness.match(group, seed)
            if self._is_blocked(group, frame, whole, reversed(empty)):
                matched = taken
            elif self._came_too_late(group.node, whole):
                self._set_aside(group, taken)
                return self._try(group, frame)
            else:
                return self._take(group, whole, taken)
        return None

    def _is_blocked(self, group: Group, frame: Frame, whole: Frame, places: Iterable[int]) -> bool:
        """Whether something can still come; if so, the group is tested again when it is over."""
        found = self._readiness.blocker(group, whole, places)
        if found is None:
            return False
        blocker, slot = found
        watcher = (group.number, frame)
        self.activity.watch(blocker, watcher)
        self._blocked_on[watcher] = slot
        return True

    def _try_collect(self, group: Group, outside: Frame) -> Claim | None:
        if self._is_blocked(group, outside, outside, range(len(group.slots))):
            return None
        taken = self._collected(group, outside)
        if not taken:
            return None
        return self._take(group, outside, taken)

    def _outside(self, group: Group, frame: Frame) -> Frame:
        """The frame in which a group collects: outside the innermost split.

        Where nothing was split, the rounds of loops that were left behind are collected.
        """
        outside = outside_split(frame)
        if outside != frame:
            return outside
        rank, holders = self.structure.rank, self.structure.holders[group.node]
        own = {loop_key(rank[header]) for header in holders}
        return tuple(item for item in frame if item[0] in own)

    def _collected(self, group: Group, outside: Frame) -> list[Token]:
        """Everything that waits in this frame and its strands, in strand order."""
        found = [
            token
            for slot in group.slots
            for token in self.slots[slot].fresh()
            if self._outside(group, token.frame) == outside
        ]
        return sorted(found, key=lambda token: (token.frame, token.order))

    # ---- firing --------------------------------------------------------------------------

    def _take(
        self, group: Group, frame: Frame, taken: list[Token], gave_up: tuple[int, ...] = ()
    ) -> Claim:
        claim = self.claims.of_group(group, frame, taken, gave_up)
        self._begin(claim, frame)
        mixed = group.join != "collect" and len({token.frame for token in taken}) > 1
        for token in taken:
            slot = self.slots[self.layout.slot_of_edge[token.edge]]
            if not self._leaves_line(group, slot, token):
                continue
            if (
                mixed
                and not self.layout.static[token.edge]
                and any(is_outer(token.frame, t.frame) for t in taken)
            ):
                slot.outer.append(token)
                self._purge(slot)
        return claim

    def _leaves_line(self, group: Group, slot: Slot, token: Token) -> bool:
        """Takes a fresh token out of its line; a static one stays as its edge's kept value.

        False for a token that was kept already.
        """
        if self.static.get(token.edge) is token or token in slot.outer:
            return False
        slot.remove(token)
        if self.layout.static[token.edge]:
            self.static[token.edge] = token
        self._one_less(group, token)
        self.waiting -= 1
        self._forget(token, group.node)
        return True

    def _begin(self, claim: Claim, outer: Frame) -> None:
        """A step of this claim is under way; where it enters a loop, that is remembered."""
        self.activity.add(claim.frame, claim.node * 2 + 1)
        if not claim.entered:
            return
        entered = self.entered.setdefault(claim.node, {})
        entered[outer] = None
        for slot in self.layout.doors.get(claim.node, ()):
            for token in self.slots[slot].fresh():
                if not token.passive and self._came_too_late(
                    self.structure.target[token.edge], token.frame
                ):
                    self._forget(token, self.structure.target[token.edge])
                    token.passive = True
        if len(entered) > 32 + 4 * len(self.activity.by_frame):
            for frame in [each for each in entered if not self.activity.alive(each)]:
                del entered[frame]

    def _forget(self, token: Token, node: int) -> None:
        """A token waits no more, or fires nothing by itself any more."""
        if not token.passive:
            self._wake(self.activity.remove(token.frame, node * 2))

    def _came_too_late(self, node: int, frame: Frame) -> bool:
        """Whether a value from outside a loop waits at a node in it, and the loop was entered.

        It serves the rounds of the loop. It fires nothing by itself, also when there are no more.
        """
        rank = self.structure.rank
        for header in self.structure.holders[node]:
            if header == node or value_of(frame, loop_key(rank[header])) is not None:
                continue
            if any(agree(frame, outer) for outer in self.entered.get(header, ())):
                return True
        return False

    def _set_aside(self, group: Group, taken: Sequence[Token]) -> None:
        """Takes values out that nothing will use; they are told at the end."""
        for token in taken:
            slot = self.slots[self.layout.slot_of_edge[token.edge]]
            if self._leaves_line(group, slot, token) and not self.layout.static[token.edge]:
                self.unused.append(token)

    def _one_less(self, group: Group, token: Token) -> None:
        shapes, kind = self._shapes[group.number], shape(token.frame)
        shapes[kind] -= 1
        if not shapes[kind]:
            del shapes[kind]

    def _purge(self, slot: Slot) -> None:
        """Forgets kept tokens whose frames have died out, once there are many."""
        if len(slot.outer) < self._purge_at:
            return
        slot.outer = [token for token in slot.outer if self.activity.alive(token.frame)]
        self._purge_at = max(16, 2 * len(slot.outer))
