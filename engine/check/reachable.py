"""Nodes that never run, and edges that do nothing: isolated, out of reach, drawn twice."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from engine.check.level import Level
from engine.check.problem import Fix, Problem
from engine.check.view import FlowView
from engine.flow.document import Edge, Flow
from engine.flow.edits import remove_edges


def problems(view: FlowView) -> Iterator[Problem]:
    """Nodes and edges without use."""
    for parent, level in view.levels.items():
        if parent is None or view.facts[parent].is_box:
            yield from _nodes(view, level)
        yield from _twins(view, level)


def _nodes(view: FlowView, level: Level) -> Iterator[Problem]:
    structure = level.structure
    for number, node in enumerate(structure.nodes):
        linked = structure.incoming[number] or structure.outgoing[number]
        if not linked and level.parent is None and len(structure.nodes) > 1:
            yield view.problem(
                "isolated",
                f"{view.title(node.id)} has no edges, so "
                + ("nothing follows it." if level.is_reached(number) else "it never runs."),
                "Draw an edge, or delete the node.",
                node=node.id,
            )
        # Where nothing can begin, saying it once is enough.
        elif linked and not level.is_reached(number) and structure.starts:
            yield view.problem(
                "unreachable",
                f"{view.title(node.id)} never runs: no way leads there from where "
                f"{'the flow' if level.parent is None else 'its box'} begins.",
                "Draw an edge that leads to it, or delete it.",
                node=node.id,
            )


def _twins(view: FlowView, level: Level) -> Iterator[Problem]:
    known: dict[tuple[object, ...], Edge] = {}
    for number, edge in enumerate(level.structure.edges):
        data = edge.data
        meaning = (
            edge.source, edge.target, level.structure.keys[number], data.condition,
            data.source_pin, data.target_pin, data.static,
        )  # fmt: skip
        if known.setdefault(meaning, edge) is edge:
            continue
        key = level.structure.keys[number]
        words = f" for the route '{key}'" if key is not None else ""
        yield view.problem(
            "duplicate-edge",
            f"{view.edge_words(edge)} is drawn twice{words}. The node still runs once.",
            "Remove one of them.",
            edge=edge.id,
            fix=Fix("Remove the second edge", partial(_without, edge.id)),
        )


def _without(edge_id: str, flow: Flow) -> Flow:
    return remove_edges(flow, [edge_id])
