"""(condition, event) -> condition: the one fold behind running, recovery and looking back.

`apply` changes the condition it is given; whoever wants the one before keeps a snapshot or folds
again. It never awaits, never asks the clock, and needs nothing but the event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from engine.flow.file import flow_from_json
from engine.node_type import Change, Request
from engine.registry import NodeRegistry
from engine.run import events
from engine.run.boxes import (
    close_box,
    fail_box,
    item_failed,
    open_items,
    reopen_failed,
    scope_is_over,
)
from engine.run.condition import Condition, Firing, Scope
from engine.run.firing import begin, release, settle
from engine.run.given import completed
from engine.run.loop_scope import entry_of
from engine.run.plan import Plan
from engine.run.state import RunState, apply_changes, first_state


def begin_condition(event: events.RunStarted, registry: NodeRegistry) -> Condition:
    """The condition after the first event of a run."""
    flow = flow_from_json(event.flow, "the run's own copy of the flow")
    plan = Plan(flow, registry, use_pins=event.use_pins, model=event.model)
    state = first_state(flow.variables, event.input.get("context") or {})
    condition = Condition(plan, event.run_id, state)
    condition.run_input = completed(event.input, plan)
    condition.vars = event.vars
    condition.limits = dict(event.limits)
    condition.started_at = event.time
    scope = condition.top
    for node in scope.level.structure.starts:
        begin(condition, scope, node, {})
    return condition


def apply(condition: Condition, event: events.Event, state: RunState | None = None) -> None:
    """Moves the condition past one event.

    Args:
        condition: Changed in place.
        event: What happened.
        state: The run state after the event's changes, if the caller has it already.
    """
    handler = _HANDLERS.get(type(event))
    if handler is not None:
        handler(condition, event, state)


def fold(
    history: Iterable[events.Event], registry: NodeRegistry, start: Condition | None = None
) -> Condition:
    """The condition after a whole history, which begins with `run_started` or at `start`."""
    condition = start
    for event in history:
        if isinstance(event, events.RunStarted):
            condition = begin_condition(event, registry)
        else:
            assert condition is not None, "a history begins with run_started"
            apply(condition, event)
    assert condition is not None, "a history begins with run_started"
    return condition


# ---- one function per kind of event --------------------------------------------------------


def _step_started(condition: Condition, event: events.StepStarted, _: Any) -> None:
    firing = condition.firings[event.firing]
    if firing.started is None:
        firing.started = event.time


def _step_finished(
    condition: Condition, event: events.StepFinished, state: RunState | None
) -> None:
    firing = condition.firings[event.firing]
    scope = condition.scopes[firing.path]
    condition.steps = event.step
    if event.changes or event.route is not None:
        condition.state = state or state_after(condition, firing, event.changes, event.route)
    _end_of_box(condition, firing)
    outputs = event.outputs
    if outputs and not event.several:
        scope.keep_output(firing.node, firing.frame, outputs[-1])
    if not event.sent or not outputs:
        _keep_end(condition, scope, event.node, outputs)
    if event.stop is not None:
        condition.stop = event.stop
    firing.sent_each = event.sent_each
    _hold_and_release(condition, scope, firing, outputs, event.sent, several=event.several)


def _keep_end(condition: Condition, scope: Scope, node: str, outputs: list[Any]) -> None:
    value = None if not outputs else outputs[0] if len(outputs) == 1 else outputs
    scope.ends.pop(node, None)
    scope.ends[node] = value


def _step_skipped(condition: Condition, event: events.StepSkipped, _: Any) -> None:
    firing = condition.firings[event.firing]
    condition.steps = event.step
    _hold_and_release(condition, condition.scopes[firing.path], firing, [], [])


def _step_failed(condition: Condition, event: events.StepFailed, _: Any) -> None:
    firing = condition.firings[event.firing]
    scope = condition.scopes[firing.path]
    condition.steps = event.step
    if event.policy == "stop":
        firing.status = "failed"
        if event.error.get("kind") != "not_repeated":
            # How it ended is known: a later try need not ask whether it may repeat anything.
            firing.started = None
        if scope.owner is None:
            condition.error = event.error
        else:
            item_failed(condition, scope, event.error)
        return
    _end_of_box(condition, firing)
    output = {"error": event.error}
    scope.keep_output(firing.node, firing.frame, output)
    if not event.sent:
        _keep_end(condition, scope, event.node, [output])
    _hold_and_release(condition, scope, firing, [output], event.sent)


def _retry(condition: Condition, event: events.Retry, _: Any) -> None:
    """A try failed; a box begins again with its first item."""
    firing = condition.firings[event.firing]
    firing.attempts = event.attempt
    _end_of_box(condition, firing)


def _box_timed_out(condition: Condition, event: events.BoxTimedOut, _: Any) -> None:
    fail_box(condition, condition.firings[event.firing], event.limit_s)


def _end_of_box(condition: Condition, firing: Firing) -> None:
    if firing.box is not None:
        close_box(condition, firing)


def _hold_and_release(
    condition: Condition,
    scope: Scope,
    firing: Firing,
    outputs: Sequence[Any],
    sent: Sequence[int],
    *,
    several: bool = False,
) -> None:
    """Lets a step's tokens leave, once every step of its node that started before has left."""
    firing.outputs, firing.sent, firing.several = outputs, sent, several
    firing.requests = {}
    firing.answers = ()
    line = scope.lines[firing.node]
    if line[0] is not firing:
        firing.status = "held"
        return
    release(condition, scope, firing)
    line.popleft()
    while line and line[0].status == "held":
        release(condition, scope, line.popleft())
    if not line:
        del scope.lines[firing.node]
    if not scope.live:
        settle(condition, scope)
        if not scope.live:
            scope_is_over(condition, scope)


def state_after(
    condition: Condition, firing: Firing, changes: list[Any], route: str | None
) -> RunState:
    """The run state after a step's changes and its decision."""
    state = condition.state
    if changes:
        variables = condition.plan.flow.variable_by_name
        entry = entry_of(condition.scopes[firing.path], firing)
        state = apply_changes(state, (Change(*change) for change in changes), variables, entry)
    return state if route is None else state.with_route(route)


def _pause_requested(condition: Condition, event: events.PauseRequested, _: Any) -> None:
    firing = condition.firings[event.firing]
    firing.config = event.config or firing.config
    firing.requests = {
        request["id"]: read_request(request)
        for request in event.requests
        if request["id"] not in condition.answered
    }
    if event.repeat:
        firing.repeat = event.requests[0]["id"]
    firing.answers = firing.answers[1:]
    _wait_or_go_on(condition, firing)


def _wait_or_go_on(condition: Condition, firing: Firing) -> None:
    if firing.answers:
        firing.status = "ready"
        condition.fresh.append(firing.id)
    else:
        firing.status = "waiting"


def read_request(record: dict[str, Any]) -> Request:
    """The request that a journal record holds."""
    return Request(**{**record, "options": tuple(record.get("options", ()))})


def _pause_answered(condition: Condition, event: events.PauseAnswered, _: Any) -> None:
    firing = condition.firings[event.firing]
    condition.answered.add(event.request)
    if condition.status == "paused":
        condition.status = "running"
    request = firing.requests[event.request]
    firing.requests = {k: r for k, r in firing.requests.items() if k != event.request}
    if event.request == firing.repeat:
        firing.repeat = None
        if event.answer.get("type") == "proceed":
            firing.started = None
        else:
            firing.answers = (*firing.answers, (request, event.answer))
    else:
        firing.answers = (*firing.answers, (request, event.answer))
    if firing.status == "waiting":
        firing.status = "ready"
        condition.fresh.append(firing.id)


def _iteration_started(condition: Condition, event: events.IterationStarted, _: Any) -> None:
    firing = condition.firings[event.firing]
    firing.config = event.config
    open_items(condition, firing, event)


def _child_started(condition: Condition, event: events.ChildStarted, _: Any) -> None:
    condition.firings[event.firing].child = event.run_id


def _warned(condition: Condition, event: events.Warned, _: Any) -> None:
    """Warnings that the fold came to itself are there already."""
    warning = {
        "message": event.message,
        "node": event.node,
        "edges": event.edges,
        "path": event.path,
    }
    if warning not in condition.warnings:
        condition.warnings.append(warning)


def _edited(condition: Condition, event: events.Edited, _: Any) -> None:
    changes = [Change("context", key, "replace", value) for key, value in event.context.items()]
    variables = condition.plan.flow.variable_by_name
    condition.state = apply_changes(condition.state, changes, variables)
    for node, value in event.outputs.items():
        _edit_output(condition.top, node, value)


def _edit_output(scope: Scope, node: str, value: Any) -> None:
    """Gives a node another newest output, also where its tokens still wait."""
    number = scope.level.structure.index[node]
    old = scope.outputs.get(number)
    scope.outputs[number] = dict.fromkeys(old, value) if old else {(): value}
    for edge in scope.level.out[number]:
        if edge.source_pin is None:
            slot = scope.room.slots[scope.level.layout.slot_of_edge[edge.number]]
            for token in [*slot.fresh(), *slot.outer]:
                if token.edge == edge.number:
                    token.value = value


def _run_resumed(condition: Condition, event: events.RunResumed, _: Any) -> None:
    condition.status = "running"
    condition.limits.update(event.limits)
    condition.error = None
    reopen_failed(condition)
    for firing in condition.firings.values():
        if firing.status == "ready":
            condition.fresh.append(firing.id)


def _run_paused(condition: Condition, _event: events.RunPaused, _: Any) -> None:
    condition.status = "paused"


def _run_stopped(condition: Condition, _event: events.RunStopped, _: Any) -> None:
    condition.status = "stopped"


def _run_finished(condition: Condition, event: events.RunFinished, _: Any) -> None:
    condition.status = event.status
    condition.error = event.error
    level = condition.top.level
    condition.unmatched = [
        {"edge": level.structure.edges[token.edge].id, "value": token.value}
        for token in condition.top.room.unmatched()
    ]


_HANDLERS: dict[type[events.Event], Callable[[Condition, Any, Any], None]] = {
    events.StepStarted: _step_started,
    events.StepFinished: _step_finished,
    events.StepSkipped: _step_skipped,
    events.StepFailed: _step_failed,
    events.Retry: _retry,
    events.BoxTimedOut: _box_timed_out,
    events.PauseRequested: _pause_requested,
    events.PauseAnswered: _pause_answered,
    events.IterationStarted: _iteration_started,
    events.ChildStarted: _child_started,
    events.Warned: _warned,
    events.Edited: _edited,
    events.RunResumed: _run_resumed,
    events.RunPaused: _run_paused,
    events.RunStopped: _run_stopped,
    events.RunFinished: _run_finished,
}
