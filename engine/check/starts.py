"""Where a flow begins: no start, two starts."""

from __future__ import annotations

from collections.abc import Iterator

from engine.check.level import Level
from engine.check.problem import Fix, Problem
from engine.check.view import FlowView
from engine.flow.document import Flow, Node, Position
from engine.flow.edits import add_edge, add_node, free_name, reconnect_edge, remove_nodes

START = "start"
_LEFT = 240
_EDGE_OF_CANVAS = -1_000_000_000


def problems(view: FlowView) -> Iterator[Problem]:
    """What is wrong with where the flow and its boxes begin."""
    starts = [node for node in view.flow.nodes if node.type == START]
    yield from _no_start(view, starts)
    for extra in starts[1:]:
        yield _second_start(view, starts[0], extra)
    for parent, level in view.levels.items():
        if parent is not None and view.facts[parent].is_box and not level.structure.starts:
            yield view.problem(
                "no-start",
                f"Nothing inside the box {view.title(parent)} can begin: each node waits for "
                "another one.",
                "Leave one node inside without an edge that leads into it.",
                node=parent,
            )


def _no_start(view: FlowView, starts: list[Node]) -> Iterator[Problem]:
    top = view.levels[None]
    entries = [top.structure.nodes[number].id for number in top.structure.starts]
    if not entries:
        yield view.problem(
            "no-start",
            "The flow has no place where a run could begin.",
            "Add a Start node and draw an edge from it to the first step.",
            fix=_fix(view, _first_steps(top)),
        )
    elif not starts:
        names = ", ".join(view.title(entry) for entry in entries[:3])
        more = f" and {len(entries) - 3} more" if len(entries) > 3 else ""
        yield view.problem(
            "no-start",
            f"The flow has no Start node. It begins at {names}{more}.",
            "With a Start node you choose what a run is given.",
            severity="warning",
            fix=_fix(view, entries),
        )


def _first_steps(top: Level) -> list[str]:
    """Where a Start node of a flow without any beginning would lead: the first node."""
    nodes = top.structure.nodes
    linked = [node.id for number, node in enumerate(nodes) if top.structure.incoming[number]]
    return [*linked, *(node.id for node in nodes)][:1]


def _fix(view: FlowView, targets: list[str]) -> Fix | None:
    if view.kind_of(START) is None:
        return None

    def with_start(flow: Flow) -> Flow:
        node_id = free_name(START, flow.node_by_id)
        place = flow.node_by_id[targets[0]].position if targets else Position()
        left = Position(x=max(place.x - _LEFT, _EDGE_OF_CANVAS), y=place.y)
        changed = add_node(flow, Node(id=node_id, type=START, label="Start", position=left))
        for target in targets:
            changed = add_edge(changed, node_id, target)
        return changed

    return Fix("Add a Start node", with_start)


def _second_start(view: FlowView, first: Node, extra: Node) -> Problem:
    fix = None
    if first.parent == extra.parent and extra.config in ({}, first.config):
        fix = Fix(
            f"Begin at {view.title(first.id)} only", lambda flow: _merged(flow, first.id, extra.id)
        )
    return view.problem(
        "two-starts",
        f"{view.title(extra.id)} is a second Start node; the flow already begins at "
        f"{view.title(first.id)}.",
        "Keep one Start node and draw edges from it to each first step.",
        node=extra.id,
        fix=fix,
    )


def _merged(flow: Flow, first: str, extra: str) -> Flow:
    """The flow with the edges of one Start node drawn from the other, which stays alone."""
    changed = flow
    for edge in flow.edges_from[extra]:
        # An edge back to the extra node, or to the first, would close a loop with nothing in it.
        if edge.target not in (first, extra):
            changed = reconnect_edge(changed, edge.id, source=first)
    return remove_nodes(changed, [extra])
