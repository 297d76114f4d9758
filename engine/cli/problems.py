"""The mistakes in a flow as data, for the commands that list them or refuse a flow."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from engine.cli.surroundings import library_names
from engine.flow.document import Flow
from engine.run.session import Workplace


def flow_problems(flow: Flow, workplace: Workplace) -> list[dict[str, Any]]:
    """What is wrong with a flow."""
    try:
        check_flow = import_module("engine.check").check_flow
    except ImportError:
        return []
    found = check_flow(flow, workplace.registry, known_flows=library_names(workplace.places))
    return [problem.to_json() for problem in found]
