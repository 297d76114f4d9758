"""One run looked at: how it stands, its steps, its condition after any of them."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from typing import Any

from engine.cli.ending import show_ending
from engine.cli.json_output import print_json
from engine.cli.run_names import refuse_steps_of_deleted, ways_past_damage, which_run
from engine.cli.step_printer import StepPrinter
from engine.cli.surroundings import open_workplace
from engine.cli.terminal import Screen, complain, safe_text
from engine.run import events
from engine.run.condition import Condition
from engine.run.history import History, condition_at, read_history, summarise
from engine.run.report import run_report
from engine.run.session import condition_from
from engine.run.values import plain
from engine.run.workplace import Workplace


class _Look:
    """A run as a command finds it."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.workplace: Workplace = open_workplace()
        run_id = which_run(self.workplace.places, arguments.run)
        with ways_past_damage(run_id):
            self.history: History = read_history(
                self.workplace.places, run_id, up_to_damage=arguments.up_to_damage
            )
        if self.history.contents.damage is not None:
            complain(safe_text(str(self.history.contents.damage)))
        self.screen = Screen(cover=self.workplace.redact)

    def now(self) -> Condition:
        """The condition that the journal leaves."""
        return condition_from(self.history.contents, self.workplace.registry)[0]

    def print_json(self, value: Mapping[str, Any]) -> None:
        """Prints JSON with secrets covered."""
        print_json(self.screen.cover(dict(value)))


def show_run(arguments: argparse.Namespace) -> int:
    """How a run stands: what `run` printed at its end, for a run of any age."""
    look = _Look(arguments)
    first, condition = look.history.first, look.now()
    report = run_report(condition, look.history.steps())
    facts = (
        summarise(look.workplace.places.runs / look.history.run_id)
        if not (look.history.contents.damage)
        else {}
    )
    report["status"] = facts.get("status", report["status"])
    report |= {
        "flow": {
            "id": first.flow["id"],
            "name": first.flow.get("name", ""),
            "path": first.flow_path,
        },
        "started": first.time,
        "ended": facts.get("ended"),
        "fork": first.fork,
        "parent": first.parent,
        "input": first.input,
    }
    if arguments.json:
        look.print_json(report)
        return 0
    report = look.screen.cover(report)
    _show_head(look.screen, report)
    titles = {node.id: node.title for node in condition.plan.flow.nodes}
    show_ending(look.screen, report, titles, None)
    return 0


def _show_head(screen: Screen, report: Mapping[str, Any]) -> None:
    flow = report["flow"]
    screen.line(screen.paint(screen.show(flow["name"] or flow["id"]), "bold"))
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(report["started"]))
    screen.line(f"  started   {when}")
    if flow["path"]:
        screen.line(f"  file      {screen.show(flow['path'])}")
    if report["fork"]:
        screen.line(f"  fork of   {report['fork']['run']} at step {report['fork']['step']}")
    if report["parent"]:
        screen.line(f"  part of   {report['parent']['run']}")
    if report["input"]:
        screen.line(f"  input     {screen.short(report['input'], screen.width - 14)}")


def show_steps(arguments: argparse.Namespace) -> int:
    """Every step of a run."""
    look = _Look(arguments)
    if arguments.json:
        look.print_json({"run_id": look.history.run_id, "steps": look.history.steps()})
        return 0
    printer = StepPrinter(look.screen, look.now(), streams=False)
    for event in _told(look.history):
        number = getattr(event, "step", None)
        if number is not None:
            look.screen.write(look.screen.paint(f"{number:>4}", "dim"))
        else:
            look.screen.write("    ")
        printer(event)
    return 0


_TOLD = (
    events.StepFinished,
    events.StepSkipped,
    events.StepFailed,
    events.Retry,
    events.IterationStarted,
    events.Warned,
    events.TokenDropped,
)


def _told(history: History) -> list[events.Event]:
    found: list[events.Event] = []
    for event in history.events:
        if isinstance(event, events.PastSteps):
            found.extend(events.read_event(record) for record in event.events)
        elif isinstance(event, _TOLD):
            found.append(event)
    return found


def show_state(arguments: argparse.Namespace) -> int:
    """The condition after a step: variables, messages, what waits and what is under way."""
    look = _Look(arguments)
    step = look.history.last_step if arguments.at is None else arguments.at
    refuse_steps_of_deleted(look.workplace.places, look.history, step)
    condition = condition_at(look.history, step, look.workplace.registry)
    state = state_record(condition)
    if arguments.json:
        look.print_json({"run_id": look.history.run_id, "step": step, **state})
        return 0
    screen = look.screen
    screen.line(f"Run {look.history.run_id} after step {step}")
    for title, key in (("Variables", "context"), ("Newest outputs", "outputs")):
        _show_values(screen, title, screen.cover(state[key]))
    for title, key in (
        ("Messages", "messages"),
        ("Under way", "under_way"),
        ("Values waiting", "tokens"),
    ):
        _show_values(screen, title, {str(n): v for n, v in enumerate(screen.cover(state[key]), 1)})
    return 0


def _show_values(screen: Screen, title: str, values: Mapping[str, Any]) -> None:
    if not values:
        return
    screen.line()
    screen.line(screen.paint(title, "bold"))
    width = min(24, max(len(name) for name in values))
    for name, value in values.items():
        shown = screen.short(value, max(20, screen.width - width - 4))
        screen.line(f"  {screen.show(name):<{width}}  {shown}")


def state_record(condition: Condition) -> dict[str, Any]:
    """The condition of a run as JSON: its state, and where it stands."""
    state = condition.state
    record = {
        "context": dict(state.context),
        "messages": list(state.messages),
        "todos": list(state.todos),
        "route_decision": state.route_decision,
        "route_history": list(state.route_history),
        "loop_states": {
            node: [{"entry": entry, **values} for entry, values in entries.items()]
            for node, entries in state.loop_states.items()
        },
        "task_states": dict(state.task_states),
        "task_results": list(state.task_results),
        "parallel_results": list(state.parallel_results),
        "node_contexts": dict(state.node_contexts),
        "outputs": _outputs(condition),
        "under_way": _under_way(condition),
        "tokens": _tokens(condition),
    }
    made: dict[str, Any] = plain(record, -1_000)
    return made


def _outputs(condition: Condition) -> dict[str, Any]:
    scope = condition.top
    return {
        scope.level.ids[number]: list(known.values())[-1]
        for number, known in scope.outputs.items()
        if known
    }


def _under_way(condition: Condition) -> list[dict[str, Any]]:
    found = []
    for firing in condition.firings.values():
        entry: dict[str, Any] = {
            "node": condition.node_id(firing),
            "visit": firing.visit,
            "status": firing.status,
            "inputs": dict(firing.inputs),
        }
        if firing.path:
            entry["path"] = firing.path
        if firing.requests:
            entry["requests"] = list(firing.requests)
        found.append(entry)
    return found


def _tokens(condition: Condition) -> list[dict[str, Any]]:
    found = []
    for scope in condition.scopes.values():
        for token in scope.room.unmatched():
            edge = scope.level.structure.edges[token.edge]
            entry = {"edge": edge.id, "to": edge.target, "value": token.value}
            found.append({**entry, "path": scope.path} if scope.path else entry)
    return found
