"""What all runs of one program share, and how a single one is to be run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import RunError
from engine.registry import NodeRegistry
from engine.run.flow_finder import FlowFinder
from engine.run.services import Clock, Services, SystemClock
from engine.store.places import Places


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is to be run.

    Args:
        limits: `max_steps`, `max_iterations` that override the flow's.
        use_pins: Whether pinned outputs stand in for their nodes.
        model: A model that takes the place of every model named in the flow.
        flow_path: The file that the flow came from; other flows are found beside it.
        parent: The run, step and chain of flows that this is nested in.
    """

    limits: Mapping[str, Any] = field(default_factory=dict)
    use_pins: bool = True
    model: str | None = None
    flow_path: Path | None = None
    parent: Mapping[str, Any] | None = None


@dataclass
class Workplace:
    """What all runs of this program share: places on disk, node types, flows, clock, variables."""

    places: Places
    registry: NodeRegistry
    clock: Clock = field(default_factory=SystemClock)
    vars: Mapping[str, Any] = field(default_factory=dict)
    redact: Callable[[Any], Any] | None = None
    flows: FlowFinder = field(default_factory=FlowFinder)
    make_services: Callable[..., Services] = Services


def limits_from_environment(environment: Mapping[str, str]) -> dict[str, int]:
    """`max_steps` and `max_iterations` as the environment sets them.

    Raises:
        RunError: A value is no whole number above 0.
    """
    found = {}
    for name in ("max_steps", "max_iterations"):
        variable = f"LOOPWRIGHT_{name.upper()}"
        text = environment.get(variable, "").strip()
        if not text:
            continue
        if not text.isdecimal() or int(text) < 1:
            msg = f"{variable} is '{text}', which is no whole number above 0."
            raise RunError(msg, "Set it to a number such as 1000, or unset it.")
        found[name] = int(text)
    return found
