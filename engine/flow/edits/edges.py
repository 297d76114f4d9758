"""Edits of edges: drawing, removing, redirecting, and what each one carries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.errors import FlowCheckError
from engine.flow.document import Edge, EdgeData, Flow, Position
from engine.flow.edits.base import (
    changed_flow,
    changed_part,
    edge_of,
    free_edge_id,
    free_name,
    node_of,
    with_edge,
)
from engine.flow.edits.nodes import as_position
from engine.flow.names import quoted


def add_edge(
    flow: Flow,
    source: str,
    target: str,
    data: EdgeData | None = None,
    edge_id: str | None = None,
) -> Flow:
    """The flow with one more edge, last in the document.

    Args:
        flow: The flow.
        source: Where it begins.
        target: Where it ends.
        data: Type, route key and so on, for example from `infer_edge`.
        edge_id: The id wished for; it gets a number when it is taken.

    Raises:
        FlowCheckError: An end that does not exist.
    """
    taken = flow.edge_by_id
    new_id = free_edge_id(taken) if edge_id is None else free_name(edge_id, taken)
    edge = Edge(id="new", source=node_of(flow, source).id, target=node_of(flow, target).id)
    edge = changed_part(edge, f"edge {quoted(new_id)}", id=new_id, data=data or EdgeData())
    return changed_flow(flow, edges=(*flow.edges, edge))


def remove_edges(flow: Flow, edge_ids: Iterable[str]) -> Flow:
    """The flow without these edges."""
    gone = {edge_of(flow, edge_id).id for edge_id in edge_ids}
    return changed_flow(flow, edges=tuple(edge for edge in flow.edges if edge.id not in gone))


def reconnect_edge(
    flow: Flow,
    edge_id: str,
    *,
    source: str | None = None,
    target: str | None = None,
    data: EdgeData | None = None,
) -> Flow:
    """The flow with another begin or end of an edge; None leaves it where it is.

    Args:
        flow: The flow.
        edge_id: The edge.
        source: The node at which it begins from now on.
        target: The node at which it ends from now on.
        data: What it carries from now on. Without it everything stays but the waypoints, which
            belong to the old way.
    """
    edge = edge_of(flow, edge_id)
    ends = {
        "source": node_of(flow, edge.source if source is None else source).id,
        "target": node_of(flow, edge.target if target is None else target).id,
    }
    if data is not None:
        new_data = data
    elif (edge.source, edge.target) == (ends["source"], ends["target"]):
        new_data = edge.data
    else:
        new_data = changed_part(edge.data, f"edge {quoted(edge_id)}", waypoints=())
    return with_edge(flow, changed_part(edge, f"edge {quoted(edge_id)}", **ends, data=new_data))


def set_edge_data(flow: Flow, edge_id: str, /, **fields: Any) -> Flow:
    """The flow with other values in an edge's data.

    Raises:
        FlowCheckError: No such field, or a value that it does not take.
    """
    edge = edge_of(flow, edge_id)
    data = changed_part(edge.data, f"edge {quoted(edge_id)}", **fields)
    return with_edge(flow, changed_part(edge, f"edge {quoted(edge_id)}", data=data))


def set_waypoints(
    flow: Flow, edge_id: str, waypoints: Sequence[Position | tuple[float, float]]
) -> Flow:
    """The flow with other points through which an edge is drawn."""
    points = tuple(as_position(point) for point in waypoints)
    return set_edge_data(flow, edge_id, waypoints=points)


def reorder_edges(flow: Flow, node_id: str, edge_ids: Sequence[str]) -> Flow:
    """The flow with the edges that leave a node in another order.

    Args:
        flow: The flow.
        node_id: The node that they leave.
        edge_ids: Every edge that leaves it, in the new order.
    """
    node_of(flow, node_id)
    leaving = flow.edges_from[node_id]
    if sorted(edge_ids) != sorted(edge.id for edge in leaving):
        owner = f"node {quoted(node_id)}"
        msg = f"{owner}: the new order must name each of its {len(leaving)} edges once."
        raise FlowCheckError(msg, "Nothing was changed.")
    in_order = iter([flow.edge_by_id[edge_id] for edge_id in edge_ids])
    edges = tuple(next(in_order) if edge.source == node_id else edge for edge in flow.edges)
    return changed_flow(flow, edges=edges)
