"""What a run did, as the one JSON object that the command line prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.node_type import Request
from engine.run import events
from engine.run.condition import Condition
from engine.run.requests import to_request_record
from engine.run.values import plain


class StepList:
    """Collects the steps of a run from its events; give it to a session as an observer."""

    def __init__(self, types: Mapping[str, str]) -> None:
        self._types = types
        self.steps: list[dict[str, Any]] = []

    def __call__(self, event: events.Event) -> None:
        """Takes one event."""
        made = step_of(event, self._types)
        if made is not None:
            self.steps.append(made)
        elif isinstance(event, events.PastSteps):
            for record in event.events:
                self(events.read_event(record))


def node_types(condition: Condition) -> dict[str, str]:
    """The type of each node, by id."""
    return {node.id: node.type for node in condition.plan.flow.nodes}


def step_of(event: events.Event, types: Mapping[str, str]) -> dict[str, Any] | None:
    """The step that an event ends, as JSON; None for any other event."""
    if isinstance(event, events.StepFinished):
        return _finished(event, types)
    if isinstance(event, events.StepSkipped):
        return {**_head(event, types), "status": "skipped", **_NOTHING, "reason": event.reason}
    if isinstance(event, events.StepFailed):
        return {**_head(event, types), "status": "error", **_NOTHING, "error": event.error,
                "policy": event.policy, "ms": event.ms}  # fmt: skip
    return None


_NOTHING: dict[str, Any] = {"route": None, "output": None, "error": None, "ms": 0.0}


def _head(
    event: events.StepFinished | events.StepSkipped | events.StepFailed, types: Mapping[str, str]
) -> dict[str, Any]:
    head = {
        "step": event.step,
        "node": event.node,
        "type": types.get(event.node, ""),
        "visit": event.visit,
        "inputs": event.inputs,
    }
    return {**head, "path": event.path} if event.path else head


def _finished(event: events.StepFinished, types: Mapping[str, str]) -> dict[str, Any]:
    outputs = event.outputs
    step = {
        **_head(event, types),
        "status": "finished",
        "route": event.route,
        "output": list(outputs) if event.several else outputs[0] if outputs else None,
        "error": None,
        "ms": event.ms,
    }
    for name in ("reason", "missed", "usage", "config", "errors"):
        value = getattr(event, name)
        if value:
            step["item_errors" if name == "errors" else name] = value
    return step


def run_report(condition: Condition, steps: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The object that `run --json` prints."""
    report = {
        "run_id": condition.run_id,
        "status": condition.status,
        "output": condition.top.result(),
        "messages": list(condition.state.messages),
        "context": dict(condition.state.context),
        "error": condition.error,
        "requests": [] if condition.status == "error" else requests_of(condition),
        "warnings": condition.warnings,
        "steps": list(steps),
        "unmatched": condition.unmatched,
    }
    if condition.dropped:
        report["dropped"] = condition.dropped
    return plain(report, -1_000)  # type: ignore[no-any-return]


def requests_of(condition: Condition) -> list[dict[str, Any]]:
    """The requests that wait for an answer, oldest first."""
    return [
        _request(condition.node_id(firing), firing.path, request)
        for firing, request in condition.open_requests().values()
    ]


def _request(node: str, path: str, request: Request) -> dict[str, Any]:
    record = to_request_record(request)
    shown = {
        "id": record["id"],
        "node": node,
        "kind": record["kind"],
        "prompt": record["prompt"],
        "options": record["options"],
        "schema": record["schema"],
        "feedback": record["feedback"],
    }
    return {**shown, "path": path} if path else shown
