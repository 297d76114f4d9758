"""Claims become firings, and the tokens of finished firings leave."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from engine.flow.pins import Found, extract
from engine.run.claims import Claim
from engine.run.condition import Condition, Firing, Scope
from engine.run.frames import TOP, Frame, split_key, with_key, without
from engine.run.loop_scope import enter_loop
from engine.run.pins_in import inputs_of


def begin(condition: Condition, scope: Scope, node: int, inputs: dict[str, Any]) -> None:
    """Fires a node that starts the level."""
    _add_firing(condition, scope, scope.room.start(node, TOP), inputs, {})


def fire(condition: Condition, scope: Scope, claims: Iterable[Claim]) -> None:
    """Turns claims into firings, in order."""
    for claim in claims:
        inputs, pins = inputs_of(scope, claim)
        _add_firing(condition, scope, claim, inputs, pins)


def _add_firing(
    condition: Condition, scope: Scope, claim: Claim, inputs: dict[str, Any], pins: dict[str, Any]
) -> None:
    node = claim.node
    if claim.entered:
        enter_loop(condition, scope, node)
    name = scope.level.ids[node]
    visit = condition.visits[name] = condition.visits.get(name, 0) + 1
    number = condition.next_firing
    condition.next_firing = number + 1
    firing = Firing(number, scope.path, node, claim.frame, visit, inputs, pins)
    condition.firings[number] = firing
    scope.live += 1
    line = scope.lines.get(node)
    if line is None:
        scope.lines[node] = deque((firing,))
    else:
        line.append(firing)
    condition.fresh.append(number)


def release(condition: Condition, scope: Scope, firing: Firing) -> None:
    """A step's tokens leave on the edges taken, and what became ready fires."""
    del condition.firings[firing.id]
    scope.live -= 1
    claims = scope.room.release(firing.node, firing.frame, _tokens(scope, firing))
    if scope.room.dropped:
        _note_dropped(condition, scope)
    if firing.several:
        _keep_outputs_of_strands(scope, firing)
    if claims:
        fire(condition, scope, claims)


def _keep_outputs_of_strands(scope: Scope, firing: Firing) -> None:
    """Each strand sees its own value as the node's output."""
    key = split_key(scope.level.structure.rank[firing.node])
    for index, value in enumerate(firing.outputs):
        scope.keep_output(firing.node, with_key(firing.frame, key, firing.id, index), value)


def _note_dropped(condition: Condition, scope: Scope) -> None:
    """Tokens that came too late for a `first` join; they are shown, and go no further."""
    for token in scope.room.dropped:
        edge = scope.level.structure.edges[token.edge]
        entry = {"edge": edge.id, "node": edge.target, "value": token.value, "path": scope.path}
        condition.dropped.append(entry)
        condition.notices.append(entry)
    scope.room.dropped.clear()


def _tokens(scope: Scope, firing: Firing) -> Iterator[tuple[int, Frame, Any]]:
    level = scope.level
    for index, value in enumerate(firing.outputs):
        frame = firing.frame
        if firing.several:
            key = split_key(level.structure.rank[firing.node])
            frame = with_key(frame, key, firing.id, index)
        for number in firing.sent_each[index] if firing.sent_each else firing.sent:
            dropped = level.drops[number]
            pin = level.edges[number].source_pin
            sent = value
            if pin is not None:
                found = extract(value, pin)
                if not isinstance(found, Found):
                    continue
                sent = found.value
            yield number, without(frame, dropped) if dropped and frame else frame, sent


def settle(condition: Condition, scope: Scope) -> None:
    """With nothing under way at this level, tokens that still wait fire, one group at a time."""
    while not scope.live and scope.room.waiting:
        claims = scope.room.force()
        for claim in claims:
            if claim.forced:
                _tell_of_forced(condition, scope, claim)
        fire(condition, scope, claims)


def _tell_of_forced(condition: Condition, scope: Scope, claim: Claim) -> None:
    edges = [scope.level.structure.edges[edge].id for edge in claim.gave_up_on]
    title = scope.level.structure.nodes[claim.node].title
    notice = {
        "message": f"'{title}' ran without waiting any longer for "
        + (", ".join(f"edge '{edge}'" for edge in edges) or "its loop to end")
        + ": nothing could send there any more.",
        "node": scope.level.ids[claim.node],
        "edges": edges,
        "path": scope.path,
    }
    condition.warnings.append(notice)
    condition.notices.append(notice)
