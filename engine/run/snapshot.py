"""The whole condition of a run as JSON, and back: a shorter way to the same fold."""

from __future__ import annotations

from collections import deque
from typing import Any

from engine.registry import NodeRegistry
from engine.run import events
from engine.run.condition import Box, Condition, Firing, Scope
from engine.run.fold import begin_condition, read_request
from engine.run.frames import Frame
from engine.run.queues import Token
from engine.run.requests import to_request_record
from engine.run.state import RunState
from engine.run.views import GrowingList
from engine.run.waiting_room import WaitingRoom

_LISTS = ("messages", "route_history", "task_results", "parallel_results")
_PLAIN = ("status", "error", "stop", "limits", "next_firing", "steps", "visits", "warnings",
          "unmatched", "dropped")  # fmt: skip


def take(condition: Condition) -> dict[str, Any]:
    """The condition as JSON; the document and the run's input are in the first event."""
    return {
        **{name: getattr(condition, name) for name in _PLAIN},
        "answered": sorted(condition.answered),
        "state": _state(condition.state),
        "scopes": [_scope(scope) for scope in condition.scopes.values()],
        "firings": [_firing(firing) for firing in condition.firings.values()],
    }


def restore(record: dict[str, Any], first: events.RunStarted, registry: NodeRegistry) -> Condition:
    """The condition that `take` saw."""
    condition = begin_condition(first, registry)
    for name in _PLAIN:
        setattr(condition, name, record[name])
    condition.answered = set(record["answered"])
    condition.state = _read_state(record["state"])
    condition.firings = {f["id"]: _read_firing(f) for f in record["firings"]}
    condition.fresh.clear()
    condition.scopes = {}
    for entry in record["scopes"]:
        condition.scopes[entry["path"]] = _read_scope(condition, entry)
    return condition


# ---- state -----------------------------------------------------------------------------------


def _state(state: RunState) -> dict[str, Any]:
    return {
        "context": [[name, _value(value)] for name, value in state.context.items()],
        "todos": list(state.todos),
        "route_decision": state.route_decision,
        "loop_states": [
            [node, [[entry, dict(values)] for entry, values in entries.items()]]
            for node, entries in state.loop_states.items()
        ],
        "task_states": dict(state.task_states),
        "node_contexts": dict(state.node_contexts),
        **{name: list(getattr(state, name)) for name in _LISTS},
    }


def _value(value: Any) -> Any:
    """A growing list is told apart, so that it goes on growing at a constant cost."""
    return {"growing": list(value)} if isinstance(value, GrowingList) else {"is": value}


def _read_state(record: dict[str, Any]) -> RunState:
    return RunState(
        context={
            name: GrowingList(kept["growing"]) if "growing" in kept else kept["is"]
            for name, kept in record["context"]
        },
        todos=tuple(record["todos"]),
        route_decision=record["route_decision"],
        loop_states={node: dict(entries) for node, entries in record["loop_states"]},
        task_states=record["task_states"],
        node_contexts=record["node_contexts"],
        **{name: GrowingList(record[name]) for name in _LISTS},
    )


# ---- firings ---------------------------------------------------------------------------------

_FIRING = ("id", "path", "node", "frame", "visit", "inputs", "pins", "status", "started",
           "attempts", "repeat", "child", "outputs", "sent", "sent_each", "several",
           "config")  # fmt: skip
_BOX = ("prefix", "items", "concurrency", "on_item_error", "errors", "opened", "failure")


def _firing(firing: Firing) -> dict[str, Any]:
    record = {name: getattr(firing, name) for name in _FIRING}
    for name in ("outputs", "sent", "sent_each"):
        record[name] = list(record[name])
    record["config"] = dict(firing.config)
    record["requests"] = [to_request_record(r) for r in firing.requests.values()]
    record["answers"] = [[to_request_record(r), answer] for r, answer in firing.answers]
    box = firing.box
    if box is not None:
        record["box"] = {name: getattr(box, name) for name in _BOX}
        record["box"]["results"] = [[index, value] for index, value in box.results.items()]
    return record


def _read_firing(record: dict[str, Any]) -> Firing:
    box = record.get("box")
    return Firing(
        **{name: record[name] for name in _FIRING if name != "frame"},
        frame=_frame(record["frame"]),
        requests={r["id"]: read_request(r) for r in record["requests"]},
        answers=tuple((read_request(r), answer) for r, answer in record["answers"]),
        box=None if box is None else _read_box(box),
    )


def _read_box(record: dict[str, Any]) -> Box:
    return Box(**{name: record[name] for name in _BOX}, results=dict(record["results"]))


def _frame(items: Any) -> Frame:
    return tuple((key, first, second) for key, first, second in items)


# ---- levels ----------------------------------------------------------------------------------


def _scope(scope: Scope) -> dict[str, Any]:
    return {
        "path": scope.path,
        "parent": scope.level.parent,
        "owner": scope.owner,
        "item": scope.item,
        "ends": [[node, value] for node, value in scope.ends.items()],
        "lines": [[node, [f.id for f in line]] for node, line in scope.lines.items()],
        "outputs": [
            [node, [[frame, value] for frame, value in known.items()]]
            for node, known in scope.outputs.items()
        ],
        "room": _room(scope.room),
    }


def _read_scope(condition: Condition, record: dict[str, Any]) -> Scope:
    level = condition.plan.level(record["parent"])
    scope = Scope(record["path"], level, record["owner"], record["item"])
    scope.ends = dict(record["ends"])
    scope.lines = {
        node: deque(condition.firings[number] for number in numbers)
        for node, numbers in record["lines"]
    }
    scope.live = sum(len(line) for line in scope.lines.values())
    scope.outputs = {
        node: {_frame(frame): value for frame, value in known} for node, known in record["outputs"]
    }
    _read_room(scope, record["room"])
    return scope


def _room(room: WaitingRoom) -> dict[str, Any]:
    return {
        "order": room.order,
        "strands": room.claims.strands,
        "entries": [[node, entry] for node, entry in room.claims.entries.items()],
        "fresh": [_token(token) for slot in room.slots for token in slot.fresh()],
        "outer": [_token(token) for slot in room.slots for token in slot.outer],
        "unused": [_token(token) for token in room.unused],
        "entered": [[node, sorted(frames)] for node, frames in room.entered.items()],
        "static": [_token(token) for token in room.static.values()],
        "first_fired": [[node, sorted(frames)] for node, frames in room.first_fired.items()],
    }


def _token(token: Token) -> list[Any]:
    return [token.order, token.edge, token.frame, token.value]


def _read_token(record: list[Any]) -> Token:
    order, edge, frame, value = record
    return Token(order, edge, _frame(frame), value)


def _read_room(scope: Scope, record: dict[str, Any]) -> None:
    room = scope.room
    room.order = record["order"]
    room.claims.strands = record["strands"]
    room.claims.entries = dict(record["entries"])
    room.unused = [_read_token(token) for token in record["unused"]]
    room.entered = {n: {_frame(f): None for f in frames} for n, frames in record["entered"]}
    room.first_fired = {n: {_frame(f) for f in frames} for n, frames in record["first_fired"]}
    room.static = {token[1]: _read_token(token) for token in record["static"]}
    for line in scope.lines.values():
        for firing in line:
            room.activity.add(firing.frame, firing.node * 2 + 1)
    for token in sorted(record["fresh"], key=lambda fresh: fresh[0]):
        room.put_back(_read_token(token))
    for token in record["outer"]:
        kept = _read_token(token)
        room.slots[room.layout.slot_of_edge[kept.edge]].outer.append(kept)
    claims = room.recheck()
    assert not claims, "a snapshot is taken when everything that is ready has fired"
