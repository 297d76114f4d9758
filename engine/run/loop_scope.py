"""Which loop a step is in, and the loop state that belongs to its entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.run.condition import Condition, Firing, Scope
from engine.run.frames import Frame, is_loop_key, loop_key, rank_of, value_of
from engine.run.state import RunState, without_entries


def innermost(scope: Scope, node: int, frame: Frame) -> tuple[int, int, int] | None:
    """Header, entry and round of the innermost loop that a step is in.

    For a loop node it is the loop that the node decides about.
    A side branch of a loop still knows the round that it came from.
    """
    structure = scope.level.structure
    own = scope.level.controls.get(node)
    headers = structure.holders[node] if own is None else (*structure.holders[node], own)
    for header in reversed(headers):
        found = value_of(frame, loop_key(structure.rank[header]))
        if found is not None:
            return header, found[0], found[1]
    if not frame:
        return None
    return _last_loop(scope, frame)


def _last_loop(scope: Scope, frame: Frame) -> tuple[int, int, int] | None:
    for key, entry, round_number in reversed(frame):
        if is_loop_key(key):
            return scope.level.structure.order[rank_of(key)], entry, round_number
    return None


def entry_of(scope: Scope, firing: Firing) -> int:
    """Which entry of its innermost loop a step belongs to; 0 outside loops."""
    if not scope.level.structure.loops:
        return 0
    found = innermost(scope, firing.node, firing.frame)
    return 0 if found is None else found[1]


def enter_loop(condition: Condition, scope: Scope, header: int) -> None:
    """A fresh entry: forgets the loop states inside, but for entries still under way."""
    states = condition.state.loop_states
    if not states:
        return
    structure = scope.level.structure
    nodes = scope.level.loop_nodes[header]
    if not any(node in states for node in nodes):
        return
    for inner in structure.loops:
        if structure.loops[header].nodes >> inner & 1:
            members = [n for n in nodes if _loop_of(scope, structure.index[n]) == inner]
            key = loop_key(structure.rank[inner])
            under_way = {
                found[0]
                for frame in scope.room.activity.by_frame
                if (found := value_of(frame, key)) is not None
            }
            condition.state = without_entries(condition.state, members, under_way)


def _loop_of(scope: Scope, node: int) -> int | None:
    """The loop that a node's loop state belongs to."""
    own = scope.level.controls.get(node)
    holders = scope.level.structure.holders[node]
    return own if own is not None else holders[-1] if holders else None


def loop_state(state: RunState, node: str, entry: int) -> Mapping[str, Any]:
    """A loop node's own state in one entry."""
    return state.loop_states.get(node, {}).get(entry, {})


def newest_loop_states(state: RunState) -> dict[str, Mapping[str, Any]]:
    """Per loop node, the state of its newest entry."""
    return {node: entries[max(entries)] for node, entries in state.loop_states.items() if entries}
