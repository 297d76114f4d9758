"""Older shapes of the flow file, brought up to date: one pure function for each step.

A step takes the plain data of one version and returns that of the next. It changes nothing in
what it is given, and leaves alone whatever it does not understand: the models judge the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.flow.document import VERSION, EdgeData

Data = dict[str, Any]
Step = Callable[[Data], Data]

_EDGE_DATA_KEYS = frozenset(EdgeData.model_fields) - {"extra"}


def edges_get_data(flow: Data) -> Data:
    """From 0 to 1: what an edge says moves under `data`, variables become a list of records."""
    return {
        **flow,
        "edges": _each(flow.get("edges", []), _edge_with_data),
        "variables": _variable_list(flow.get("variables", [])),
    }


def _edge_with_data(edge: Data) -> Data:
    if "data" in edge:
        return edge
    ends = {key: value for key, value in edge.items() if key not in _EDGE_DATA_KEYS}
    said = {key: value for key, value in edge.items() if key in _EDGE_DATA_KEYS}
    return {**ends, "data": said}


def _variable_list(variables: object) -> object:
    if not isinstance(variables, Mapping):
        return variables
    return [{"name": name, "default": default} for name, default in variables.items()]


def _each(parts: object, change: Step) -> object:
    if not isinstance(parts, list):
        return parts
    return [change(part) if isinstance(part, dict) else part for part in parts]


STEPS: Mapping[int, Step] = {0: edges_get_data}
"""From each older version, the step to the next one."""


def migrate(flow: Data, version: int) -> Data:
    """The same flow in the shape of this version; `flow` itself is left as it is.

    Args:
        flow: The plain data of a file.
        version: The version it is written in, at most `VERSION`.
    """
    for older in range(version, VERSION):
        flow = {**STEPS[older](flow), "version": older + 1}
    return flow
