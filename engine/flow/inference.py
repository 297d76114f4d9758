"""What a newly drawn edge means: its type, its route key, and the keys that may be chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.errors import FlowCheckError
from engine.flow.document import EdgeData, EdgeType, Flow
from engine.flow.names import nearest, quoted

ERROR_KEY = "error"


class WayOut(Protocol):
    """One named way out of a node, as its node type describes it."""

    @property
    def key(self) -> str | None:
        """The route key of edges drawn from it; None for the plain one."""

    @property
    def label(self) -> str:
        """What it is called on the canvas; may be empty."""

    @property
    def id(self) -> str:
        """Its id on the canvas."""


@dataclass(frozen=True, slots=True)
class KeySuggestion:
    """A route key that an edge may take; `free` when no other edge of the node has it."""

    key: str
    label: str
    handle_id: str
    free: bool


@dataclass(frozen=True, slots=True)
class _ErrorWay:
    key: str | None = ERROR_KEY
    label: str = "error"
    id: str = f"{ERROR_KEY}_handle"


def infer_edge(
    flow: Flow,
    source_id: str,
    target_id: str,
    handles: Sequence[WayOut],
    condition_like: bool,
    handle_key: str | None = None,
) -> EdgeData:
    """The data of an edge that is drawn from one node to another.

    Args:
        flow: The flow before the edge is added.
        source_id: Where the edge begins.
        target_id: Where it ends.
        handles: The source's ways out, in order; `error` is added for a node that branches on it.
        condition_like: Whether the source chooses one of its ways out.
        handle_key: Route key of the handle that it is drawn from; None for the node's body, which
            takes the first way out without an edge.

    Raises:
        FlowCheckError: A node or a key that does not exist.
    """
    ways = _ways_out(flow, source_id, handles)
    if target_id not in flow.node_by_id:
        raise _no_node(flow, target_id)
    if handle_key is None:
        way = _first_without_edge(flow, source_id, ways)
    else:
        way = _way_with_key(flow, source_id, ways, handle_key)
    edge_type: EdgeType = "normal"
    if closes_cycle(flow, source_id, target_id):
        edge_type = "loop_back"
    elif condition_like:
        edge_type = "conditional"
    if way is None or way.key is None:
        return EdgeData(edge_type=edge_type)
    return EdgeData(edge_type=edge_type, route_key=way.key, source_handle_id=way.id)


def suggest_route_keys(
    flow: Flow, source_id: str, handles: Sequence[WayOut], edge_id: str | None = None
) -> tuple[KeySuggestion, ...]:
    """The keys that the source of an edge offers, those without an edge first.

    Args:
        flow: The flow.
        source_id: Where the edge begins.
        handles: As for `infer_edge`.
        edge_id: The edge that is looked at; its own key counts as free.
    """
    ways = _ways_out(flow, source_id, handles)
    taken = _taken_keys(flow, source_id, edge_id)
    found = [
        KeySuggestion(way.key, way.label, way.id, way.key not in taken)
        for way in ways
        if way.key is not None
    ]
    return tuple(sorted(found, key=lambda suggestion: not suggestion.free))


def closes_cycle(flow: Flow, source_id: str, target_id: str) -> bool:
    """Whether an edge from source to target would close a loop of forward edges.

    Edges that are marked as going back are not followed: drawing a second way forward inside a
    loop does not go back.
    """
    seen, queue = {target_id}, [target_id]
    while queue:
        node_id = queue.pop()
        if node_id == source_id:
            return True
        for edge in flow.edges_from[node_id]:
            if edge.data.edge_type != "loop_back" and edge.target not in seen:
                seen.add(edge.target)
                queue.append(edge.target)
    return False


def _ways_out(flow: Flow, source_id: str, handles: Sequence[WayOut]) -> list[WayOut]:
    node = flow.node_by_id.get(source_id)
    if node is None:
        raise _no_node(flow, source_id)
    ways = list(handles)
    policy = node.on_error.policy if node.on_error else flow.settings.on_error
    if policy == "branch" and all(way.key != ERROR_KEY for way in ways):
        ways.append(_ErrorWay())
    return ways


def _first_without_edge(flow: Flow, source_id: str, ways: Sequence[WayOut]) -> WayOut | None:
    """The first free way out; the very first when all have an edge."""
    taken = _taken_keys(flow, source_id)
    return min(ways, key=lambda way: way.key in taken, default=None)


def _way_with_key(flow: Flow, source_id: str, ways: Sequence[WayOut], key: str) -> WayOut:
    for way in ways:
        if way.key == key:
            return way
    known = [way.key for way in ways if way.key is not None]
    title = flow.node_by_id[source_id].title
    hint = nearest(key, known) or (f"It has: {', '.join(known)}." if known else "")
    raise FlowCheckError(f"{quoted(title)} has no way out called {quoted(key)}.", hint)


def _taken_keys(flow: Flow, source_id: str, but_edge: str | None = None) -> set[str | None]:
    edges = flow.edges_from[source_id]
    return {edge.data.route_key for edge in edges if edge.id != but_edge}


def _no_node(flow: Flow, node_id: str) -> FlowCheckError:
    hint = nearest(node_id, list(flow.node_by_id))
    return FlowCheckError(f"There is no node {quoted(node_id)} in this flow.", hint)
