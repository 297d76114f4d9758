"""Loops: without an exit, without a way back, marked wrongly, entered in two places."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from engine.check.level import Level
from engine.check.problem import Fix, Problem
from engine.check.view import FlowView
from engine.flow.document import EdgeType, Flow
from engine.flow.edits import set_edge_data
from engine.flow.structure import Loop


def problems(view: FlowView) -> Iterator[Problem]:
    """What is wrong with loops."""
    for level in view.levels.values():
        yield from _marks(view, level)
        for loop in level.structure.loops.values():
            yield from _exit(view, level, loop)
        yield from _ways_back(view, level)


# ---- marks on edges ------------------------------------------------------------------------


def _marks(view: FlowView, level: Level) -> Iterator[Problem]:
    structure = level.structure
    for number, edge in enumerate(structure.edges):
        marked = edge.data.edge_type == "loop_back"
        if number in structure.retreating:
            if level.is_reached(structure.source[number]):
                yield _two_entries(view, level, number)
        elif marked and not structure.back[number]:
            source = view.facts[edge.source].kind
            is_deciding = source is not None and source.meta.condition_like
            plain: EdgeType = "conditional" if is_deciding else "normal"
            yield view.problem(
                "marked-edge-closes-nothing",
                f"{view.edge_words(edge)} is marked as going back, but it closes no loop.",
                "Take the mark off, or draw the edge to an earlier node.",
                edge=edge.id,
                field=("edge_type",),
                fix=Fix("Make it an ordinary edge", partial(_as_type, edge.id, plain)),
            )
        elif structure.back[number] and not marked:
            yield view.problem(
                "unmarked-back-edge",
                f"{view.edge_words(edge)} closes a loop but is not marked as going back.",
                "Mark it, so that it is drawn as what it is.",
                edge=edge.id,
                field=("edge_type",),
                fix=_mark_fix(edge.id),
            )


def _mark_fix(edge_id: str) -> Fix:
    return Fix("Mark it as going back", partial(_as_type, edge_id, "loop_back"))


def _as_type(edge_id: str, edge_type: EdgeType, flow: Flow) -> Flow:
    return set_edge_data(flow, edge_id, edge_type=edge_type)


def _two_entries(view: FlowView, level: Level, number: int) -> Problem:
    structure, edge = level.structure, level.structure.edges[number]
    header = structure.target[number]
    inside = level.anywhere[header]
    entered = {header} if header in level.entries else set()
    for other, source in enumerate(structure.source):
        at = structure.target[other]
        on_cycle = inside >> at & 1 and level.anywhere[at] >> header & 1
        if on_cycle and not level.anywhere[header] >> source & 1 and level.is_reached(source):
            entered.add(at)
    names = " and ".join(view.title(structure.nodes[at].id) for at in sorted(entered)[:3])
    places = f"two places ({names})" if len(entered) > 1 else "two places"
    return view.problem(
        "loop-entered-twice",
        f"The loop around {view.title(edge.target)} can be entered in {places}. "
        f"{view.edge_words(edge)} is taken for the one that goes back.",
        "Mark the edge that goes back.",
        edge=edge.id,
        field=("edge_type",),
        fix=_mark_fix(edge.id),
    )


# ---- exits ---------------------------------------------------------------------------------


def _exit(view: FlowView, level: Level, loop: Loop) -> Iterator[Problem]:
    if not _goes_on_for_ever(level, loop):
        return
    node = level.structure.nodes[loop.header]
    inside = [level.structure.nodes[n].id for n in _numbers(loop.nodes)]
    about = "" if len(inside) == 1 else f" (around {', '.join(map(view.title, inside[:4]))})"
    yield view.problem(
        "loop-without-exit",
        f"The loop that begins at {view.title(node.id)}{about} never ends: every way through it "
        "leads back.",
        "Put an If or a Repeat node into it, with one way out that leaves the loop.",
        node=node.id,
    )


def _goes_on_for_ever(level: Level, loop: Loop) -> bool:
    """Whether each round surely leads to another one.

    Begins with every node of the loop and strikes out those with an outcome that need not lead
    to one that is left; then those before them, and so on.
    """
    if _may_stop_the_run(level, loop):
        return False
    left = set(_numbers(loop.nodes))
    queue = list(left)
    while queue:
        node = queue.pop()
        if node not in left or _surely_goes_on(level, node, left):
            continue
        if node == loop.header:
            return False
        left.discard(node)
        queue.extend(level.structure.source[edge] for edge in level.structure.incoming[node])
    return True


def _surely_goes_on(level: Level, node: int, left: set[int]) -> bool:
    outcomes = level.outcomes(node)
    if not outcomes or level.splitters >> node & 1:
        return False
    return all(
        any(level.structure.target[e] in left and level.is_certain(e) for e in level.taken(node, o))
        for o in outcomes
    )


def _may_stop_the_run(level: Level, loop: Loop) -> bool:
    """Whether a way out of the loop, or in it, comes to a node that may end the whole run."""
    return bool(level.anywhere[loop.header] & level.endings)


def _numbers(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


# ---- ways back -----------------------------------------------------------------------------


def _ways_back(view: FlowView, level: Level) -> Iterator[Problem]:
    """A node that repeats others does so on its first way out, which must come back to it."""
    for number, facts in enumerate(level.facts):
        kind = facts.kind
        linked = level.structure.incoming[number] or level.structure.outgoing[number]
        if kind is None or not kind.meta.loops or not facts.keys or not linked:
            continue
        handle = facts.keys[0]
        targets = [level.structure.target[edge] for edge in _drawn(level, number, handle)]
        # A way out without an edge is told of as such.
        if not targets or any(t == number or level.anywhere[t] >> number & 1 for t in targets):
            continue
        label = next(h.label or h.key for h in facts.handles or () if h.key == handle)
        yield view.problem(
            "loop-without-way-back",
            f"{view.title(facts.node.id)} repeats nothing: its way out '{label}' never comes back "
            "to it.",
            "Draw an edge back from the last node that shall be repeated.",
            node=facts.node.id,
        )


def _drawn(level: Level, number: int, key: str) -> list[int]:
    structure = level.structure
    return [e for e in structure.outgoing[number] if structure.keys[e] in (key, None)]
