"""Tells whose file a JSON document is, for the message when a flow was expected."""

from __future__ import annotations

from collections.abc import Mapping

_IMPORTABLE = {"flowise": "Flowise", "autogpt": "AutoGPT", "joysafeter": "JoySafeter"}


def describe_foreign(data: object) -> tuple[str, str]:
    """What the document seems to be, and what to try.

    Args:
        data: Any JSON value that is no flow of ours.
    """
    system = _system(data)
    if system in _IMPORTABLE:
        return (
            f"it looks like a file of {_IMPORTABLE[system]}",
            f"Bring it in with: loopwright import FILE --from {system} -o NEW.flow.json",
        )
    if system:
        return f"it looks like a file of {system}", "Open a file that Loopwright has saved."
    if isinstance(data, Mapping) and data.keys() >= {"nodes", "edges"}:
        return (
            'it has nodes and edges but no "format": "loopwright.flow"',
            "A file of another system is brought in with: loopwright import FILE "
            '-o NEW.flow.json; in a file of your own, add the lines "format": "loopwright.flow" '
            'and "version": 1.',
        )
    kind = "an object" if isinstance(data, Mapping) else f"a {type(data).__name__}"
    if isinstance(data, list):
        kind = "a list"
    return (
        f'it holds {kind} without "format": "loopwright.flow"',
        "Is this the right file? The files of Loopwright end in .flow.json.",
    )


def _system(data: object) -> str:
    if isinstance(data, list):
        return "Node-RED" if _some(data, "wires") else ""
    if not isinstance(data, Mapping):
        return ""
    nodes = data.get("nodes")
    if _some(nodes, "block_id") or ("links" in data and "nodes" in data):
        return "autogpt"
    if "connections" in data and "nodes" in data:
        return "n8n"
    return _by_node_data(nodes)


def _by_node_data(nodes: object) -> str:
    """Flowise keeps `inputs` in a node's data, JoySafeter `config`."""
    for node in nodes if isinstance(nodes, list) else ():
        inner = node.get("data") if isinstance(node, Mapping) else None
        if not isinstance(inner, Mapping):
            continue
        if node.get("type") in {"agentFlow", "customNode", "iteration"} or "inputs" in inner:
            return "flowise"
        if "config" in inner:
            return "joysafeter"
    return ""


def _some(parts: object, key: str) -> bool:
    return isinstance(parts, list) and any(
        isinstance(part, Mapping) and key in part for part in parts
    )
