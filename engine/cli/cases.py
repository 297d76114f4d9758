"""`loopwright test`: a flow tried on its recorded cases."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.cli.case_files import Case, read_cases
from engine.cli.case_runs import try_case
from engine.cli.flow_source import FoundFlow, find_flow, refuse_invalid
from engine.cli.json_output import print_json
from engine.cli.parsing import add_json_option
from engine.cli.report_errors import ERROR, FINISHED
from engine.cli.surroundings import open_workplace
from engine.cli.terminal import Screen
from engine.errors import UsageError
from engine.flow.file import SUFFIX
from engine.run.workplace import Workplace

_CASES = ".cases.json"
_NOTES = """
Cases lie beside the flow: mail.flow.json has mail.cases.json, {"cases": [...]}, each case with
  name      what it shows
  input     as for `loopwright run --input`
  answers   as for `loopwright run --answers`
  expect    status    finished (the usual), paused, error or stopped
            output    the run's output
            messages  the chat messages
            context   variables, those that are named
            runs      how often nodes run, those that are named
            error     the error's message
Wherever a value stands in expect, {"contains": ...} asks for a part of it.

Cases run in a folder of their own that is deleted afterwards.
exit codes: 0 every case is as expected, 2 usage or invalid flow, 3 a case is not.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments of `test`."""
    parser.epilog = _NOTES
    parser.add_argument("flows", metavar="FLOW", nargs="+", help="flows with recorded cases")
    add_json_option(parser)


def carry_out(arguments: argparse.Namespace) -> int:
    """Tries flows on their cases."""
    workplace = open_workplace()
    work = [_flow_and_cases(text, workplace) for text in arguments.flows]
    screen = Screen(sys.stderr if arguments.json else sys.stdout)
    results = []
    for text, found, cases in work:
        screen.line(screen.paint(screen.show(found.name), "bold"))
        for case in cases:
            result = {"flow": text, **try_case(case, found, workplace)}
            results.append(result)
            _show(screen, result)
    failed = sum(not result["passed"] for result in results)
    passed = len(results) - failed
    if arguments.json:
        print_json({"passed": passed, "failed": failed, "cases": results})
    else:
        screen.line()
        end = f", {failed} not" if failed else ""
        screen.line(f"{passed} of {len(results)} as expected{end}.")
    return ERROR if failed else FINISHED


def _flow_and_cases(text: str, workplace: Workplace) -> tuple[str, FoundFlow, list[Case]]:
    if text.endswith(_CASES):
        text = text.removesuffix(_CASES) + SUFFIX
    found = find_flow(text, workplace)
    refuse_invalid(found, workplace)
    if found.path is None:
        msg = f"The flow '{text}' lies in the library: no cases can lie beside it."
        raise UsageError(msg, "Give the path of a *.flow.json file.")
    path = _cases_of(found.path)
    return text, found, read_cases(path)


def _cases_of(flow: Path) -> Path:
    name = flow.name.removesuffix(SUFFIX) if flow.name.endswith(SUFFIX) else flow.stem
    return flow.with_name(name + _CASES)


def _show(screen: Screen, result: Mapping[str, Any]) -> None:
    if result["passed"]:
        screen.line(f"  {screen.paint(screen.glyph('✓'), 'green')} {screen.show(result['name'])}")
        return
    screen.line(f"  {screen.paint(screen.glyph('✗'), 'red')} {screen.show(result['name'])}")
    width = screen.width - 18
    for difference in result["differences"]:
        screen.line(f"      {screen.show(difference['what'])}")
        if "expected" in difference:
            screen.line(f"        expected  {screen.short(difference['expected'], width)}")
            screen.line(f"        came      {screen.short(difference['actual'], width)}")
