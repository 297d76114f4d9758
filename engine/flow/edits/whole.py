"""Edits of the flow as a whole: its name, settings, view, variables and pinned outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.errors import FlowCheckError
from engine.flow.document import Flow, Variable, Viewport
from engine.flow.edits.base import (
    Rewrite,
    changed_flow,
    changed_part,
    copied,
    node_of,
    own_copy,
    variable_of,
)
from engine.flow.edits.texts import rewritten_texts
from engine.flow.names import quoted


def set_name(flow: Flow, name: str) -> Flow:
    """The flow under another name."""
    return _with_text(flow, name=name)


def set_description(flow: Flow, description: str) -> Flow:
    """The flow with another description."""
    return _with_text(flow, description=description)


def _with_text(flow: Flow, **texts: object) -> Flow:
    for field, text in texts.items():
        if not isinstance(text, str):
            msg = f"flow {quoted(flow.id)}: {field} must be text."
            raise FlowCheckError(msg)
    return changed_flow(flow, **texts)


def set_settings(flow: Flow, /, **fields: Any) -> Flow:
    """The flow with other limits and defaults: `max_steps`, `on_error`, ..."""
    return changed_flow(flow, settings=changed_part(flow.settings, "settings", **fields))


def set_viewport(flow: Flow, viewport: Viewport) -> Flow:
    """The flow looked at elsewhere."""
    return changed_flow(flow, viewport=own_copy(viewport, "viewport"))


def add_variable(flow: Flow, variable: Variable) -> Flow:
    """The flow with one more variable, last in the list.

    Raises:
        FlowCheckError: Its name is taken.
    """
    added = own_copy(variable, f"variable {quoted(variable.name)}")
    return changed_flow(flow, variables=(*flow.variables, added))


def change_variable(flow: Flow, name: str, /, **fields: Any) -> Flow:
    """The flow with other values in a variable: `type`, `default`, `reducer`, `description`.

    Raises:
        FlowCheckError: A value that the field does not take; the name is changed by
            `rename_variable`.
    """
    variable = variable_of(flow, name)
    if fields.get("name", name) != name:
        msg = f"variable {quoted(name)}: the name is not set like other fields."
        raise FlowCheckError(msg, "Rename the variable instead.")
    return _with_variable(flow, name, changed_part(variable, f"variable {quoted(name)}", **fields))


def rename_variable(flow: Flow, old: str, new: str, rewrite: Rewrite | None = None) -> Flow:
    """The flow with another name for a variable; nodes that save to it follow.

    Args:
        flow: The flow.
        old: The name now.
        new: The name from now on.
        rewrite: Renames references in texts; without it texts stay as they are.
    """
    variable = variable_of(flow, old)
    if old == new:
        return flow
    renamed = changed_part(variable, f"variable {quoted(old)}", name=new)
    changed = _with_variable(flow, old, renamed)
    nodes = tuple(
        changed_part(node, f"node {quoted(node.id)}", save_as=new) if node.save_as == old else node
        for node in changed.nodes
    )
    return rewritten_texts(changed_flow(changed, nodes=nodes), {old: new}, rewrite)


def remove_variable(flow: Flow, name: str) -> Flow:
    """The flow without a variable; what reads or writes it stays, and the validator tells."""
    gone = variable_of(flow, name)
    return changed_flow(flow, variables=tuple(v for v in flow.variables if v is not gone))


def reorder_variables(flow: Flow, names: Sequence[str]) -> Flow:
    """The flow with its variables in another order.

    Args:
        flow: The flow.
        names: Every variable, in the new order.
    """
    variables = tuple(variable_of(flow, name) for name in names)
    if len(set(names)) != len(names) or len(names) != len(flow.variables):
        msg = f"The new order must name each of the {len(flow.variables)} variables once."
        raise FlowCheckError(msg, "Nothing was changed.")
    return changed_flow(flow, variables=variables)


def pin_output(flow: Flow, node_id: str, output: Any, route: str | None = None) -> Flow:
    """The flow with a pinned output: the node is not run, and this is used.

    Args:
        flow: The flow.
        node_id: The node.
        output: Any JSON value; it is copied.
        route: The route key that goes with it, for a node that chooses.
    """
    pinned = {"output": copied(output, f"pinned output of {quoted(node_of(flow, node_id).id)}")}
    if route is not None:
        pinned["route"] = route
    return changed_flow(flow, pinned={**flow.pinned, node_id: pinned})


def unpin_output(flow: Flow, node_id: str) -> Flow:
    """The flow with the node running again; nothing changes when no output was pinned."""
    node_of(flow, node_id)
    return changed_flow(flow, pinned={n: out for n, out in flow.pinned.items() if n != node_id})


def _with_variable(flow: Flow, name: str, variable: Variable) -> Flow:
    variables = tuple(variable if old.name == name else old for old in flow.variables)
    return changed_flow(flow, variables=variables)
