"""The mistakes in a flow as data, for the commands that list them or refuse a flow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.errors import LoopwrightError
from engine.flow.document import Flow
from engine.run.workplace import Workplace


def flow_problems(flow: Flow, path: Path | None, workplace: Workplace) -> list[dict[str, Any]]:
    """What is wrong with a flow; `path` is its file, beside which other flows are found."""
    from engine.check import check_flow  # Late: going on with a run checks nothing.

    def known_flow(name: str) -> Flow | None:
        try:
            return workplace.flows.find(name, path)[0]
        except LoopwrightError:
            return None

    found = check_flow(flow, workplace.registry, known_flow)
    return [problem.to_json() for problem in found]
