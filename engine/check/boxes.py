"""Boxes: edges across their border, boxes without nodes, nodes inside what is no box."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from engine.check.problem import Fix, Problem
from engine.check.view import FlowView
from engine.flow.document import Edge, Flow
from engine.flow.edits import remove_edges, set_parent


def problems(view: FlowView) -> Iterator[Problem]:
    """What is wrong with boxes and their borders."""
    nodes = view.flow.node_by_id
    for edge in view.flow.edges:
        if nodes[edge.source].parent != nodes[edge.target].parent:
            yield _crossing(view, edge)
    for node in view.flow.nodes:
        kind = view.facts[node.id].kind
        if kind is None:
            continue
        if kind.meta.has_children and node.id not in view.levels:
            yield view.problem(
                "empty-box",
                f"The box {view.title(node.id)} holds no nodes: it hands its items on as they are.",
                "Put the nodes that shall run for each item inside it.",
                node=node.id,
            )
        elif not kind.meta.has_children and node.id in view.levels:
            yield _no_box(view, node.id)


def _crossing(view: FlowView, edge: Edge) -> Problem:
    nodes = view.flow.node_by_id
    into, out_of = nodes[edge.target].parent, nodes[edge.source].parent
    holder = view.holder_in(edge.source, into)
    box = out_of if into is None or holder is not None else into
    assert box is not None
    return view.problem(
        "crosses-border",
        f"{view.edge_words(edge)} crosses the border of the box {view.title(box)}. "
        "No value passes there.",
        "Lead the edge to the box itself; inside, the item is {{ $iteration.item }}.",
        edge=edge.id,
        fix=Fix("Remove the edge", partial(_without_edge, edge.id)),
    )


def _without_edge(edge_id: str, flow: Flow) -> Flow:
    return remove_edges(flow, [edge_id])


def _no_box(view: FlowView, node_id: str) -> Problem:
    inside = [node.id for node in view.levels[node_id].structure.nodes]
    names = ", ".join(view.title(inner) for inner in inside[:3])
    more = f" and {len(inside) - 3} more" if len(inside) > 3 else ""
    return view.problem(
        "parent-is-no-box",
        f"{names}{more} cannot run: {view.title(node_id)}, in which "
        f"{'it lies' if len(inside) == 1 else 'they lie'}, holds no other nodes.",
        "Only a box such as For each holds nodes.",
        node=node_id,
        fix=Fix("Take them out", partial(_taken_out, node_id)),
    )


def _taken_out(node_id: str, flow: Flow) -> Flow:
    inside = [node.id for node in flow.children(node_id)]
    return set_parent(flow, inside, flow.node_by_id[node_id].parent)
