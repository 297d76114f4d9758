"""Edits of nodes and edges at once: a node put into an edge, nodes taken out and the gap closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.errors import FlowCheckError
from engine.flow.document import Edge, EdgeData, Flow, Node
from engine.flow.edits.base import (
    changed_flow,
    changed_part,
    edge_of,
    free_edge_id,
    node_of,
    with_edge,
)
from engine.flow.edits.edges import add_edge
from engine.flow.edits.nodes import add_node, remove_nodes, set_parent, with_insides
from engine.flow.names import quoted


def insert_on_edge(
    flow: Flow, edge_id: str, node: Node | str, onward: EdgeData | None = None
) -> Flow:
    """The flow with a node put into an edge.

    The edge keeps its id, its route key and what it takes from its source, and leads to the node;
    a new edge leads on to the old target and goes back where the old one did.

    Args:
        flow: The flow.
        edge_id: The edge that is cut.
        node: A new node, or the id of one that is there.
        onward: What the new edge carries beside its target pin and its going back, for example
            the route key of the node's way out.

    Raises:
        FlowCheckError: The node is an end of the edge, or its id is taken.
    """
    edge = edge_of(flow, edge_id)
    node_id = node if isinstance(node, str) else node.id
    if node_id in (edge.source, edge.target):
        msg = f"{quoted(node_id)} is already an end of the edge {quoted(edge_id)}."
        raise FlowCheckError(msg, "Choose another node or another edge.")
    owner = f"edge {quoted(edge_id)}"
    inward = changed_part(
        edge.data, owner, edge_type=_inward_type(edge), target_pin=None, static=False, waypoints=()
    )
    outward = changed_part(
        onward or EdgeData(), owner, target_pin=edge.data.target_pin, static=edge.data.static
    )
    if edge.data.edge_type == "loop_back":
        outward = changed_part(outward, owner, edge_type="loop_back")
    changed = _with_node_inside(flow, edge, node)
    changed = with_edge(changed, changed_part(edge, owner, target=node_id, data=inward))
    return add_edge(changed, node_id, edge.target, outward)


def _inward_type(edge: Edge) -> str:
    """Only the second half of an edge that goes back still does."""
    if edge.data.edge_type != "loop_back":
        return edge.data.edge_type
    return "normal" if edge.data.route_key is None else "conditional"


def _with_node_inside(flow: Flow, edge: Edge, node: Node | str) -> Flow:
    """The flow with the node in the same box as the edge, when both ends share one."""
    box = flow.node_by_id[edge.target].parent
    shared = box == flow.node_by_id[edge.source].parent
    if isinstance(node, str):
        known = node_of(flow, node)
        own_inside = box is not None and box in with_insides(flow, [known.id])
        return set_parent(flow, [node], box) if shared and not own_inside else flow
    added = add_node(flow, node)
    return set_parent(added, [node.id], box) if shared and node.parent is None else added


def delete_and_heal(flow: Flow, node_ids: Iterable[str]) -> Flow:
    """The flow without these nodes, with what led to them joined to what they led to.

    Each edge that led in now leads to every node that could be reached through the gap; it keeps
    its id, route key and source pin for the first of them. No node is joined to itself, and none
    twice in the same way.
    """
    gone = with_insides(flow, node_ids)
    edges = [edge for edge in flow.edges if edge.source not in gone and edge.target not in gone]
    taken, known = set(flow.edge_by_id), {_meaning(edge) for edge in edges}
    for entering in flow.edges:
        if entering.source not in gone and entering.target in gone:
            edges.extend(_healed(flow, entering, gone, taken, known))
    place = {edge.id: number for number, edge in enumerate(flow.edges)}
    # An edge that kept its id keeps its place: the order of edges breaks ties in a run.
    edges.sort(key=lambda edge: place.get(edge.id, len(place)))
    return changed_flow(remove_nodes(flow, gone), edges=tuple(edges))


def _healed(
    flow: Flow, entering: Edge, gone: set[str], taken: set[str], known: set[tuple[object, ...]]
) -> Iterator[Edge]:
    """The edges that take the place of one that led into the gap; notes them as taken and known."""
    edge_id, owner = entering.id, f"edge {quoted(entering.id)}"
    for data, target in _ways_through(flow, entering, gone):
        edge = changed_part(entering, owner, id=edge_id, target=target, data=data)
        if target == entering.source or _meaning(edge) in known:
            continue
        yield edge
        known.add(_meaning(edge))
        edge_id = free_edge_id(taken)
        taken.add(edge_id)


def _ways_through(flow: Flow, entering: Edge, gone: set[str]) -> Iterator[tuple[EdgeData, str]]:
    """Data and target for each edge that leaves the gap where `entering` led into it."""
    seen, queue = {entering.target}, [entering.target]
    goes_back = {entering.target: entering.data.edge_type == "loop_back"}
    while queue:
        node_id = queue.pop(0)
        for edge in flow.edges_from[node_id]:
            is_back = goes_back[node_id] or edge.data.edge_type == "loop_back"
            if edge.target not in gone:
                yield _joined(entering, edge, is_back), edge.target
            elif edge.target not in seen:
                seen.add(edge.target)
                goes_back[edge.target] = is_back
                queue.append(edge.target)


def _joined(entering: Edge, leaving: Edge, is_back: bool) -> EdgeData:
    return changed_part(
        entering.data,
        f"edge {quoted(entering.id)}",
        edge_type="loop_back" if is_back else entering.data.edge_type,
        target_pin=leaving.data.target_pin,
        static=entering.data.static or leaving.data.static,
        waypoints=(),
    )


def _meaning(edge: Edge) -> tuple[object, ...]:
    data = edge.data
    ends = (edge.source, edge.target)
    return (*ends, data.route_key, data.condition, data.source_pin, data.target_pin)
