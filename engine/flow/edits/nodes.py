"""Edits of nodes: adding, removing, renaming, moving, and what every node has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.errors import FlowCheckError
from engine.flow.document import Edge, ErrorPolicy, Flow, JoinPolicy, Node, Position
from engine.flow.edits.base import (
    Rewrite,
    changed_flow,
    changed_part,
    node_of,
    own_copy,
    with_node,
    with_nodes,
)
from engine.flow.edits.texts import rewritten_edge, rewritten_node
from engine.flow.names import quoted


def add_node(flow: Flow, node: Node) -> Flow:
    """The flow with one more node, last in the document.

    Raises:
        FlowCheckError: Its id is taken, or its parent does not exist.
    """
    added = own_copy(node, f"node {quoted(node.id)}")
    return changed_flow(flow, nodes=(*flow.nodes, added))


def remove_nodes(flow: Flow, node_ids: Iterable[str]) -> Flow:
    """The flow without these nodes, what lies inside them, their edges and pinned outputs."""
    gone = with_insides(flow, node_ids)
    return changed_flow(
        flow,
        nodes=tuple(node for node in flow.nodes if node.id not in gone),
        edges=tuple(e for e in flow.edges if e.source not in gone and e.target not in gone),
        pinned={name: output for name, output in flow.pinned.items() if name not in gone},
    )


def with_insides(flow: Flow, node_ids: Iterable[str]) -> set[str]:
    """The ids given, and those of every node inside them at any depth.

    Raises:
        FlowCheckError: An id that is no node.
    """
    inside: dict[str, list[str]] = {}
    for node in flow.nodes:
        if node.parent is not None:
            inside.setdefault(node.parent, []).append(node.id)
    queue = [node_of(flow, node_id).id for node_id in node_ids]
    found = set(queue)
    while queue:
        children = inside.get(queue.pop(), ())
        queue.extend(child for child in children if child not in found)
        found.update(children)
    return found


def rename_node_id(flow: Flow, old: str, new: str, rewrite: Rewrite | None = None) -> Flow:
    """The flow with another id for a node; edges, parents and pinned outputs follow.

    Args:
        flow: The flow.
        old: The id now.
        new: The id from now on.
        rewrite: Renames references in texts; without it texts stay as they are.

    Raises:
        FlowCheckError: The new id is taken or empty.
    """
    node_of(flow, old)
    if old == new:
        return flow
    ids = {old: new}
    return changed_flow(
        flow,
        nodes=tuple(rewritten_node(_renamed(node, ids), ids, rewrite) for node in flow.nodes),
        edges=tuple(rewritten_edge(_reconnected(edge, ids), ids, rewrite) for edge in flow.edges),
        pinned={ids.get(name, name): output for name, output in flow.pinned.items()},
    )


def _reconnected(edge: Edge, ids: Mapping[str, str]) -> Edge:
    if edge.source not in ids and edge.target not in ids:
        return edge
    source, target = ids.get(edge.source, edge.source), ids.get(edge.target, edge.target)
    return changed_part(edge, f"edge {quoted(edge.id)}", source=source, target=target)


def _renamed(node: Node, ids: Mapping[str, str]) -> Node:
    if node.id in ids:
        return changed_part(node, f"node {quoted(node.id)}", id=ids[node.id])
    if node.parent is not None and node.parent in ids:
        return changed_part(node, f"node {quoted(node.id)}", parent=ids[node.parent])
    return node


def set_node_fields(flow: Flow, node_id: str, /, **fields: Any) -> Flow:
    """The flow with other values in the fields that every node has.

    Raises:
        FlowCheckError: A value that the field does not take; the id is changed by `rename_node_id`.
    """
    node = node_of(flow, node_id)
    if fields.get("id", node_id) != node_id:
        msg = f"node {quoted(node_id)}: the id is not set like other fields."
        raise FlowCheckError(msg, "Rename the node's id instead.")
    return with_node(flow, changed_part(node, f"node {quoted(node_id)}", **fields))


def set_label(flow: Flow, node_id: str, label: str) -> Flow:
    """The flow with another label on a node."""
    return set_node_fields(flow, node_id, label=label)


def set_join(flow: Flow, node_id: str, join: JoinPolicy) -> Flow:
    """The flow with another join policy on a node."""
    return set_node_fields(flow, node_id, join=join)


def set_on_error(
    flow: Flow, node_id: str, policy: ErrorPolicy | str | Mapping[str, Any] | None
) -> Flow:
    """The flow with another error policy on a node; None takes the flow's own."""
    plain = dict(policy) if isinstance(policy, Mapping) else policy
    return set_node_fields(flow, node_id, on_error=plain)


def set_timeout(flow: Flow, node_id: str, timeout_s: float | None) -> Flow:
    """The flow with another time-out on a node, in seconds; None for none."""
    return set_node_fields(flow, node_id, timeout_s=timeout_s)


def set_concurrency(flow: Flow, node_id: str, concurrency: int) -> Flow:
    """The flow with another number of steps of one node that may overlap."""
    return set_node_fields(flow, node_id, concurrency=concurrency)


def set_save_as(flow: Flow, node_id: str, variable: str | None) -> Flow:
    """The flow with another variable that takes a node's output; None for none."""
    return set_node_fields(flow, node_id, save_as=variable)


def set_disabled(flow: Flow, node_ids: Iterable[str], disabled: bool = True) -> Flow:
    """The flow with these nodes passing their input through, or running again."""
    return _each(flow, node_ids, disabled=disabled)


def set_node_notes(flow: Flow, node_id: str, notes: str) -> Flow:
    """The flow with other remarks on a node."""
    return set_node_fields(flow, node_id, notes=notes)


def set_parent(flow: Flow, node_ids: Iterable[str], parent: str | None) -> Flow:
    """The flow with these nodes inside another one; None for the top level.

    Raises:
        FlowCheckError: A node would lie inside itself.
    """
    if parent is not None:
        node_of(flow, parent)
    return _each(flow, node_ids, parent=parent)


def move_nodes(flow: Flow, positions: Mapping[str, Position | tuple[float, float]]) -> Flow:
    """The flow with nodes elsewhere on the canvas.

    Args:
        flow: The flow.
        positions: New position by node id.
    """
    moved = {
        node_id: changed_part(
            node_of(flow, node_id), f"node {quoted(node_id)}", position=as_position(place)
        )
        for node_id, place in positions.items()
    }
    return with_nodes(flow, moved)


def as_position(place: Position | tuple[float, float]) -> object:
    """A position, from one or from x and y; judged by the field that takes it."""
    if isinstance(place, Position):
        return place
    x, y = place
    return {"x": x, "y": y}


def _each(flow: Flow, node_ids: Iterable[str], **fields: Any) -> Flow:
    changed = {
        node_id: changed_part(node_of(flow, node_id), f"node {quoted(node_id)}", **fields)
        for node_id in node_ids
    }
    return with_nodes(flow, changed)
