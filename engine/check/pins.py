"""Pins that cannot be read, that clash, or that lead to no field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from engine.check.level import Level
from engine.check.problem import Fix, Problem
from engine.check.view import FlowView
from engine.errors import PinError
from engine.flow.document import Edge, Flow
from engine.flow.edits import set_edge_data
from engine.flow.names import quoted
from engine.flow.pins import TOOLS_PIN, PinClashError, assemble, parse_pin


def problems(view: FlowView) -> Iterator[Problem]:
    """What is wrong with pins."""
    for edge in view.flow.edges:
        yield from _source(view, edge)
        yield from _target(view, edge)
    for level in view.levels.values():
        for number in range(len(level.structure.nodes)):
            yield from _clashes(view, level, number)


def _source(view: FlowView, edge: Edge) -> Iterator[Problem]:
    pin = edge.data.source_pin
    if pin is None or pin == TOOLS_PIN:
        return
    try:
        parse_pin(pin)
    except PinError as fault:
        yield view.problem(
            "bad-pin",
            f"{view.edge_words(edge)}, source pin: {fault.message}",
            fault.hint,
            edge=edge.id,
            field=("source_pin",),
            fix=Fix("Send the whole output", partial(_whole, edge.id)),
        )


def _whole(edge_id: str, flow: Flow) -> Flow:
    return set_edge_data(flow, edge_id, source_pin=None)


def _target(view: FlowView, edge: Edge) -> Iterator[Problem]:
    pin = edge.data.target_pin
    if pin is None:
        return
    try:
        assemble({pin: None})
    except PinError as fault:
        yield view.problem(
            "bad-pin",
            f"{view.edge_words(edge)}, target pin: {fault.message}",
            fault.hint,
            edge=edge.id,
            field=("target_pin",),
        )
        return
    kind = view.facts[edge.target].kind
    first = str(parse_pin(pin).steps[0])
    if kind is None or first in kind.model_fields:
        return
    near = view.near(first, f"fields of {kind.meta.type_id}", kind.model_fields)
    yield view.problem(
        "pin-without-field",
        f"{view.edge_words(edge)} leads to {quoted(first)}, which is no field of "
        f"{view.title(edge.target)}.",
        f"Did you mean {quoted(near)}?" if near else "The node only gets it among its inputs.",
        edge=edge.id,
        field=("target_pin",),
    )


def _clashes(view: FlowView, level: Level, number: int) -> Iterator[Problem]:
    """Forward edges and back edges are separate inputs, as is each edge of a join for any."""
    if level.facts[number].join != "all":
        return
    incoming, back = level.structure.incoming[number], level.structure.back
    pinned = [e for e in incoming if level.structure.edges[e].data.target_pin is not None]
    for group in ([e for e in pinned if not back[e]], [e for e in pinned if back[e]]):
        if len(group) > 1:
            yield from _clash(view, [level.structure.edges[e] for e in group])


def _clash(view: FlowView, edges: Sequence[Edge]) -> Iterator[Problem]:
    by_pin: dict[str, Edge] = {}
    for edge in edges:
        by_pin.setdefault(str(edge.data.target_pin), edge)
    try:
        assemble(dict.fromkeys(by_pin))
    except PinClashError as clash:
        first, second = by_pin[clash.first], by_pin[clash.second]
        yield view.problem(
            "pins-clash",
            f"{view.edge_words(second)} and the one from {view.title(first.source)}: "
            f"{clash.message}",
            clash.hint,
            edge=second.id,
            field=("target_pin",),
        )
    except PinError:
        # A pin that cannot be read by itself is told of above.
        return
