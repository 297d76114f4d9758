"""A new run from an old condition: as it was after a step, with edits, perhaps on another flow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import LoopwrightError, RunError
from engine.flow.document import Flow
from engine.flow.faults import nearest
from engine.flow.file import flow_data
from engine.registry import NodeRegistry
from engine.run import events
from engine.run.boxes import reopen_failed
from engine.run.condition import Condition
from engine.run.fold import apply
from engine.run.history import History, condition_at, read_history
from engine.run.new_inputs import received_anew
from engine.run.plan import Plan
from engine.run.session import RunSession
from engine.run.snapshot import restore, take
from engine.run.transplant import transplant
from engine.run.variables import fit
from engine.run.workplace import Workplace
from engine.store.codec import decode, encode
from engine.store.run_files import new_run_id

_STEPS = (events.StepFinished, events.StepSkipped, events.StepFailed)


def fork(
    workplace: Workplace,
    run_id: str,
    at: int,
    set_state: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
    flow: Flow | None = None,
    flow_path: Path | None = None,
) -> RunSession:
    """A new run that stands where another stood after a step; it has not gone on yet.

    It holds everything that it needs: the old run may be deleted. Steps that were under way run
    again, and people are asked again.

    Args:
        workplace: What all runs share.
        run_id: The old run.
        at: After which of its steps; 0 is just begun.
        set_state: Variables to change.
        outputs: Newest outputs of nodes to change, by node id.
        flow: Another document to go on with; None keeps the run's own.
        flow_path: The file of that document.

    Raises:
        RunError: There is no such step, an edit does not fit, or the other document lacks what
            is needed; nothing is made then.
        JournalError: The old run's journal is damaged.
    """
    history = read_history(workplace.places, run_id)
    condition = condition_at(history, at, workplace.registry)
    first = _first_event(workplace, history, at, flow, flow_path)
    record = _record(condition, first, workplace.registry, moves=flow is not None)
    edits = _edits(workplace, first, record, set_state or {}, outputs or {})
    if outputs:
        level = restore(record, first, workplace.registry).top.level
        record["firings"] = [received_anew(level, each, outputs) for each in record["firings"]]

    def make(begun: events.RunStarted, registry: NodeRegistry) -> Condition:
        made = restore(record, begun, registry)
        for edit in edits:
            apply(made, edit)
        return made

    more = (events.PastSteps(_past(history, at)), events.Snapshot(record), *edits)
    return RunSession.begin(workplace, first, more, make)


def _first_event(
    workplace: Workplace, history: History, at: int, flow: Flow | None, flow_path: Path | None
) -> events.RunStarted:
    old = history.first
    own_path = str(flow_path) if flow_path is not None else None
    return events.RunStarted(
        run_id=new_run_id(),
        flow=old.flow if flow is None else flow_data(flow),
        time=workplace.clock.now(),
        input=old.input,
        vars=old.vars,
        limits=old.limits,
        use_pins=old.use_pins,
        model=old.model,
        flow_path=old.flow_path if flow is None else own_path,
        fork={"run": history.run_id, "step": at},
    )


def _record(
    condition: Condition, first: events.RunStarted, registry: NodeRegistry, *, moves: bool
) -> dict[str, Any]:
    """The condition as a snapshot of a run that is about to go on."""
    reopen_failed(condition)
    condition.error = None
    condition.status = "running"
    for firing in condition.firings.values():
        if firing.status == "waiting" or firing.child is not None:
            firing.status = "ready"
            firing.requests, firing.answers, firing.repeat = {}, (), None
        # A nested run belongs to the old run: it is started anew.
        firing.child = None
    condition.fresh.clear()
    # By way of its bytes: nothing is shared with the old condition.
    record: dict[str, Any] = decode(encode(take(condition)))
    if not moves:
        return record
    new = _plan(first, registry)
    return _with_new_variables(transplant(record, condition.plan, new), new.flow)


def _plan(first: events.RunStarted, registry: NodeRegistry) -> Plan:
    from engine.flow.file import flow_from_json

    flow = flow_from_json(first.flow, "the flow to go on with")
    return Plan(flow, registry, use_pins=first.use_pins, model=first.model)


def _with_new_variables(record: dict[str, Any], flow: Flow) -> dict[str, Any]:
    known = {name for name, _ in record["state"]["context"]}
    added = [[v.name, {"is": v.default}] for v in flow.variables if v.name not in known]
    state = {**record["state"], "context": [*record["state"]["context"], *added]}
    return {**record, "state": state}


def _edits(
    workplace: Workplace,
    first: events.RunStarted,
    record: dict[str, Any],
    set_state: Mapping[str, Any],
    outputs: Mapping[str, Any],
) -> tuple[events.Edited, ...]:
    if not set_state and not outputs:
        return ()
    trial = restore(record, first, workplace.registry)
    _check_outputs(trial, outputs)
    context = _checked_state(trial, set_state)
    edit = events.Edited(workplace.clock.now(), context, dict(outputs))
    return (edit,)


def _checked_state(trial: Condition, set_state: Mapping[str, Any]) -> dict[str, Any]:
    declared = trial.plan.flow.variable_by_name
    known = list(dict.fromkeys([*declared, *trial.state.context]))
    checked = {}
    for name, value in set_state.items():
        if name not in known:
            msg = f"The flow has no variable '{name}'."
            raise RunError(msg, nearest(name, known) or _listed("Its variables are", known))
        try:
            checked[name] = fit(declared[name], value) if name in declared else value
        except LoopwrightError as fault:
            raise RunError(f"Variable '{name}': {fault.message}", fault.hint) from fault
    return checked


def _check_outputs(trial: Condition, outputs: Mapping[str, Any]) -> None:
    known = list(trial.top.level.ids)
    for node in outputs:
        if node not in known:
            msg = f"The top level of the flow has no node '{node}'."
            raise RunError(msg, nearest(node, known) or _listed("Its nodes are", known))


def _listed(words: str, names: list[str]) -> str:
    more = ", …" if len(names) > 12 else ""
    return f"{words} {', '.join(names[:12])}{more}." if names else ""


def _past(history: History, at: int) -> list[dict[str, Any]]:
    """The events of the steps up to there, those before an earlier fork included."""
    found: list[dict[str, Any]] = []
    for event in history.events:
        if isinstance(event, events.PastSteps):
            found.extend(event.events)
        elif isinstance(event, _STEPS) and event.step <= at:
            found.append(events.to_record(event))
    return found
