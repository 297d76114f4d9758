"""From what a node gave to the event that says so: values made plain, edges chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.errors import NodeError
from engine.language.scope import NodeValue
from engine.node_type import Change, Iterate, NodeType, Output, Outputs, Pause, Result, Route, Stop
from engine.run import events
from engine.run.condition import Condition, Firing, Scope
from engine.run.execute import Outcome, error_record, route_keys
from engine.run.fold import state_after
from engine.run.names import StepNames
from engine.run.plan import NodePlan
from engine.run.requests import to_request_record, with_id
from engine.run.select import ERROR_KEY, Taken, choose_edges, merged, sent_plainly
from engine.run.services import Services
from engine.run.state import RunState
from engine.run.values import plain

Conclusion = tuple[events.Event, RunState | None]
"""An event and, where it is known already, the run state after it."""


def conclude(
    condition: Condition, firing: Firing, outcome: Outcome, services: Services, ms: float
) -> Conclusion:
    """What happened, as the event to record. Changes nothing."""
    scope = condition.scopes[firing.path]
    level = scope.level
    node = level.nodes[firing.node]
    result = outcome.result
    if (type(result) is Output or type(result) is Route) and _is_bare(result, node, firing):
        sent = sent_plainly(level, firing.node, result.key if type(result) is Route else None)
        if sent is not None:
            return _plainly_finished(condition, firing, node, outcome, sent, services, ms)
    now = services.clock.now()
    if outcome.skipped:
        return _skipped(condition, firing, node, outcome.skipped, now), None
    error = outcome.error
    if error is None:
        assert result is not None
        try:
            if isinstance(result, Pause):
                return _paused(firing, node, result, outcome, now), None
            if isinstance(result, Iterate):
                return _iterates(firing, node, result, outcome, now), None
            return _finished(condition, scope, firing, node, outcome, result, services, ms)
        except NodeError as fault:
            error = fault
    return _failed(condition, scope, firing, node, error, outcome, services, ms), None


def _is_bare(result: Output | Route, node: NodePlan, firing: Firing) -> bool:
    """Whether a result is a value and nothing else: the commonest by far."""
    return not (
        result.updates or result.changes or result.usage or node.save_as or firing.box is not None
    )


def _plainly_finished(
    condition: Condition,
    firing: Firing,
    node: NodePlan,
    outcome: Outcome,
    sent: list[int],
    services: Services,
    ms: float,
) -> Conclusion:
    """What a bare result becomes, without the detours that the others need."""
    result = outcome.result
    assert isinstance(result, (Output, Route))
    route, reason = (result.key, result.reason) if isinstance(result, Route) else (None, "")
    try:
        value = plain(result.value)
    except NodeError as fault:
        scope = condition.scopes[firing.path]
        return _failed(condition, scope, firing, node, fault, outcome, services, ms), None
    config = _shown(outcome)
    event = events.StepFinished(
        firing.id, condition.steps + 1, node.id, firing.visit, firing.inputs, [value], sent,
        services.clock.now(), ms, firing.path, firing.frame, route, reason, config,
    )  # fmt: skip
    return event, None if route is None else condition.state.with_route(route)


def _shown(outcome: Outcome) -> dict[str, Any]:
    """The filled-in fields for the record; nothing where they are nested too deeply to be kept."""
    if not outcome.config:
        return {}
    try:
        shown: dict[str, Any] = plain(outcome.config, -_LEVELS_OF_CONFIG)
    except NodeError:
        return {}
    return shown


_LEVELS_OF_CONFIG = 20
"""A field may hold the deepest value that a node can receive, some levels down in itself."""


def _skipped(
    condition: Condition, firing: Firing, node: NodePlan, reason: str, now: float
) -> events.StepSkipped:
    return events.StepSkipped(
        firing.id,
        condition.steps + 1,
        node.id,
        firing.visit,
        reason,
        now,
        firing.inputs,
        firing.path,
        firing.frame,
    )


def _paused(
    firing: Firing, node: NodePlan, pause: Pause, outcome: Outcome, now: float
) -> events.PauseRequested:
    if not pause.requests:
        msg = "It pauses without asking anything."
        raise NodeError(msg, "This is a fault of the node type.")
    records = [to_request_record(with_id(request)) for request in pause.requests]
    return events.PauseRequested(
        firing.id, node.id, [plain(r) for r in records], now, firing.path, _shown(outcome)
    )


def _iterates(
    firing: Firing, node: NodePlan, result: Iterate, outcome: Outcome, now: float
) -> events.IterationStarted:
    return events.IterationStarted(
        firing.id,
        node.id,
        plain(list(result.items)),
        result.concurrency,
        result.on_item_error,
        now,
        firing.path,
        _shown(outcome),
    )


def _finished(
    condition: Condition,
    scope: Scope,
    firing: Firing,
    node: NodePlan,
    outcome: Outcome,
    result: Output | Route | Outputs | Stop,
    services: Services,
    ms: float,
) -> Conclusion:
    outputs = _values(result)
    changes = _changes(result, node, outputs)
    route = result.key if isinstance(result, Route) else None
    state = None
    if changes or route is not None:
        state = state_after(condition, firing, changes, route)
    taken = _edges(condition, scope, firing, result, outputs, state, outcome, services)
    event = events.StepFinished(
        firing.id,
        condition.steps + 1,
        node.id,
        firing.visit,
        firing.inputs,
        outputs,
        taken.sent,
        services.clock.now(),
        ms,
        firing.path,
        firing.frame,
        route,
        taken.reason or (result.reason if isinstance(result, Route) else ""),
        _shown(outcome),
        changes,
        taken.missed,
        None,
        isinstance(result, Outputs),
        taken.each,
    )
    _add_extras(event, firing, result)
    return event, state


def _add_extras(
    event: events.StepFinished, firing: Firing, result: Output | Route | Outputs | Stop
) -> None:
    if isinstance(result, Stop):
        event.stop = {"status": result.status, "message": result.message, "node": event.node}
    elif result.usage:
        event.usage = plain(dict(result.usage))
    if firing.box is not None:
        event.errors = firing.box.errors


def _values(result: Result) -> list[Any]:
    if isinstance(result, Outputs):
        return [plain(value) for value in result.values]
    assert isinstance(result, (Output, Route, Stop))
    return [plain(result.value)]


def _changes(result: Result, node: NodePlan, outputs: Sequence[Any]) -> list[Any]:
    changes: list[Any] = []
    if not isinstance(result, Stop):
        assert isinstance(result, (Output, Route, Outputs))
        for name, value in result.updates.items():
            changes.append(Change("context", name, "", plain(value)))
        for entry, key, op, value in result.changes:
            changes.append(Change(entry, key, op, plain(value)))
    if node.save_as:
        changes.extend(Change("context", node.save_as, "", value) for value in outputs)
    return changes


def _edges(
    condition: Condition,
    scope: Scope,
    firing: Firing,
    result: Result,
    outputs: Sequence[Any],
    state: RunState | None,
    outcome: Outcome,
    services: Services,
) -> Taken:
    if isinstance(result, Stop) or not outputs:
        return Taken([])
    route = result.key if isinstance(result, Route) else None
    sent = sent_plainly(scope.level, firing.node, route)
    if sent is not None:
        return Taken(sent)

    def chosen(output: Any) -> Taken:
        own = {"output": output, scope.level.ids[firing.node]: NodeValue(output)}
        return choose_edges(
            scope.level,
            firing.node,
            route,
            output,
            lambda: StepNames(condition, firing, services.moment_text, own, state),
            lambda: _else_key(outcome.node, route),
        )

    return merged([chosen(output) for output in outputs])


def _else_key(node: NodeType | None, route: str | None) -> str | None:
    """The last way out of a deciding node, which acts as else for a route that it does not offer.

    A route that it does offer but nobody drew an edge for just ends there.
    """
    if node is None or not node.meta.condition_like:
        return None
    keys = [handle.key for handle in node.handles() if handle.key not in (None, ERROR_KEY)]
    return keys[-1] if keys and route not in keys else None


def _edges_of_error(
    condition: Condition,
    scope: Scope,
    firing: Firing,
    outcome: Outcome,
    output: Any,
    services: Services,
) -> list[int]:
    """The edges that an error flows on along; a deciding node takes its last way out."""
    keys = route_keys(scope.level.nodes[firing.node])
    result = Route(keys[-1], output) if keys else Output(output)
    try:
        return _edges(condition, scope, firing, result, [output], None, outcome, services).sent
    except NodeError:
        # The condition of an edge can make nothing of an error: then no edge is taken.
        return []


def _failed(
    condition: Condition,
    scope: Scope,
    firing: Firing,
    node: NodePlan,
    error: NodeError,
    outcome: Outcome,
    services: Services,
    ms: float,
) -> events.StepFailed:
    policy = node.policy.policy
    record = error_record(error, node, firing)
    sent: list[int] = []
    if policy == "branch":
        sent = [e.number for e in scope.level.out[firing.node] if e.key == ERROR_KEY]
        if not sent:
            policy = "stop"
            record["hint"] = (
                f"{record['hint']} Its errors should take a route of their own, but no edge "
                "has the route 'error'."
            ).strip()
    elif policy == "continue":
        sent = _edges_of_error(condition, scope, firing, outcome, {"error": record}, services)
    return events.StepFailed(
        firing.id,
        condition.steps + 1,
        node.id,
        firing.visit,
        record,
        policy,
        services.clock.now(),
        ms,
        firing.inputs,
        _shown(outcome),
        sent,
        firing.path,
        firing.frame,
    )
