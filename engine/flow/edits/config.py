"""Edits of a node's configuration, and of the route keys that it gives to its edges."""

from __future__ import annotations

from typing import Any

from engine.errors import FlowCheckError
from engine.flow.document import Edge, EdgeData, Flow
from engine.flow.edits.base import Path, changed_flow, changed_part, copied, node_of, with_node
from engine.flow.edits.edges import remove_edges
from engine.flow.json_text import MAX_VALUE_DEPTH
from engine.flow.names import ended, quoted


def set_config(flow: Flow, node_id: str, field: str | Path, value: Any) -> Flow:
    """The flow with another value in a node's configuration.

    Args:
        flow: The flow.
        node_id: Whose configuration.
        field: A field, or the way to a value inside one: `("routes", 0, "label")`. What is
            missing or null on the way is made; an index may be that of an item or the next one.
        value: Any JSON value; it is copied.

    Raises:
        FlowCheckError: The way leads into a text or a number, or past the end of a list.
    """
    path = _path(field)
    own = copied(value, f"node {quoted(node_id)}: {_named(path)}", len(path))
    config = _with_value(node_of(flow, node_id).config, path, 0, own, node_id)
    return _with_config(flow, node_id, config)


def remove_config(flow: Flow, node_id: str, field: str | Path) -> Flow:
    """The flow without a field of a node's configuration, or without what lies at a path in it.

    Raises:
        FlowCheckError: There is nothing at that place.
    """
    path = _path(field)
    config = _without(node_of(flow, node_id).config, path, 0, node_id)
    return _with_config(flow, node_id, config)


def replace_config(flow: Flow, node_id: str, config: dict[str, Any]) -> Flow:
    """The flow with another whole configuration of a node."""
    node = changed_part(node_of(flow, node_id), f"node {quoted(node_id)}", config=config)
    return with_node(flow, node)


def rename_route_key(
    flow: Flow, node_id: str, old: str, new: str, path: Path | None = None
) -> Flow:
    """The flow with another name for one way out of a node; its edges follow.

    Args:
        flow: The flow.
        node_id: The node that chooses.
        old: The key now.
        new: The key from now on.
        path: Where in the node's configuration the key is written; changed in the same edit.

    Raises:
        FlowCheckError: The new key is empty, or other edges of the node have it already.
    """
    node = node_of(flow, node_id)
    if old == new:
        return flow
    if not new:
        raise FlowCheckError(
            f"{quoted(node.title)}: a route key must not be empty.", "Give it a name."
        )
    if any(edge.data.route_key == new for edge in flow.edges_from[node_id]):
        msg = f"{quoted(node.title)} already has an edge with the route key {quoted(new)}."
        raise FlowCheckError(msg, "Choose another name, or the edges could not be told apart.")
    changed = flow if path is None else set_config(flow, node_id, path, new)
    return _with_route_key(changed, node_id, old, new)


def remove_route_key(
    flow: Flow,
    node_id: str,
    key: str,
    path: Path | None = None,
    *,
    drop_edges: bool = False,
) -> Flow:
    """The flow without one way out of a node; its edges lose the key, or go with it.

    Args:
        flow: The flow.
        node_id: The node that chooses.
        key: The key that goes.
        path: What goes from the node's configuration in the same edit: the rule with the key.
        drop_edges: Takes the edges away too. An edge that stays has no key, so it is taken on
            every route until it gets another.
    """
    node_of(flow, node_id)
    changed = flow if path is None else remove_config(flow, node_id, path)
    if drop_edges:
        gone = [e.id for e in flow.edges_from[node_id] if e.data.route_key == key]
        return remove_edges(changed, gone)
    return _with_route_key(changed, node_id, key, None)


def _with_route_key(flow: Flow, node_id: str, old: str, new: str | None) -> Flow:
    edges = tuple(
        _rekeyed(edge, old, new) if edge.source == node_id and edge.data.route_key == old else edge
        for edge in flow.edges
    )
    return changed_flow(flow, edges=edges)


def _rekeyed(edge: Edge, old: str, new: str | None) -> Edge:
    fields: dict[str, Any] = {"route_key": new}
    # An edge may leave by another handle than its key says; that one stays.
    if new is None or edge.data.source_handle_id == f"{old}_handle":
        fields["source_handle_id"] = None if new is None else f"{new}_handle"
    data: EdgeData = changed_part(edge.data, f"edge {quoted(edge.id)}", **fields)
    return changed_part(edge, f"edge {quoted(edge.id)}", data=data)


def _with_config(flow: Flow, node_id: str, config: dict[str, Any]) -> Flow:
    # The values are our own copies or those of the frozen document: no second copy is needed.
    node = node_of(flow, node_id).model_copy(update={"config": config})
    return with_node(flow, node)


def _path(field: str | Path) -> Path:
    path = (field,) if isinstance(field, str) else tuple(field)
    if not path or not isinstance(path[0], str):
        msg = "A place in a configuration begins with the name of a field."
        raise FlowCheckError(msg, "Give the field, then the way inside it.")
    if len(path) > MAX_VALUE_DEPTH:
        msg = f"The place {_named(path[:3])}… in a configuration is nested too deep."
        raise FlowCheckError(msg, "Give a shorter way.")
    return path


def _with_value(held: Any, path: Path, number: int, value: Any, node_id: str) -> Any:
    """`held` with the value at the rest of the path; copies only what lies on the way."""
    if number == len(path):
        return value
    step = path[number]
    if held is None:
        held = {} if isinstance(step, str) else []
    if isinstance(step, str) and isinstance(held, dict):
        inner = _with_value(held.get(step), path, number + 1, value, node_id)
        return {**held, step: inner}
    if isinstance(step, int) and isinstance(held, list) and 0 <= step <= len(held):
        before = held[step] if step < len(held) else None
        inner = _with_value(before, path, number + 1, value, node_id)
        return [*held[:step], inner, *held[step + 1 :]]
    raise _no_place(node_id, path, number, held)


def _without(held: Any, path: Path, number: int, node_id: str) -> Any:
    step, is_last = path[number], number + 1 == len(path)
    if isinstance(step, str) and isinstance(held, dict) and step in held:
        if is_last:
            return {key: item for key, item in held.items() if key != step}
        return {**held, step: _without(held[step], path, number + 1, node_id)}
    if isinstance(step, int) and isinstance(held, list) and 0 <= step < len(held):
        if is_last:
            return [*held[:step], *held[step + 1 :]]
        inner = _without(held[step], path, number + 1, node_id)
        return [*held[:step], inner, *held[step + 1 :]]
    raise _no_place(node_id, path, number, held)


def _no_place(node_id: str, path: Path, number: int, held: object) -> FlowCheckError:
    step = path[number]
    if isinstance(held, list) and isinstance(step, int):
        why = f"the list has {len(held)} item{'' if len(held) == 1 else 's'}"
    elif isinstance(held, dict):
        why = f"there is no {quoted(step)}"
    else:
        where = _named(path[:number])
        why = f"{quoted(where)} is no {'list' if isinstance(step, int) else 'object'}"
    msg = f"node {quoted(node_id)}: {_named(path)} cannot be changed: {ended(why)}"
    return FlowCheckError(msg, "Look at what the field holds now.")


def _named(path: Path) -> str:
    named = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return named.removeprefix(".")
