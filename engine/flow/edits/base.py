"""What every edit stands on: it copies what it takes in, and what it gives back is sound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from engine.errors import FlowCheckError
from engine.flow.document import Edge, Flow, Node, Part, Variable
from engine.flow.faults import part_faults
from engine.flow.json_text import JsonTextError, copy_json
from engine.flow.names import ended, nearest, quoted
from engine.flow.soundness import structure_faults

Path = tuple[str | int, ...]
P = TypeVar("P", bound=Part)


class TextPlace(NamedTuple):
    """Where a text stands: in the configuration of a node, or in the data of an edge."""

    owner: Node | Edge
    path: Path


Rewrite = Callable[[str, Mapping[str, str], TextPlace], str]
"""Gives a text with its references renamed: (text, new name by old name, where it stands).

The document does not know the language of a field; who passes the function does.
"""


def changed_flow(flow: Flow, /, **parts: Any) -> Flow:
    """The flow with other parts.

    Raises:
        FlowCheckError: It would not be sound.
    """
    changed = flow.model_copy(update=parts)
    for fault in structure_faults(changed):
        msg = f"This change would break the flow: {ended(str(fault))}"
        raise FlowCheckError(msg, "Nothing was changed.")
    return changed


def changed_part(part: P, owner: str, /, **fields: Any) -> P:
    """The part with other values, checked and copied.

    Args:
        part: A node, an edge, a variable, ...
        owner: What messages call it, such as `node 'check'`.
        fields: New values by field name.

    Raises:
        FlowCheckError: A value that the field does not take, or no such field.
    """
    known = type(part).model_fields
    for name in fields:
        if name not in known:
            hint = nearest(name, list(known))
            raise FlowCheckError(f"{owner}: there is no field {quoted(name)}.", hint)
    own = {name: _own(value, f"{owner}: {name}") for name, value in fields.items()}
    data = {name: part.__dict__[name] for name in known} | own
    try:
        return type(part).model_validate(data)
    except ValidationError as error:
        raise FlowCheckError(f"{'; '.join(part_faults(error, owner))}.") from error


def own_copy(part: P, owner: str) -> P:
    """A checked copy that shares nothing that can change with the caller's part."""
    fields = {name: part.__dict__[name] for name in type(part).model_fields}
    return changed_part(part, owner, **fields)


def copied(value: object, owner: str, depth: int = 0) -> Any:
    """A deep copy of a JSON value.

    Raises:
        FlowCheckError: It holds something that a flow file cannot; says where.
    """
    try:
        return copy_json(value, depth)
    except JsonTextError as fault:
        hint = "Flows hold text, numbers, true, false, null, lists and objects with text names."
        raise FlowCheckError(f"{owner}: {ended(str(fault))}", hint) from fault


def _own(value: object, owner: str) -> Any:
    if isinstance(value, Part):
        return own_copy(value, owner)
    if isinstance(value, BaseModel):
        return value  # Frozen, and made of frozen values.
    if isinstance(value, (tuple, list)) and any(isinstance(item, BaseModel) for item in value):
        return tuple(_own(item, owner) for item in value)
    return copied(value, owner)


def node_of(flow: Flow, node_id: str) -> Node:
    """The node with an id.

    Raises:
        FlowCheckError: There is none; names the nearest.
    """
    return _found(flow.node_by_id, node_id, "node")


def edge_of(flow: Flow, edge_id: str) -> Edge:
    """As `node_of`, for edges."""
    return _found(flow.edge_by_id, edge_id, "edge")


def variable_of(flow: Flow, name: str) -> Variable:
    """As `node_of`, for variables."""
    return _found(flow.variable_by_name, name, "variable")


def _found(known: Mapping[str, P], name: str, kind: str) -> P:
    found = known.get(name)
    if found is None:
        hint = nearest(name, list(known))
        raise FlowCheckError(f"There is no {kind} {quoted(name)} in this flow.", hint)
    return found


def with_node(flow: Flow, node: Node) -> Flow:
    """The flow with this node in the place of the one with the same id."""
    return with_nodes(flow, {node.id: node})


def with_nodes(flow: Flow, changed: Mapping[str, Node]) -> Flow:
    """As `with_node`, for several."""
    return changed_flow(flow, nodes=tuple(changed.get(node.id, node) for node in flow.nodes))


def with_edge(flow: Flow, edge: Edge) -> Flow:
    """The flow with this edge in the place of the one with the same id."""
    edges = tuple(edge if old.id == edge.id else old for old in flow.edges)
    return changed_flow(flow, edges=edges)


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """The name itself when it is free, else the same with the next number: `fetch_2`."""
    known = taken if isinstance(taken, (set, frozenset, Mapping)) else set(taken)
    if wanted not in known:
        return wanted
    stem, _, number = wanted.rpartition("_")
    if not (stem and number.isascii() and number.isdigit() and len(number) < 9):
        stem, number = wanted, "1"
    next_number = int(number) + 1
    while f"{stem}_{next_number}" in known:
        next_number += 1
    return f"{stem}_{next_number}"


def free_edge_id(taken: Iterable[str]) -> str:
    """An id for a new edge: `e1`, `e2`, ..."""
    known = taken if isinstance(taken, (set, frozenset, Mapping)) else set(taken)
    number = len(known) + 1
    while f"e{number}" in known:
        number += 1
    return f"e{number}"
