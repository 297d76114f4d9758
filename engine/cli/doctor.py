"""`loopwright doctor`: what is installed, where everything lies, and what is not well."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import asdict

from engine.cli.checkups import Finding, examine
from engine.cli.json_output import print_json
from engine.cli.parsing import add_json_option
from engine.cli.report_errors import ERROR, FINISHED
from engine.cli.terminal import Screen

_SIGNS = {"good": ("✓", "green"), "note": ("·", "dim"), "bad": ("✗", "red")}


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments of `doctor`."""
    parser.epilog = "exit codes: 0 all is well, 3 something needs you."
    add_json_option(parser)


def carry_out(arguments: argparse.Namespace) -> int:
    """Examines the program and its data; changes nothing."""
    findings = list(examine())
    is_well = all(finding.state != "bad" for finding in findings)
    if arguments.json:
        print_json({"well": is_well, "findings": [asdict(finding) for finding in findings]})
    else:
        _show(findings, is_well=is_well)
    return FINISHED if is_well else ERROR


def _show(findings: Iterable[Finding], *, is_well: bool) -> None:
    screen = Screen()
    part = ""
    for finding in findings:
        if finding.part != part:
            part = finding.part
            screen.line(screen.paint(part, "bold"))
        sign, style = _SIGNS[finding.state]
        text = screen.show(f"{finding.name}: {finding.text}")
        screen.told(text, f"  {screen.paint(screen.glyph(sign), style)} ")
        if finding.hint:
            screen.told(screen.show(finding.hint), "    ")
    screen.line()
    screen.line("All is well." if is_well else "Something needs you: see the lines above.")
