"""One recorded case tried: the flow is run, and what came is held against what is expected."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.cli.answers import checked_answers
from engine.cli.case_files import Case
from engine.cli.driving import Desk, drive
from engine.cli.flow_source import FoundFlow
from engine.cli.matching import matches
from engine.cli.run_input import check_input
from engine.errors import LoopwrightError
from engine.flow.faults import nearest
from engine.run.report import StepList, node_types, run_report
from engine.run.session import RunSession
from engine.run.workplace import RunOptions, Workplace
from engine.store.places import Places


def try_case(case: Case, found: FoundFlow, workplace: Workplace) -> dict[str, Any]:
    """Runs one case: its name, whether it passed, and what is not as expected.

    Raises:
        KeyboardInterrupt: The person broke it off.
    """
    try:
        report = _report(case, found, workplace)
    except LoopwrightError as fault:
        what = f"It could not be run: {fault}"
        return {"name": case.name, "passed": False, "differences": [{"what": what}]}
    differences = list(_differences(case.expect, report))
    return {"name": case.name, "passed": not differences, "differences": differences}


def _report(case: Case, found: FoundFlow, workplace: Workplace) -> dict[str, Any]:
    registry = workplace.registry
    run_input = check_input(case.input, found.flow, registry)
    answers = checked_answers(case.answers, found.flow, registry, "answers")
    with tempfile.TemporaryDirectory(prefix="loopwright-case-") as folder:
        apart = replace(workplace, places=Places.under(Path(folder)))
        options = RunOptions(flow_path=found.path)
        session = RunSession.start(apart, found.flow, run_input, options)
        steps = StepList(node_types(session.condition))
        session.observers.append(steps)
        desk = Desk(answers)
        try:
            interrupts = drive(session, desk)
        finally:
            session.close()
        if interrupts.came:
            raise KeyboardInterrupt
        report = run_report(session.condition, steps.steps)
    report["warnings"] = [*report["warnings"], *desk.warnings]
    return report


def _differences(expect: Mapping[str, Any], report: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    wanted = expect.get("status", "finished")
    if report["status"] != wanted:
        yield {"what": _status_words(report), "expected": wanted, "actual": report["status"]}
    for key in ("output", "messages"):
        if key in expect and not matches(expect[key], report[key]):
            yield {"what": key, "expected": expect[key], "actual": report[key]}
    if "error" in expect:
        message = (report["error"] or {}).get("message")
        if not matches(expect["error"], message):
            yield {"what": "error", "expected": expect["error"], "actual": message}
    yield from _context_differences(expect.get("context", {}), report["context"])
    yield from _visit_differences(expect.get("runs", {}), report["steps"])


def _status_words(report: Mapping[str, Any]) -> str:
    if report["error"]:
        return f"status: {report['error']['message']}"
    waiting = ", ".join(f"'{each['node']}'" for each in report["requests"])
    not_taken = " ".join(w["message"] for w in report["warnings"] if "not taken" in w["message"])
    return f"status: {waiting} waits for an answer {not_taken}".strip() if waiting else "status"


def _context_differences(
    expect: Mapping[str, Any], context: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    for name, value in expect.items():
        if name not in context:
            what = f"context: there is no variable '{name}'. {nearest(name, list(context))}"
            yield {"what": what.strip()}
        elif not matches(value, context[name]):
            yield {"what": f"context.{name}", "expected": value, "actual": context[name]}


def _visit_differences(
    expect: Mapping[str, int], steps: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    visits = Counter(step["node"] for step in steps)
    for node, count in expect.items():
        if visits[node] != count:
            yield {"what": f"runs of '{node}'", "expected": count, "actual": visits[node]}
