"""One level of a flow as the rules look at it: the top, or the inside of one box."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from engine.check.facts import NodeFacts
from engine.check.reachability import descendants
from engine.flow.inference import ERROR_KEY
from engine.flow.structure import Structure

DEFAULT_KEY = "default"
_MOST_PAIRS_LOOKED_AT = 100_000


class Level:
    """A level with its structure and what its nodes may do.

    Args:
        parent: The box; None for the top.
        structure: How it is drawn.
        facts: Of each node, by number.
    """

    def __init__(
        self, parent: str | None, structure: Structure, facts: Sequence[NodeFacts]
    ) -> None:
        self.parent = parent
        self.structure = structure
        self.facts = facts
        self._taken: dict[tuple[int, str | None], tuple[int, ...]] = {}
        self._outcomes: dict[int, tuple[str | None, ...] | None] = {}
        self._apart: set[tuple[int, int]] = set()

    def is_reached(self, node: int) -> bool:
        """Whether a run can come there."""
        return bool(self.structure.reached >> node & 1)

    def in_loop(self, node: int) -> bool:
        """Whether the node can come after itself."""
        return bool(self.anywhere[node] >> node & 1)

    @cached_property
    def ahead(self) -> list[int]:
        """Per node, the mask of those that forward edges lead to."""
        structure = self.structure
        return descendants(
            [
                [structure.target[e] for e in edges if not structure.back[e]]
                for edges in structure.outgoing
            ]
        )

    @cached_property
    def anywhere(self) -> list[int]:
        """Per node, the mask of those that any edges lead to."""
        structure = self.structure
        return descendants([[structure.target[e] for e in edges] for edges in structure.outgoing])

    @cached_property
    def entries(self) -> frozenset[int]:
        """The nodes at which this level begins."""
        return frozenset(self.structure.starts)

    @cached_property
    def endings(self) -> int:
        """Mask of the nodes whose step may end the whole run."""
        return sum(1 << n for n, facts in enumerate(self.facts) if facts.may_end_the_run)

    @cached_property
    def splitters(self) -> int:
        """Mask of the nodes whose step may send several values, or none."""
        return sum(1 << n for n, facts in enumerate(self.facts) if facts.gives_several)

    @cached_property
    def plain(self) -> int:
        """Mask of the nodes whose step may give an output without a route."""
        mask = 0
        for number, facts in enumerate(self.facts):
            if any(handle.key is None for handle in facts.handles or ()):
                mask |= 1 << number
        return mask

    # ---- what a step may choose ------------------------------------------------------------

    def outcomes(self, node: int) -> tuple[str | None, ...] | None:
        """The route keys that a step may give, None for a plain output; None when not known."""
        if node not in self._outcomes:
            self._outcomes[node] = self._find_outcomes(node)
        return self._outcomes[node]

    def _find_outcomes(self, node: int) -> tuple[str | None, ...] | None:
        facts = self.facts[node]
        if facts.handles is None or facts.kind is None:
            return None
        keys: tuple[str | None, ...] = tuple(handle.key for handle in facts.handles)
        if facts.node.disabled:
            route = facts.kind.meta.disabled_route
            return (route,) if route is not None or not keys else (keys[0],)
        return keys

    def taken(self, node: int, outcome: str | None) -> tuple[int, ...]:
        """The edges that an outcome may leave on."""
        known = self._taken.get((node, outcome))
        if known is None:
            known = self._taken[node, outcome] = tuple(self._find_taken(node, outcome))
        return known

    def _find_taken(self, node: int, outcome: str | None) -> list[int]:
        keys, out = self.structure.keys, self.structure.outgoing[node]
        if outcome is None:
            return [edge for edge in out if keys[edge] != ERROR_KEY]
        if outcome == ERROR_KEY:
            return [edge for edge in out if keys[edge] == ERROR_KEY]
        found = [edge for edge in out if keys[edge] in (outcome, None)]
        return found or self._instead(node, out)

    def _instead(self, node: int, out: Sequence[int]) -> list[int]:
        """The edges of the route that stands in for one without an edge."""
        facts = self.facts[node]
        named = [key for key in facts.keys if key != ERROR_KEY]
        is_deciding = facts.kind is not None and facts.kind.meta.condition_like
        for key in (DEFAULT_KEY, named[-1] if named and is_deciding else None):
            found = [e for e in out if key is not None and self.structure.keys[e] == key]
            if found:
                return found
        return []

    def is_certain(self, edge: int) -> bool:
        """Whether a step that chooses this edge's route surely sends something on it."""
        data = self.structure.edges[edge].data
        return data.condition is None and data.source_pin is None

    # ---- what can run at the same time ----------------------------------------------------

    @property
    def gave_up(self) -> bool:
        """Whether looking for nodes that overlap grew out of all proportion."""
        return len(self._apart) >= _MOST_PAIRS_LOOKED_AT

    def can_overlap(self, one: int, other: int) -> bool | None:
        """Whether two nodes can run at the same time within one round; None when not known.

        Neither comes after the other, and there is a node that sends tokens on two edges at
        once from which separate ways lead to both.
        """
        if one == other or self.ahead[one] >> other & 1 or self.ahead[other] >> one & 1:
            return False
        seen: set[tuple[int, int]] = set()
        queue = [(a, b) for a in self._into(one) for b in self._into(other)]
        while queue:
            pair = queue.pop()
            if pair in seen or pair in self._apart:
                continue
            seen.add(pair)
            if self._begins_both(pair):
                return True
            if len(seen) + len(self._apart) >= _MOST_PAIRS_LOOKED_AT:
                self._apart |= seen
                return None
            queue.extend(self._one_step_back(pair))
        self._apart |= seen
        return False

    def _begins_both(self, pair: tuple[int, int]) -> bool:
        return self._source(pair[0]) == self._source(pair[1]) and self._leave_together(*pair)

    def _one_step_back(self, pair: tuple[int, int]) -> Iterator[tuple[int, int]]:
        """The pairs before this one; going back from the later of both keeps the ways separate."""
        first, second = self._source(pair[0]), self._source(pair[1])
        if first == second:
            return
        if self._rank(first) > self._rank(second):
            yield from ((before, pair[1]) for before in self._into(first))
        else:
            yield from ((pair[0], before) for before in self._into(second))

    def _into(self, node: int) -> Iterator[int]:
        """Forward edges into a node; a negative number stands for the beginning of the level."""
        if node in self.entries:
            yield -1 - node
        for edge in self.structure.incoming[node]:
            if not self.structure.back[edge]:
                yield edge

    def _source(self, edge: int) -> int:
        return -1 if edge < 0 else self.structure.source[edge]

    def _rank(self, node: int) -> int:
        return -1 if node < 0 else self.structure.rank[node]

    def _leave_together(self, one: int, other: int) -> bool:
        """Whether one step may send tokens on both edges."""
        if one < 0:
            return True
        edges, node = self.structure.edges, self.structure.source[one]
        first, second = edges[one].data.condition, edges[other].data.condition
        if first is not None and second is not None and first != second:
            # Conditions on edges mostly stand for "either or".
            return False
        keys = {self.structure.keys[one], self.structure.keys[other]}
        if len(keys) == 1:
            return True
        # A plain output takes every edge but those for errors, whatever their keys.
        return ERROR_KEY not in keys and (None in keys or self.plain >> node & 1 == 1)
