"""The mistakes in a flow as data, for the commands that list them or refuse a flow."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from engine.cli.surroundings import library_names
from engine.flow.document import Flow
from engine.run.session import Workplace

_KEYS = ("code", "severity", "node", "edge", "field", "message", "fix")


def flow_problems(flow: Flow, path: Path | None, workplace: Workplace) -> list[dict[str, Any]]:
    """What is wrong with a flow, the worst first."""
    del path
    if find_spec("engine.check") is None:
        return []
    check_flow = import_module("engine.check").check_flow
    found = check_flow(flow, workplace.registry, known_flows=library_names(workplace.places))
    return [_record(problem) for problem in found]


def _record(problem: Any) -> dict[str, Any]:
    return {key: getattr(problem, key) for key in _KEYS if hasattr(problem, key)}
