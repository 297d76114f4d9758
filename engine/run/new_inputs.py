"""Another output of a node, for steps that have received the old one but have not begun."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.flow.pins import Found, assemble, extract
from engine.run.plan import EdgePlan, LevelPlan


def received_anew(
    level: LevelPlan, firing: Mapping[str, Any], outputs: Mapping[str, Any]
) -> Mapping[str, Any]:
    """A step of a snapshot's record, with what it received from these nodes replaced.

    Args:
        level: The top level of the flow.
        firing: The step; those inside boxes and those that are under way stay as they are.
        outputs: The new outputs, by node id.
    """
    node = firing["node"]
    if firing["path"] or firing["status"] != "ready" or firing["answers"] or level.collects[node]:
        return firing
    inputs, pins = dict(firing["inputs"]), firing["pins"]
    for source, output in outputs.items():
        for edge in level.out[level.structure.index[source]]:
            key = _key(inputs, source, edge)
            if level.structure.target[edge.number] != node or key is None:
                continue
            found = Found(output) if edge.source_pin is None else extract(output, edge.source_pin)
            if isinstance(found, Found):
                inputs[key] = found.value
                pins = _with_pin(pins, edge, found.value)
    return {**firing, "inputs": inputs, "pins": pins}


def _key(inputs: Mapping[str, Any], source: str, edge: EdgePlan) -> str | None:
    """Under which name the step has the value of this edge."""
    own = f"{source}[{edge.edge.id}]"
    return own if own in inputs else source if source in inputs else None


def _with_pin(pins: Mapping[str, Any], edge: EdgePlan, value: Any) -> Mapping[str, Any]:
    pin = edge.edge.data.target_pin
    laid: Mapping[str, Any] = pins if pin is None else _laid_over(pins, assemble({pin: value}))
    return laid


def _laid_over(old: Any, new: Any) -> Any:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        merged = {name: _laid_over(old[name], new[name]) for name in new if name in old}
        return {**old, **new, **merged}
    if isinstance(old, list) and isinstance(new, list):
        # What the pin does not reach was filled up with nothing.
        longer = max(len(old), len(new))
        both = zip(_filled(old, longer), _filled(new, longer), strict=True)
        return [theirs if mine is None else _laid_over(theirs, mine) for theirs, mine in both]
    return new


def _filled(items: list[Any], length: int) -> list[Any]:
    return [*items, *[None] * (length - len(items))]
