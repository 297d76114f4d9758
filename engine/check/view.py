"""A flow as the rules look at it: facts of each node, levels, variables, and near names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from engine.check.catalogue import CODES
from engine.check.facts import NodeFacts, facts_of
from engine.check.level import Level
from engine.check.parsed import ParsedText, parsed_texts
from engine.check.problem import Fix, Path, Problem, Severity
from engine.check.writes import Write, writes_of
from engine.errors import UnknownNodeTypeError
from engine.flow.document import Edge, Flow, Node
from engine.flow.names import quoted
from engine.flow.structure import analyse
from engine.language.words import nearest
from engine.node_type import NodeType
from engine.registry import NodeRegistry
from engine.routes import route_key_of

KnownFlows = Callable[[str], Flow | None]

# Looking for a near name is slow: a flow in which hundreds are wrong has another problem.
_MOST_NEAR_NAMES = 60


class Spot(NamedTuple):
    """Where a node lies: its level and its number there."""

    level: Level
    number: int


class FlowView:
    """Everything that the rules ask of a flow; made once per check."""

    def __init__(self, flow: Flow, registry: NodeRegistry, known_flows: KnownFlows | None) -> None:
        self.flow = flow
        self.registry = registry
        self.known_flows = known_flows
        self._kinds: dict[str, type[NodeType] | UnknownNodeTypeError] = {}
        self._near: dict[tuple[str, str], str] = {}
        self.facts: dict[str, NodeFacts] = {node.id: self._facts(node) for node in flow.nodes}

    # ---- types -----------------------------------------------------------------------------

    def kind_of(self, type_id: str) -> type[NodeType] | None:
        """The type with that id; None when it is not installed."""
        found = self._found_kind(type_id)
        return None if isinstance(found, UnknownNodeTypeError) else found

    def _found_kind(self, type_id: str) -> type[NodeType] | UnknownNodeTypeError:
        if type_id not in self._kinds:
            try:
                self._kinds[type_id] = self.registry.get(type_id)
            except UnknownNodeTypeError as error:
                self._kinds[type_id] = error
        return self._kinds[type_id]

    def _facts(self, node: Node) -> NodeFacts:
        found = self._found_kind(node.type)
        missing = found if isinstance(found, UnknownNodeTypeError) else None
        kind = None if isinstance(found, UnknownNodeTypeError) else found
        return facts_of(node, kind, missing, self.flow.settings.on_error)

    # ---- levels ----------------------------------------------------------------------------

    @cached_property
    def levels(self) -> Mapping[str | None, Level]:
        """The top (None) and the inside of each node that holds others, in document order."""
        nodes: dict[str | None, list[Node]] = {None: []}
        for node in self.flow.nodes:
            nodes.setdefault(node.parent, []).append(node)
        edges: dict[str | None, list[Edge]] = {parent: [] for parent in nodes}
        parents = {node.id: node.parent for node in self.flow.nodes}
        for edge in self.flow.edges:
            if parents[edge.source] == parents[edge.target]:
                edges[parents[edge.source]].append(edge)
        return {p: self._level(p, nodes[p], edges[p]) for p in nodes}

    def _level(self, parent: str | None, nodes: list[Node], edges: list[Edge]) -> Level:
        # Only what lies in the level: thousands of boxes must not each look at the whole flow.
        part = self.flow.model_copy(update={"nodes": tuple(nodes), "edges": tuple(edges)})
        structure = analyse(
            part, parent, lambda n, e, back: route_key_of(self.facts[n.id].kind, n, e, back)
        )
        return Level(parent, structure, [self.facts[node.id] for node in nodes])

    def spot(self, node_id: str) -> Spot:
        """Where a node lies."""
        level = self.levels[self.flow.node_by_id[node_id].parent]
        return Spot(level, level.structure.index[node_id])

    def holder_in(self, node_id: str, parent: str | None) -> str | None:
        """The node itself, or the box around it, that lies directly in a level; None if none."""
        nodes = self.flow.node_by_id
        at: str | None = node_id
        while at is not None and nodes[at].parent != parent:
            at = nodes[at].parent
        return at

    def sound_edges_to(self, node_id: str) -> list[Edge]:
        """The edges into a node that do not cross a border."""
        level, number = self.spot(node_id)
        return [level.structure.edges[edge] for edge in level.structure.incoming[number]]

    def filled_fields(self, node_id: str) -> frozenset[str]:
        """The fields of a node that edges fill by their target pins."""
        pins = (edge.data.target_pin for edge in self.sound_edges_to(node_id))
        return frozenset(pin.split(".", 1)[0].split("[", 1)[0] for pin in pins if pin)

    # ---- variables -------------------------------------------------------------------------

    @cached_property
    def writes(self) -> Mapping[str, tuple[Write, ...]]:
        """Every place that writes a flow variable, by variable, in document order."""
        found: dict[str, list[Write]] = {}
        for node in self.flow.nodes:
            for write in writes_of(self.facts[node.id], self.flow.variable_by_name):
                found.setdefault(write.variable, []).append(write)
        return {name: tuple(writes) for name, writes in found.items()}

    @cached_property
    def variables(self) -> frozenset[str]:
        """Every variable that is declared or written somewhere."""
        return frozenset(self.flow.variable_by_name) | frozenset(self.writes)

    @cached_property
    def parsed(self) -> tuple[ParsedText, ...]:
        """Every text in fields and on edges, parsed."""
        return tuple(parsed_texts(self.flow, self.facts))

    # ---- words -----------------------------------------------------------------------------

    def title(self, node_id: str) -> str:
        """What a person calls a node, in quotes."""
        return quoted(self.flow.node_by_id[node_id].title)

    def edge_words(self, edge: Edge) -> str:
        """What an edge is called in a message."""
        return f"The edge from {self.title(edge.source)} to {self.title(edge.target)}"

    def near(self, wrong: str, topic: str, names: Iterable[str]) -> str:
        """The name that was probably meant; empty when none is near.

        Args:
            wrong: What was written.
            topic: What sort of name it is; names of one sort are looked at once.
            names: Those that there are.
        """
        key = (topic, wrong)
        if key not in self._near:
            if len(self._near) >= _MOST_NEAR_NAMES:
                return ""
            self._near[key] = nearest(wrong, names)
        return self._near[key]

    def problem(
        self,
        code: str,
        message: str,
        hint: str = "",
        *,
        node: str | None = None,
        edge: str | None = None,
        field: Path = (),
        position: int | None = None,
        fix: Fix | None = None,
        severity: Severity | None = None,
    ) -> Problem:
        """A problem with the usual severity of its code."""
        weight = severity or CODES[code].severity
        return Problem(code, weight, message, hint, node, edge, field, position, fix)
