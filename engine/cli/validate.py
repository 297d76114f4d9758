"""`loopwright validate`: the mistakes in flows, where they are, and how to mend them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from engine.cli.flow_source import find_flow
from engine.cli.json_output import print_json
from engine.cli.parsing import add_json_option
from engine.cli.problems import flow_problems
from engine.cli.report_errors import FINISHED, USAGE
from engine.cli.surroundings import open_workplace
from engine.cli.terminal import Screen
from engine.errors import FlowFileError, LoopwrightError, UsageError
from engine.run.workplace import Workplace

_SIGNS = {"error": ("✗", "red"), "warning": ("!", "yellow"), "info": ("·", "dim")}
UNREADABLE = "unreadable-flow"
_NOT_FOUND = "no-such-flow"


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments of `validate`."""
    parser.epilog = "exit codes: 0 no mistake that keeps a flow from running, 2 there is one."
    parser.add_argument("flows", metavar="FLOW", nargs="+", help="files, or flows of the library")
    add_json_option(parser)


def carry_out(arguments: argparse.Namespace) -> int:
    """Checks flows."""
    workplace = open_workplace()
    checked = [_checked(text, workplace) for text in arguments.flows]
    valid = all(entry["valid"] for entry in checked)
    if arguments.json:
        problems = [{"flow": e["flow"], **p} for e in checked for p in e["problems"]]
        print_json({"valid": valid, "problems": problems, "flows": checked})
    else:
        screen = Screen()
        for entry in checked:
            _show(screen, entry)
    return FINISHED if valid else USAGE


def _checked(text: str, workplace: Workplace) -> dict[str, Any]:
    name, problems = "", []
    try:
        found = find_flow(text, workplace)
        name, problems = found.name, flow_problems(found.flow, found.path, workplace)
    except (FlowFileError, UsageError) as fault:
        problems = [_unreadable(fault)]
    errors = sum(problem["severity"] == "error" for problem in problems)
    warnings = sum(problem["severity"] == "warning" for problem in problems)
    return {
        "flow": text,
        "name": name,
        "valid": not errors,
        "errors": errors,
        "warnings": warnings,
        "problems": problems,
    }


def _unreadable(fault: LoopwrightError) -> dict[str, Any]:
    code = UNREADABLE if isinstance(fault, FlowFileError) else _NOT_FOUND
    empty = dict.fromkeys(("node", "edge", "field", "position", "fix"))
    return {
        "code": code,
        "severity": "error",
        "message": fault.message,
        "hint": fault.hint,
        **empty,
    }


def _show(screen: Screen, entry: Mapping[str, Any]) -> None:
    problems: Sequence[Mapping[str, Any]] = entry["problems"]
    title = screen.paint(screen.show(entry["flow"]), "bold")
    if not problems:
        screen.told(f"{title}: {screen.paint('no mistakes', 'green')}", "", "  ")
        return
    counts = (("mistake", entry["errors"]), ("warning", entry["warnings"]))
    told = ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for word, n in counts if n)
    screen.told(f"{title}: {told or 'good to know'}", "", "  ")
    for problem in problems:
        sign, style = _SIGNS[problem["severity"]]
        message = screen.show(f"{problem['message']} [{problem['code']}]")
        screen.told(message, f"  {screen.paint(screen.glyph(sign), style)} ")
        for help_text in (problem.get("hint"), _fix(problem)):
            if help_text:
                screen.told(screen.show(help_text), "    ")


def _fix(problem: Mapping[str, Any]) -> str:
    return f"Can be mended for you: {problem['fix']}." if problem.get("fix") else ""
