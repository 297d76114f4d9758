"""A flow made ready to run: structure, groups and compiled fields of each level, made once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.errors import LanguageError, UnknownNodeTypeError
from engine.flow.document import Edge, ErrorPolicy, Flow, Node
from engine.flow.pins import Pin, parse_pin
from engine.flow.structure import Structure, analyse
from engine.language.expression import Expression, parse_expression
from engine.node_config import preview
from engine.node_type import NodeType
from engine.registry import NodeRegistry
from engine.routes import route_key_of
from engine.run.fields import FieldPlan, plan_fields
from engine.run.frames import loop_key
from engine.run.groups import Layout

TOOL_PIN = "tools"


@dataclass(slots=True)
class NodePlan:
    """One node made ready: its type, its compiled fields and what every node has.

    `kind` is None for a type that is not installed; `missing` then says so.
    """

    number: int
    node: Node
    kind: type[NodeType] | None
    missing: UnknownNodeTypeError | None
    policy: ErrorPolicy
    fields: FieldPlan
    id: str
    save_as: str | None
    timeout_s: float | None
    announces: bool
    pinned: Mapping[str, Any] | None
    plain: bool


@dataclass(slots=True)
class EdgePlan:
    """One edge made ready."""

    number: int
    edge: Edge
    key: str | None
    condition: Expression | LanguageError | None
    source_pin: Pin | None
    feeds_tool: bool


class LevelPlan:
    """The top level of a flow, or the inside of one box."""

    def __init__(self, plan: Plan, parent: str | None) -> None:
        self.parent = parent
        self.structure: Structure = analyse(plan.flow, parent, plan.route_key_of)
        self.ids = tuple(node.id for node in self.structure.nodes)
        self.nodes = [plan.plan_node(i, node) for i, node in enumerate(self.structure.nodes)]
        joins = [plan.join_of(node) for node in self.structure.nodes]
        self.layout = Layout(self.structure, joins)
        self.collects = [join == "collect" for join in joins]
        self.edges = [self._edge(i, edge) for i, edge in enumerate(self.structure.edges)]
        self.out = [[self.edges[e] for e in edges] for edges in self.structure.outgoing]
        self.plain_out = [all(map(_is_plain, edges)) for edges in self.out]
        self.all_out = [[e.number for e in edges] for edges in self.out]
        self.drops = [
            frozenset(loop_key(self.structure.rank[header]) for header in dropped)
            for dropped in self.structure.drops
        ]
        self.loop_nodes = self._loop_nodes()
        self.controls = self._controls()
        self.simple_routes: dict[tuple[int, str], list[int]] = {}

    def _edge(self, number: int, edge: Edge) -> EdgePlan:
        pin = edge.data.source_pin
        return EdgePlan(
            number=number,
            edge=edge,
            key=self.structure.keys[number],
            condition=_compiled(edge.data.condition),
            source_pin=parse_pin(pin) if pin and pin != TOOL_PIN else None,
            feeds_tool=pin == TOOL_PIN,
        )

    def _controls(self) -> dict[int, int]:
        """Per loop node, the header of the loop that it decides about.

        Its own where it is a header, else the one that it goes back to, else the innermost.
        """
        found = {}
        for node in self.nodes:
            number = node.number
            if node.kind is None or not node.kind.meta.loops:
                continue
            back = [
                self.structure.target[edge]
                for edge in self.structure.outgoing[number]
                if self.structure.back[edge]
            ]
            holders = self.structure.holders[number]
            if number in self.structure.loops:
                found[number] = number
            elif back or holders:
                found[number] = (back or [holders[-1]])[0]
        return found

    def _loop_nodes(self) -> dict[int, tuple[str, ...]]:
        """Per header, the ids of the nodes in its loop, whose loop state an entry resets."""
        return {
            header: tuple(self.ids[n] for n in range(len(self.ids)) if loop.nodes >> n & 1)
            for header, loop in self.structure.loops.items()
        }


class Plan:
    """A whole flow made ready to run with a registry of node types."""

    def __init__(
        self,
        flow: Flow,
        registry: NodeRegistry,
        *,
        use_pins: bool = True,
        model: str | None = None,
    ) -> None:
        self.flow = flow
        self.registry = registry
        self.use_pins = use_pins
        self.model = model
        self._levels: dict[str | None, LevelPlan] = {}

    def level(self, parent: str | None = None) -> LevelPlan:
        """The level inside a box; None is the top."""
        known = self._levels.get(parent)
        if known is None:
            known = self._levels[parent] = LevelPlan(self, parent)
        return known

    @cached_property
    def id_by_label(self) -> dict[str, str]:
        """Node ids by label; the first of several wins."""
        found: dict[str, str] = {}
        for node in self.flow.nodes:
            found.setdefault(node.label or node.id, node.id)
        return found

    def kind_of(self, node: Node) -> type[NodeType] | UnknownNodeTypeError:
        """The node's type, or why it is missing."""
        try:
            return self.registry.get(node.type)
        except UnknownNodeTypeError as error:
            return error

    def route_key_of(self, node: Node, edge: Edge, is_back: bool) -> str | None:
        """The route key in force: drawn, or what the type says of unlabelled edges."""
        kind = self.kind_of(node)
        known = None if isinstance(kind, UnknownNodeTypeError) else kind
        return route_key_of(known, node, edge, is_back)

    def join_of(self, node: Node) -> Any:
        """The join policy in force."""
        kind = self.kind_of(node)
        if isinstance(kind, UnknownNodeTypeError):
            return node.join
        if kind.join is NodeType.join:
            return node.join
        return preview(kind, node.config).join(node.join)

    def plan_node(self, number: int, node: Node) -> NodePlan:
        """One node made ready."""
        kind = self.kind_of(node)
        missing = kind if isinstance(kind, UnknownNodeTypeError) else None
        found = None if isinstance(kind, UnknownNodeTypeError) else kind
        pinned = self.flow.pinned.get(node.id) if self.use_pins else None
        fields = plan_fields(found, node, self.model)
        return NodePlan(
            number=number,
            node=node,
            kind=found,
            missing=missing,
            policy=node.on_error or ErrorPolicy(policy=self.flow.settings.on_error),
            fields=fields,
            id=node.id,
            timeout_s=node.timeout_s,
            announces=found is not None and (found.meta.announces or found.meta.outside_effects),
            save_as=node.save_as or _configured_variable(node, found),
            pinned=pinned,
            plain=missing is None
            and pinned is None
            and not node.disabled
            and (node.on_error is None or node.on_error.retry is None)
            and not any(e.data.target_pin for e in self.flow.edges_to[node.id]),
        )


def _configured_variable(node: Node, kind: type[NodeType] | None) -> str | None:
    """The variable that a configuration names, unless the type has a `save_as` of its own."""
    if kind is not None and "save_as" in kind.model_fields:
        return None
    return node.config.get("save_as") or None


def _is_plain(edge: EdgePlan) -> bool:
    """Whether any unrouted output goes onto this edge as it is."""
    return (
        edge.condition is None
        and edge.source_pin is None
        and not edge.feeds_tool
        and edge.key != "error"
    )


def _compiled(text: str | None) -> Expression | LanguageError | None:
    """A fault is kept: it stops the run only when the edge is looked at."""
    if not text:
        return None
    try:
        return parse_expression(text)
    except LanguageError as error:
        return error
