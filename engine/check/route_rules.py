"""Ways out of nodes: those without an edge, and edges with keys that nobody chooses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from engine.check.facts import NodeFacts
from engine.check.level import DEFAULT_KEY, Level
from engine.check.problem import Fix, Problem
from engine.check.view import FlowView
from engine.flow.document import Edge, ErrorPolicy, ErrorPolicyName, Flow
from engine.flow.edits import set_edge_data, set_on_error
from engine.flow.inference import ERROR_KEY
from engine.flow.names import quoted


def problems(view: FlowView) -> Iterator[Problem]:
    """What is wrong with routes."""
    for level in view.levels.values():
        for number, facts in enumerate(level.facts):
            if facts.handles is None:
                continue
            yield from _error_route(view, level, number, facts)
            if _is_settled(view, facts):
                yield from _unknown(view, level, number, facts)
                yield from _missing(view, level, number, facts)
    yield from _flow_policy(view)


def _is_settled(view: FlowView, facts: NodeFacts) -> bool:
    """Whether the ways out are known: not with a broken configuration, or one that pins fill."""
    broken = any(fault.kind != "unknown_field" for fault in facts.faults)
    return not broken and not (view.filled_fields(facts.node.id) & _dynamic(facts))


def _dynamic(facts: NodeFacts) -> frozenset[str]:
    """The fields that may change the ways out: any, for a node that has several."""
    return frozenset(facts.kind.model_fields if facts.kind and len(facts.keys) > 0 else ())


def _error_route(view: FlowView, level: Level, number: int, facts: NodeFacts) -> Iterator[Problem]:
    node = facts.node
    own = node.on_error is not None and node.on_error.policy == "branch"
    if own and facts.handles and not _has_error_edge(level, number):
        yield view.problem(
            "missing-error-route",
            f"When {view.title(node.id)} fails, the error should leave on the route 'error', but "
            "no edge has it: the run would stop there.",
            "Draw an edge from its 'error' handle, or let an error stop the run.",
            node=node.id,
            fix=Fix("Stop when it fails", partial(_stopping, node.id)),
        )


def _stopping(node_id: str, flow: Flow) -> Flow:
    return _with_policy(node_id, "stop", flow)


def _branching(node_id: str, flow: Flow) -> Flow:
    return _with_policy(node_id, "branch", flow)


def _with_policy(node_id: str, name: ErrorPolicyName, flow: Flow) -> Flow:
    old = flow.node_by_id[node_id].on_error
    policy = ErrorPolicy(policy=name, retry=old.retry if old else None)
    return set_on_error(flow, node_id, policy)


def _has_error_edge(level: Level, number: int) -> bool:
    structure = level.structure
    return any(structure.keys[edge] == ERROR_KEY for edge in structure.outgoing[number])


def _flow_policy(view: FlowView) -> Iterator[Problem]:
    """One warning for the whole flow when its own policy asks for routes that are not there."""
    if view.flow.settings.on_error != "branch":
        return
    bare = [
        facts.node.id
        for level in view.levels.values()
        for number, facts in enumerate(level.facts)
        if facts.node.on_error is None
        and facts.handles
        and facts.node.type != "start"
        and not _has_error_edge(level, number)
    ]
    if bare:
        count = "1 node has" if len(bare) == 1 else f"{len(bare)} nodes have"
        yield view.problem(
            "missing-error-route",
            f"The flow lets errors leave on the route 'error', but {count} no such edge, for "
            f"example {view.title(bare[0])}: the run would stop there.",
            "Draw the edges, or choose another policy for those nodes or for the flow.",
            severity="warning",
        )


def _missing(view: FlowView, level: Level, number: int, facts: NodeFacts) -> Iterator[Problem]:
    structure = level.structure
    # A node without any edge is told of as isolated.
    if not structure.incoming[number] and not structure.outgoing[number]:
        return
    drawn = {structure.keys[edge] for edge in structure.outgoing[number]}
    if None in drawn or DEFAULT_KEY in drawn:
        return
    lacking = [
        h for h in facts.handles or () if h.key not in drawn and h.key not in (None, ERROR_KEY)
    ]
    if not lacking:
        return
    names = ", ".join(quoted(handle.label or handle.key) for handle in lacking[:5])
    more = f" and {len(lacking) - 5} more" if len(lacking) > 5 else ""
    instead = level.taken(number, lacking[0].key)
    if instead:
        goes = f"goes on along {quoted(structure.keys[instead[0]])} instead"
    else:
        goes = "ends there"
    what = "way" if len(lacking) == 1 else "ways"
    yield view.problem(
        "missing-route",
        f"{view.title(facts.node.id)} has no edge for its {what} out {names}{more}; a run that "
        f"takes {'it' if len(lacking) == 1 else 'one of them'} {goes}.",
        f"Draw an edge from {'it' if len(lacking) == 1 else 'each'}, if more should follow.",
        node=facts.node.id,
    )


def _unknown(view: FlowView, level: Level, number: int, facts: NodeFacts) -> Iterator[Problem]:
    offered = {handle.key for handle in facts.handles or ()}
    for place in level.structure.outgoing[number]:
        edge, key = level.structure.edges[place], level.structure.keys[place]
        if key is None or key in offered or (key == DEFAULT_KEY and facts.keys):
            continue
        yield _unknown_key(view, facts, edge, key)


def _unknown_key(view: FlowView, facts: NodeFacts, edge: Edge, key: str) -> Problem:
    title, names = view.title(facts.node.id), [k for k in facts.keys if k != ERROR_KEY]
    hint, fix, follows = "", None, "the edge is never taken"
    if key == ERROR_KEY and facts.handles:
        hint = "Let its errors branch off, or give the edge another key."
        fix = Fix("Let errors branch off", partial(_branching, facts.node.id))
    elif not names and facts.handles:
        follows = "the key changes nothing"
        fix = Fix("Remove the key", partial(_with_key, edge.id, None))
    elif names:
        near = view.near(key, f"routes of {facts.node.id}", names)
        hint = f"Did you mean {quoted(near)}?" if near else f"It has: {', '.join(names[:8])}."
        if near:
            fix = Fix(f"Use the route {quoted(near)}", partial(_with_key, edge.id, near))
    return view.problem(
        "unknown-route",
        f"{view.edge_words(edge)} has the route {quoted(key)}, which {title} does not offer: "
        f"{follows}.",
        hint,
        edge=edge.id,
        field=("route_key",),
        fix=fix,
    )


def _with_key(edge_id: str, key: str | None, flow: Flow) -> Flow:
    handle = None if key is None else f"{key}_handle"
    return set_edge_data(flow, edge_id, route_key=key, source_handle_id=handle)
