"""Variables that two nodes replace at the same time: which value stays is a matter of chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.check.level import Level
from engine.check.problem import Problem
from engine.check.view import FlowView
from engine.flow.names import quoted

_MOST_PAIRS_TOLD = 10


def problems(view: FlowView) -> Iterator[Problem]:
    """Writers that get in each other's way."""
    for variable, writes in view.writes.items():
        replacing = list(dict.fromkeys(write.node for write in writes if write.replaces))
        if len(replacing) > 1:
            yield from _pairs(view, variable, replacing)
        yield from _in_parallel_boxes(view, variable, replacing)


def _pairs(view: FlowView, variable: str, writers: Sequence[str]) -> Iterator[Problem]:
    told = 0
    for parent, by_holder in _lifted(view, writers).items():
        level = view.levels[parent]
        holders = [level.structure.index[holder] for holder in by_holder]
        for one, other in _overlapping(level, holders):
            first = by_holder[level.structure.nodes[one].id]
            second = by_holder[level.structure.nodes[other].id]
            yield _pair(view, variable, first, second)
            told += 1
            if told >= _MOST_PAIRS_TOLD:
                return


def _lifted(view: FlowView, writers: Sequence[str]) -> dict[str | None, dict[str, str]]:
    """Per level, the nodes that write or whose inside does, each with one writer."""
    found: dict[str | None, dict[str, str]] = {}
    nodes = view.flow.node_by_id
    for writer in writers:
        holder: str | None = writer
        while holder is not None:
            found.setdefault(nodes[holder].parent, {}).setdefault(holder, writer)
            holder = nodes[holder].parent
    return {parent: found[parent] for parent in view.levels if parent in found}


def _overlapping(level: Level, holders: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs that can run at the same time, the earlier one first."""
    ordered = sorted(
        (holder for holder in holders if level.is_reached(holder)),
        key=level.structure.rank.__getitem__,
    )
    rest = sum(1 << holder for holder in ordered)
    for one in ordered:
        rest &= ~(1 << one)
        beside = rest & ~level.ahead[one]
        while beside:
            lowest = beside & -beside
            beside ^= lowest
            other = lowest.bit_length() - 1
            if level.can_overlap(one, other):
                yield one, other
            if level.gave_up:
                return


def _pair(view: FlowView, variable: str, first: str, second: str) -> Problem:
    return view.problem(
        "parallel-writers",
        f"{view.title(first)} and {view.title(second)} can run at the same time and both replace "
        f"the variable {quoted(variable)}: the one that ends last wins.",
        "Let one run after the other, use two variables, or choose another way of joining "
        "writes, for example append.",
        node=first,
    )


def _in_parallel_boxes(view: FlowView, variable: str, writers: Sequence[str]) -> Iterator[Problem]:
    nodes, told = view.flow.node_by_id, set()
    for writer in writers:
        box = nodes[writer].parent
        while box is not None:
            facts = view.facts[box]
            at_once = getattr(facts.shown, "concurrency", 1)
            if facts.is_box and isinstance(at_once, int) and at_once > 1 and box not in told:
                told.add(box)
                yield view.problem(
                    "writer-in-parallel-box",
                    f"{view.title(writer)} replaces the variable {quoted(variable)} for each item "
                    f"of {view.title(box)}, which works on {at_once} items at once: the item that "
                    "ends last wins.",
                    "Work on one item at a time, or let the results of the box come out of it.",
                    node=writer,
                )
            box = nodes[box].parent
