"""Running one step: its fields filled in, its node run, tried again where its policy says so."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from types import CoroutineType
from typing import Any, cast

from engine.errors import LoopwrightError, NodeError
from engine.flow.document import RetryPolicy
from engine.node_config import preview
from engine.node_type import Change, NodeType, Output, Outputs, Result, Route
from engine.run import events
from engine.run.condition import Condition, Firing
from engine.run.names import input_of
from engine.run.pins_in import PIN_ERROR
from engine.run.plan import NodePlan
from engine.run.requests import REPEAT
from engine.run.results import check_result
from engine.run.services import Services
from engine.run.step import RunningStep

LONGEST_WAIT_S = 30 * 86_400.0
"""A backoff that grows without end stays below this, which every clock can wait for."""


@dataclass(slots=True)
class Outcome:
    """What a step gave: a result, an error, or why it was skipped."""

    result: Result | None = None
    error: NodeError | None = None
    skipped: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    node: NodeType | None = None


@dataclass(slots=True)
class Executor:
    """Runs steps of one run."""

    condition: Condition
    services: Services
    emit: Callable[[events.Event], None]
    sync: Callable[[], Any]

    def execute(self, firing: Firing) -> Coroutine[Any, Any, Outcome]:
        """One step, whatever happens in it; only a cancellation comes out as an exception."""
        node = self.condition.scopes[firing.path].level.nodes[firing.node]
        if node.plain and firing.box is None:
            return self._try(firing, node, 1)
        return self._execute_fully(firing, node)

    async def _execute_fully(self, firing: Firing, node: NodePlan) -> Outcome:
        """A step with anything more to it than running its node once."""
        ready = self._without_running(firing, node)
        if ready is not None:
            return ready
        retry = node.policy.retry or _ONCE
        while True:
            attempt = firing.attempts + 1
            if firing.box is not None:
                outcome = _box_outcome(firing)
            else:
                outcome = await self._try(firing, node, attempt)
            error = outcome.error
            if error is None or attempt >= retry.attempts or not _is_retried(retry, error):
                return outcome
            await self._wait_for_retry(firing, node, retry, attempt, error)

    def _without_running(self, firing: Firing, node: NodePlan) -> Outcome | None:
        """The outcome where the node itself need not run."""
        if node.pinned is not None:
            return _pinned(node)
        if node.missing is not None:
            return Outcome(error=NodeError(node.missing.message, node.missing.hint))
        if node.node.disabled:
            return _passed_through(input_of(self.condition, firing), node)
        if PIN_ERROR in firing.pins:
            return Outcome(error=NodeError(firing.pins[PIN_ERROR], "Look at its edges' pins."))
        missing = self._unfilled_pin(firing, node)
        if missing and _is_no_mere_skip(node):
            return Outcome(error=NodeError(f"It {missing}.", "Look at that edge.", kind="skipped"))
        return Outcome(skipped=missing) if missing else None

    def _unfilled_pin(self, firing: Firing, node: NodePlan) -> str:
        """Why a required field that an edge should fill stays empty; "" where none does."""
        assert node.kind is not None
        for edge in self.condition.plan.flow.edges_to[node.id]:
            pin = edge.data.target_pin
            if pin is None:
                continue
            name = pin.split(".", 1)[0].split("[", 1)[0]
            known = node.kind.model_fields.get(name)
            required = known is not None and known.is_required()
            if required and name not in firing.pins and name not in node.node.config:
                return f"needs `{name}`: nothing came over edge '{edge.id}'"
        return ""

    async def _try(self, firing: Firing, node: NodePlan, attempt: int) -> Outcome:
        step = RunningStep(self.condition, firing, self.services, self.emit, attempt)
        kind = node.kind
        assert kind is not None
        config: Mapping[str, Any] = _NO_CONFIG
        fields = node.fields
        limit: asyncio.Timeout | None = None
        try:
            instance = fields.constant
            if instance is None or firing.pins:
                instance, config = fields.resolved(step.names, firing.pins, kind)
            if node.announces:
                await self._announce(firing, kind)
            if node.timeout_s is None:
                result = await _run(instance, step, firing)
            else:
                async with asyncio.timeout(node.timeout_s) as limit:
                    result = await _run(instance, step, firing)
            if type(result) is not Output or result.updates or result.changes:
                check_result(result)
        except NodeError as error:
            return Outcome(error=error, config=config)
        except TimeoutError as error:
            return Outcome(error=_timed_out(node, limit, error), config=config)
        except LoopwrightError as error:
            return Outcome(error=NodeError(error.message, error.hint, error.detail), config=config)
        # A node's fault must not end the program, nor may it end the program on purpose.
        except (Exception, SystemExit) as error:  # noqa: BLE001
            return Outcome(error=_unexpected(node, error), config=config)
        return Outcome(result, None, "", config, instance)

    async def _announce(self, firing: Firing, kind: type[NodeType]) -> None:
        if firing.started is None:
            self.emit(events.StepStarted(firing.id, self.services.clock.now()))
        if kind.meta.outside_effects:
            await self.sync()

    async def _wait_for_retry(
        self, firing: Firing, node: NodePlan, retry: RetryPolicy, attempt: int, error: NodeError
    ) -> None:
        wait = _wait_before(retry, attempt)
        if retry.jitter:
            wait *= 1 + retry.jitter * (2 * self.services.chance.random() - 1)
        if error.retry_after_s is not None:
            wait = max(wait, error.retry_after_s)
        now = self.services.clock.now()
        record = error_record(error, node, firing)
        self.emit(events.Retry(firing.id, node.id, attempt, record, wait, now, firing.path))
        if wait > 0:
            await self.services.clock.sleep(wait)


def _wait_before(retry: RetryPolicy, attempt: int) -> float:
    """The wait behind a try that failed, before chance and the other side have their say."""
    try:
        return min(retry.wait * retry.backoff ** (attempt - 1), LONGEST_WAIT_S)
    except OverflowError:
        return LONGEST_WAIT_S if retry.wait else 0.0


def _run(instance: NodeType, step: RunningStep, firing: Firing) -> Coroutine[Any, Any, Result]:
    if firing.answers:
        return _resumed(instance, step, firing)
    made = instance.run(step)
    if type(made) is not CoroutineType and isinstance(made, AsyncIterator):
        return _gathered(made)
    return cast("Coroutine[Any, Any, Result]", made)


async def _resumed(instance: NodeType, step: RunningStep, firing: Firing) -> Result:
    request, answer = firing.answers[0]
    if request.data.get(REPEAT):
        msg = "It was not run again after the program had been stopped in the middle of it."
        raise NodeError(msg, "A person chose so.", kind="not_repeated")
    return await instance.resume(step, request, answer)


async def _gathered(made: AsyncIterator[Output]) -> Outputs:
    """Everything that a generator gives, as one result."""
    found = [output async for output in made]
    changes: list[Change] = []
    for output in found:
        changes.extend(Change("context", name, "", v) for name, v in output.updates.items())
        changes.extend(output.changes)
    return Outputs([output.value for output in found], changes=changes)


_ONCE = RetryPolicy(attempts=1)
_NO_CONFIG: dict[str, Any] = {}


def _is_no_mere_skip(node: NodePlan) -> bool:
    """Whether the node's own error policy says what follows when an input never came."""
    policy = node.node.on_error
    return policy is not None and (policy.policy != "stop" or policy.retry is None)


def _is_retried(retry: RetryPolicy, error: NodeError) -> bool:
    return error.kind != "not_repeated" and (not retry.on or error.kind in retry.on)


def _pinned(node: NodePlan) -> Outcome:
    """The pinned output, on the pinned route or the one that the output itself names."""
    assert node.pinned is not None
    value = node.pinned.get("output")
    route = node.pinned.get("route")
    keys = route_keys(node)
    if route is None and keys:
        told = _route_told_by(value)
        route = told if told in keys else keys[-1]
    return Outcome(Output(value) if route is None else Route(str(route), value))


def route_keys(node: NodePlan) -> list[str]:
    """The keys of a deciding node's ways out; none for other nodes."""
    if node.kind is None or not node.kind.meta.condition_like:
        return []
    handles = preview(node.kind, node.node.config).handles()
    return [handle.key for handle in handles if handle.key is not None]


def _route_told_by(value: Any) -> Any:
    """The route that the output of a deciding node names."""
    if isinstance(value, Mapping):
        names = (name for name in ("route", "choice", "type", "result") if name in value)
        value = value.get(next(names, ""))
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else None


def _passed_through(value: Any, node: NodePlan) -> Outcome:
    """A disabled node hands its input on; one that decides takes the way out that goes on."""
    assert node.kind is not None
    keys = [h.key for h in preview(node.kind, node.node.config).handles() if h.key is not None]
    wanted = node.kind.meta.disabled_route
    if not keys or (wanted is None and not node.kind.meta.condition_like):
        return Outcome(Output(value))
    return Outcome(Route(wanted if wanted in keys else keys[-1], value))


def _box_outcome(firing: Firing) -> Outcome:
    box = firing.box
    assert box is not None
    if box.failure is not None:
        error = box.failure["error"]
        place, message = box.failure["index"], error["message"]
        if place is not None:
            message = f"Item {place + 1} of {len(box.items)} failed: {message}"
        return Outcome(
            error=NodeError(message, error.get("hint", ""), kind=error.get("kind", "error")),
            config=firing.config,
        )
    results = [box.results[index] for index in range(len(box.items))]
    return Outcome(Output(results), config=firing.config)


def _timed_out(node: NodePlan, limit: asyncio.Timeout | None, error: TimeoutError) -> NodeError:
    if limit is None or not limit.expired():
        msg = "Something that it waited for took too long."
        return NodeError(msg, "", repr(error), kind="timeout")
    msg = f"It took longer than its limit of {node.node.timeout_s:g} s."
    return NodeError(msg, "Raise the limit on the node, or give it less to do.", kind="timeout")


def _unexpected(node: NodePlan, error: BaseException) -> NodeError:
    detail = "".join(traceback.format_exception(error))
    msg = f"The node type '{node.node.type}' failed in a way it does not explain: "
    return NodeError(
        f"{msg}{type(error).__name__}: {error}", "This is a fault of the node type.", detail
    )


def error_record(error: NodeError, node: NodePlan, firing: Firing) -> dict[str, Any]:
    """The error as it is kept and shown."""
    record: dict[str, Any] = {
        "node": node.id,
        "label": node.node.title,
        "message": error.message,
        "hint": error.hint,
        "kind": error.kind,
    }
    if error.detail:
        record["detail"] = error.detail
    if firing.path:
        record["path"] = firing.path
    return record
