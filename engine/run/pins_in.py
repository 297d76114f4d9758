"""What a step receives: inputs by source node, and the object rebuilt from pins."""

from __future__ import annotations

from typing import Any

from engine.errors import PinError
from engine.flow.pins import assemble
from engine.run.claims import Claim
from engine.run.condition import Scope
from engine.store.codec import encode

PIN_ERROR = "\0pin error"


def inputs_of(scope: Scope, claim: Claim) -> tuple[dict[str, Any], dict[str, Any]]:
    """`{source node id: value}`, and the nested object of the pins.

    Pins that contradict each other give `{PIN_ERROR: message}`; the step then fails with it.
    """
    tokens = claim.tokens
    structure = scope.level.structure
    ids = scope.level.ids
    if len(tokens) == 1 and not scope.level.collects[claim.node]:
        token = tokens[0]
        pin = structure.edges[token.edge].data.target_pin
        inputs = {ids[structure.source[token.edge]]: token.value}
        return inputs, ({} if pin is None else _assembled({pin: token.value}, {}))
    if scope.level.collects[claim.node]:
        return _collected(scope, tokens), {}
    inputs = {}
    pinned: dict[str, Any] = {}
    came_over: dict[str, str] = {}
    for token in tokens:
        edge = structure.edges[token.edge]
        _put(inputs, ids[structure.source[token.edge]], edge.id, token.value)
        if edge.data.target_pin is not None:
            pinned[edge.data.target_pin] = token.value
            came_over[edge.data.target_pin] = edge.id
    return inputs, _assembled(pinned, came_over) if pinned else {}


def _collected(scope: Scope, tokens: Any) -> dict[str, Any]:
    """Every value by source, in strand order."""
    found: dict[str, list[Any]] = {}
    for token in tokens:
        source = scope.level.ids[scope.level.structure.source[token.edge]]
        found.setdefault(source, []).append(token.value)
    return dict(found)


def _put(inputs: dict[str, Any], source: str, edge: str, value: Any) -> None:
    """Two edges from one node: the same value once, another one under the edge's name too.

    Equal is the same: after a restart one value on two edges is two objects.
    """
    if source not in inputs:
        inputs[source] = value
    elif inputs[source] is not value and encode(inputs[source]) != encode(value):
        inputs[f"{source}[{edge}]"] = value


def _assembled(pinned: dict[str, Any], came_over: dict[str, str]) -> dict[str, Any]:
    try:
        return assemble(pinned)
    except PinError as error:
        named = [f"'{edge}'" for pin, edge in came_over.items() if f"'{pin}'" in error.message]
        edges = f" They are on the edges {' and '.join(named)}." if len(named) > 1 else ""
        return {PIN_ERROR: f"{error.message}{edges}"}
