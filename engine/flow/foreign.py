"""Tells whose file a JSON document is, for the message when a flow was expected."""

from __future__ import annotations

from collections.abc import Mapping

_OWN_FILES = "Flow files of Loopwright end in .flow.json."
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
            f"This version cannot open files of {_IMPORTABLE[system]} yet. {_OWN_FILES}",
        )
    if system:
        return (
            f"it looks like a file of {system}",
            f"This version cannot open such files. {_OWN_FILES}",
        )
    if isinstance(data, Mapping) and data.keys() >= {"nodes", "edges"}:
        return (
            'it has nodes and edges but no "format": "loopwright.flow"',
            "This version cannot open files of other systems yet; in a file of your own, add the "
            'lines "format": "loopwright.flow" and "version": 1.',
        )
    return (
        f'it holds {_kind(data)} without "format": "loopwright.flow"',
        "Is this the right file? The files of Loopwright end in .flow.json.",
    )


def _kind(data: object) -> str:
    kinds: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (type(None), "nothing (null)"),
        (bool, "true or false"),
        (int, "a whole number"),
        (float, "a number"),
        (str, "a text"),
        (list, "a list"),
        (Mapping, "an object"),
    )
    return next((words for kind, words in kinds if isinstance(data, kind)), "something")


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
