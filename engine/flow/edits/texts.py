"""Renames references inside the texts of nodes and edges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.flow.document import Edge, Flow, Node
from engine.flow.edits.base import Path, Rewrite, TextPlace, changed_part
from engine.flow.names import quoted


def rewritten_node(node: Node, names: Mapping[str, str], rewrite: Rewrite | None) -> Node:
    """The node with every text of its configuration passed through `rewrite`."""
    if rewrite is None:
        return node
    config = _rewritten(node.config, (), node, names, rewrite)
    if config == node.config:
        return node
    return changed_part(node, f"node {quoted(node.id)}", config=config)


def rewritten_edge(edge: Edge, names: Mapping[str, str], rewrite: Rewrite | None) -> Edge:
    """The edge with its condition passed through `rewrite`."""
    if rewrite is None or edge.data.condition is None:
        return edge
    place = TextPlace(edge, ("data", "condition"))
    condition = rewrite(edge.data.condition, names, place)
    if condition == edge.data.condition:
        return edge
    data = changed_part(edge.data, f"edge {quoted(edge.id)}", condition=condition)
    return changed_part(edge, f"edge {quoted(edge.id)}", data=data)


def rewritten_texts(flow: Flow, names: Mapping[str, str], rewrite: Rewrite | None) -> Flow:
    """The flow with every text passed through `rewrite`."""
    if rewrite is None:
        return flow
    return flow.model_copy(
        update={
            "nodes": tuple(rewritten_node(node, names, rewrite) for node in flow.nodes),
            "edges": tuple(rewritten_edge(edge, names, rewrite) for edge in flow.edges),
        }
    )


def _rewritten(
    value: Any, path: Path, node: Node, names: Mapping[str, str], rewrite: Rewrite
) -> Any:
    if isinstance(value, str):
        return rewrite(value, names, TextPlace(node, path))
    if isinstance(value, dict):
        return {
            key: _rewritten(item, (*path, key), node, names, rewrite) for key, item in value.items()
        }
    if isinstance(value, list):
        return [
            _rewritten(item, (*path, index), node, names, rewrite)
            for index, item in enumerate(value)
        ]
    return value
