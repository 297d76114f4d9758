"""What run, resume and fork have in common: a session is driven and told of."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from typing import Any

from engine.cli.answers import Answers
from engine.cli.asking import Asker, can_ask
from engine.cli.driving import Desk, drive
from engine.cli.ending import show_ending
from engine.cli.interrupts import INTERRUPTED, Interrupts
from engine.cli.json_output import print_json
from engine.cli.parsing import add_json_option, count
from engine.cli.report_errors import STATUS_CODES, disk_fault, tell
from engine.cli.run_list import enter_parts, enter_run
from engine.cli.step_printer import StepPrinter
from engine.cli.terminal import Screen, complain, safe_text
from engine.errors import JournalError, StoreError
from engine.run import events
from engine.run.history import History
from engine.run.report import StepList, node_types, run_report
from engine.run.session import RunSession
from engine.run.workplace import Workplace


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """The options of every command that lets a run go on."""
    parser.add_argument(
        "--answers",
        metavar="JSON|@FILE",
        help="answers by node id, so that nobody is asked: an answer, or a list, one per visit",
    )
    parser.add_argument(
        "--max-steps", metavar="N", type=count, help="the most steps that the run may take"
    )
    parser.add_argument("--stream", action="store_true", help="show text while models write it")
    add_json_option(parser)


def limits_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The limits that were given."""
    return {} if arguments.max_steps is None else {"max_steps": arguments.max_steps}


def screen_for(workplace: Workplace) -> Screen:
    """Standard output, with secrets covered."""
    return Screen(sys.stdout, workplace.redact)


def asker_for(arguments: argparse.Namespace, screen: Screen) -> Asker | None:
    """Who can be asked: nobody when a program reads the output."""
    return Asker(screen) if not arguments.json and can_ask() else None


def conduct(
    session: RunSession,
    arguments: argparse.Namespace,
    answers: Answers,
    history: History | None = None,
) -> int:
    """Drives a session to its end, a pause or a stop, tells how it went, and closes it.

    A fault of the disk meanwhile is told together with the run's name.

    Args:
        session: The run; it is closed.
        arguments: Has `json` and `stream`.
        answers: Given beforehand.
        history: What happened before this program went on with the run.

    Returns:
        The exit code.
    """
    try:
        return _conduct(session, arguments, answers, history)
    except BrokenPipeError:
        raise
    except (JournalError, StoreError, OSError) as fault:
        known = disk_fault(fault) if isinstance(fault, OSError) else fault
        run_id = session.condition.run_id
        known.hint = f"{known.hint} Then go on: loopwright resume {run_id}".strip()
        return tell(known, "run" if arguments.json else "text", run_id)


def _conduct(
    session: RunSession,
    arguments: argparse.Namespace,
    answers: Answers,
    history: History | None,
) -> int:
    screen = screen_for(session.workplace)
    steps = StepList(node_types(session.condition))
    children = _Children()
    if history is not None:
        steps.steps.extend(history.steps())
        children.look_back(history)
    session.observers.append(children)
    desk = Desk(answers, asker_for(arguments, screen))
    begun = time.monotonic()
    with _Closing(session):
        printer = _watch(session, arguments, screen, steps)
        with _apart(arguments):
            interrupts = drive(session, desk)
        printer.end_stream()
        seconds = time.monotonic() - begun
    report = covered_report(session, steps.steps, desk.warnings)
    left = interrupts.was_interrupted
    if arguments.json:
        print_report(report)
    else:
        show_ending(screen, report, _titles(session), seconds, was_interrupted=left)
    enter_run(session.workplace.places, session.first, report, session.workplace.clock.now())
    if children.seen:
        enter_parts(session.workplace.places, session.first.run_id)
    return _code(report["status"], interrupts)


class _Children:
    """Notices that a run started nested runs; give it to a session as an observer."""

    def __init__(self) -> None:
        self.seen = False

    def __call__(self, event: events.Event) -> None:
        """Takes one event."""
        self.seen = self.seen or isinstance(event, events.ChildStarted)

    def look_back(self, history: History) -> None:
        """Takes all events so far."""
        for event in history.events:
            self(event)


def _apart(arguments: argparse.Namespace) -> AbstractContextManager[object]:
    """Whatever a node prints must not stand in the one JSON object."""
    return redirect_stdout(sys.stderr) if arguments.json else nullcontext()


class _Closing:
    """Closes a session; a fault while it ran counts more than one of its closing."""

    def __init__(self, session: RunSession) -> None:
        self._session = session

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        del rest
        try:
            self._session.close()
        except Exception:
            if kind is None:
                raise


def _watch(
    session: RunSession, arguments: argparse.Namespace, screen: Screen, steps: StepList
) -> StepPrinter:
    session.observers.append(steps)
    flow = session.condition.plan.flow
    if arguments.json:
        # Streamed text must not stand on standard output: that holds one object alone.
        errors = Screen(sys.stderr, session.workplace.redact)
        printer = StepPrinter(errors, session.condition, streams=arguments.stream)
        if arguments.stream:
            session.observers.append(printer)
        return printer
    printer = StepPrinter(screen, session.condition, streams=arguments.stream)
    screen.line(screen.paint(safe_text(flow.name or flow.id), "bold"))
    session.observers.append(printer)
    return printer


def covered_report(
    session: RunSession, steps: Sequence[dict[str, Any]], warnings: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """What `--json` prints of a run, with every secret covered."""
    report = run_report(session.condition, steps)
    report["warnings"] = [*report["warnings"], *warnings]
    cover = session.workplace.redact
    covered: dict[str, Any] = report if cover is None else cover(report)
    return covered


def print_report(report: dict[str, Any]) -> None:
    """Prints how a run stands as JSON, and its warnings for people."""
    for warning in report["warnings"]:
        complain(safe_text(warning["message"]))
    print_json(report)


def _titles(session: RunSession) -> dict[str, str]:
    return {node.id: node.title for node in session.condition.plan.flow.nodes}


def _code(status: str, interrupts: Interrupts) -> int:
    if interrupts.was_interrupted and status != "finished":
        return INTERRUPTED
    return STATUS_CODES[status]
