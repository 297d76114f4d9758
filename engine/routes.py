"""The ways out of a node and the route key in force on an edge, as the node's type tells them."""

from __future__ import annotations

from engine.flow.document import Edge, ErrorPolicyName, Node
from engine.flow.inference import ERROR_KEY
from engine.node_config import preview
from engine.node_type import Handle, NodeType

_ERROR_HANDLE = Handle(ERROR_KEY, "Error")


def route_key_of(kind: type[NodeType] | None, node: Node, edge: Edge, is_back: bool) -> str | None:
    """The route key in force: the one drawn, or what the type says of unlabelled edges.

    Args:
        kind: The type of the edge's source; None when it is not installed.
        node: The edge's source.
        edge: The edge.
        is_back: Whether it closes a loop.
    """
    del node
    if edge.data.route_key is not None:
        return edge.data.route_key
    if kind is None or kind.meta.unlabelled is None:
        return None
    return kind.meta.unlabelled[0 if is_back else 1]


def error_policy_of(node: Node, flow_policy: ErrorPolicyName) -> ErrorPolicyName:
    """What follows when the node fails: its own policy, else the flow's."""
    return node.on_error.policy if node.on_error is not None else flow_policy


def ways_out(shown: NodeType, policy: ErrorPolicyName) -> tuple[Handle, ...]:
    """The handles of a node, with `error` last where its failures branch off."""
    handles = shown.handles()
    if policy == "branch" and all(handle.key != ERROR_KEY for handle in handles):
        return (*handles, _ERROR_HANDLE)
    return handles


def handles_of(
    kind: type[NodeType], node: Node, flow_policy: ErrorPolicyName = "stop"
) -> tuple[Handle, ...]:
    """The handles of a stored node, with `error` last where its failures branch off.

    Args:
        kind: The node's type.
        node: The node; where its configuration is wrong, defaults stand in.
        flow_policy: What follows a failure when the node does not say.
    """
    return ways_out(preview(kind, node.config), error_policy_of(node, flow_policy))
