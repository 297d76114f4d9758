"""`--set node.field=value`: another setting for one run; the flow file stays as it is."""

from __future__ import annotations

from collections.abc import Iterable

from engine.cli.values import json_or_text
from engine.errors import FlowCheckError, UnknownNodeTypeError, UsageError
from engine.flow.document import Flow, Node
from engine.flow.faults import nearest
from engine.registry import NodeRegistry


def with_overrides(flow: Flow, texts: Iterable[str], registry: NodeRegistry) -> Flow:
    """The flow with the settings that these texts name.

    Raises:
        UsageError: A text is not of the form, or names a node or field that there is not.
    """
    for text in texts:
        flow = _with_override(flow, text, registry)
    return flow


def _with_override(flow: Flow, text: str, registry: NodeRegistry) -> Flow:
    from engine.flow.edits.config import set_config  # Late: most runs change nothing.

    left, sign, value = text.partition("=")
    if not sign or "." not in left:
        msg = f"--set: '{text[:60]}' is not of the form node.field=value."
        raise UsageError(msg, "For example --set draft.model=pretend/echo.")
    node, field = _split(flow, left)
    way = tuple(int(part) if part.isdecimal() else part for part in field.split("."))
    _check_field(node, str(way[0]), registry)
    try:
        return set_config(flow, node.id, way, json_or_text(value))
    except FlowCheckError as fault:
        raise UsageError(f"--set {left}: {fault.message}", fault.hint) from fault


def _split(flow: Flow, left: str) -> tuple[Node, str]:
    """The node and the rest; an id may hold dots itself, so the longest one counts."""
    ids = sorted(flow.node_by_id, key=len, reverse=True)
    for name in ids:
        if left.startswith(f"{name}.") and len(left) > len(name) + 1:
            return flow.node_by_id[name], left[len(name) + 1 :]
    name = left.split(".", 1)[0]
    known = f"Its nodes are {', '.join(list(flow.node_by_id)[:12])}."
    raise UsageError(f"--set: the flow has no node '{name}'.", nearest(name, ids) or known)


def _check_field(node: Node, name: str, registry: NodeRegistry) -> None:
    try:
        kind = registry.get(node.type)
    except UnknownNodeTypeError:
        return
    fields = [info.alias or key for key, info in kind.model_fields.items()]
    known = [*fields, "save_as"]
    if name not in known:
        msg = f"--set: the node '{node.id}' ({kind.meta.title}) has no field '{name}'."
        raise UsageError(msg, nearest(name, known) or f"Its fields are {', '.join(fields)}.")
