"""The input groups of the nodes: which edges a node waits for together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.flow.document import JoinPolicy
from engine.flow.structure import Structure


@dataclass(frozen=True, slots=True)
class Group:
    """A node's forward inputs, or its back inputs.

    Attributes:
        number: Place in the layout.
        node: The node that waits.
        slots: Slot numbers; edges that share a target pin share a slot.
        edges: Edge numbers per slot.
        header: Whether the node is a header and these are its forward inputs.
        returns: Whether these are its back inputs.
        join: The join policy in force.
        simple: A token that comes fires the node at once.
    """

    number: int
    node: int
    slots: tuple[int, ...]
    edges: tuple[tuple[int, ...], ...]
    header: bool
    returns: bool
    join: JoinPolicy
    simple: bool


class Layout:
    """All groups of one level of a flow, and which group and slot each edge belongs to."""

    def __init__(self, structure: Structure, joins: Sequence[JoinPolicy]) -> None:
        self.structure = structure
        self.groups: list[Group] = []
        self.slot_of_edge = [0] * len(structure.edges)
        self.group_of_edge: list[Group] = [_NOWHERE] * len(structure.edges)
        self.static = [edge.data.static for edge in structure.edges]
        self.slot_count = 0
        for node in range(len(structure.nodes)):
            forward = [e for e in structure.incoming[node] if not structure.back[e]]
            returning = [e for e in structure.incoming[node] if structure.back[e]]
            if forward:
                self._add(node, forward, joins[node], returns=False)
            if returning:
                self._add(node, returning, joins[node], returns=True)

    @cached_property
    def doors(self) -> dict[int, tuple[int, ...]]:
        """Per header, the slots of edges that enter its loop from outside, beside the header."""
        structure = self.structure
        return {
            header: found
            for header, loop in structure.loops.items()
            if (
                found := tuple(
                    self.slot_of_edge[edge]
                    for edge, target in enumerate(structure.target)
                    if target != header
                    and loop.nodes >> target & 1
                    and not loop.nodes >> structure.source[edge] & 1
                )
            )
        }

    @cached_property
    def beside(self) -> frozenset[int]:
        """The nodes that such edges point at."""
        slots = {slot for found in self.doors.values() for slot in found}
        return frozenset(g.node for g in self.groups if not slots.isdisjoint(g.slots))

    @cached_property
    def in_order(self) -> list[Group]:
        """Groups by topological order of their nodes, forward inputs before back inputs."""
        rank = self.structure.rank
        return sorted(self.groups, key=lambda group: (rank[group.node], group.returns))

    def _add(self, node: int, edges: list[int], join: JoinPolicy, *, returns: bool) -> None:
        by_input: dict[object, list[int]] = {}
        for edge in edges:
            pin = self.structure.edges[edge].data.target_pin
            by_input.setdefault(edge if pin is None else pin, []).append(edge)
        header = not returns and node in self.structure.loops
        slots = tuple(range(self.slot_count, self.slot_count + len(by_input)))
        self.slot_count += len(by_input)
        static = any(self.static[edge] for edge in edges)
        group = Group(
            number=len(self.groups),
            node=node,
            slots=slots,
            edges=tuple(map(tuple, by_input.values())),
            header=header,
            returns=returns,
            join=join,
            simple=not static
            and (join == "any" or (join == "all" and len(slots) == 1 and not header)),
        )
        self.groups.append(group)
        for slot, members in zip(slots, group.edges, strict=True):
            for edge in members:
                self.slot_of_edge[edge] = slot
                self.group_of_edge[edge] = group


_NOWHERE = Group(-1, -1, (), (), header=False, returns=False, join="all", simple=False)
