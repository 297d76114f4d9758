"""What the rules need to know of each node, found out once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.errors import UnknownNodeTypeError
from engine.fields import FieldText, texts_in
from engine.flow.document import ErrorPolicyName, JoinPolicy, Node
from engine.flow.json_text import MAX_DEPTH
from engine.node_config import ConfigProblem, config_problems, preview
from engine.node_type import Handle, NodeType
from engine.routes import error_policy_of, ways_out


@dataclass(slots=True)
class NodeFacts:
    """One node with what its type says of it.

    Args:
        node: The node.
        kind: Its type; None when it is not installed.
        missing: Why there is no type.
        policy: What follows when it fails.
        join: The join policy in force.
        config: Its configuration; empty when that is nested too deep to be looked at.
        shown: The node as far as its configuration tells; None when that cannot be known.
        handles: Its ways out; None when they cannot be known.
        texts: Its templates and expressions.
        faults: What is wrong with its configuration.
        type_fault: How the type itself failed.
        too_deep: Whether the configuration is nested too deep.
    """

    node: Node
    kind: type[NodeType] | None
    missing: UnknownNodeTypeError | None
    policy: ErrorPolicyName
    join: JoinPolicy
    config: Mapping[str, Any] = field(default_factory=dict)
    shown: NodeType | None = None
    handles: tuple[Handle, ...] | None = None
    texts: tuple[FieldText, ...] = ()
    faults: tuple[ConfigProblem, ...] = ()
    type_fault: str = ""
    too_deep: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """The route keys of its ways out."""
        return tuple(h.key for h in self.handles or () if h.key is not None)

    @property
    def is_box(self) -> bool:
        """Whether it holds other nodes; unknown types get the benefit of the doubt."""
        return self.kind is None or self.kind.meta.has_children

    @property
    def may_end_the_run(self) -> bool:
        """Whether its step may be the last of the whole run."""
        return self.kind is None or self.handles == () or "Stop" in _given(self.kind)

    @property
    def gives_several(self) -> bool:
        """Whether one step may send several values on; where it is not known, yes."""
        if self.kind is None or inspect.isasyncgenfunction(self.kind.run):
            return True
        given = _given(self.kind)
        return not given or "Outputs" in given


def facts_of(
    node: Node,
    kind: type[NodeType] | None,
    missing: UnknownNodeTypeError | None,
    flow_policy: ErrorPolicyName,
) -> NodeFacts:
    """Everything about one node."""
    facts = NodeFacts(node, kind, missing, error_policy_of(node, flow_policy), node.join)
    if is_deeper_than(node.config, MAX_DEPTH):
        facts.too_deep = True
        return facts
    facts.config = node.config
    if kind is not None:
        _ask_type(facts, kind)
    return facts


def _ask_type(facts: NodeFacts, kind: type[NodeType]) -> None:
    try:
        facts.texts = tuple(texts_in(kind, facts.config))
        facts.faults = config_problems(kind, facts.config)
        facts.shown = preview(kind, facts.config)
        facts.handles = ways_out(facts.shown, facts.policy)
        facts.join = facts.shown.join(facts.node.join)
    # A type may be a person's own file, which may fail in any way: it becomes a problem.
    except Exception as fault:  # noqa: BLE001
        facts.handles = None
        facts.type_fault = f"{type(fault).__name__}: {fault}"


def faults_of(kind: type[NodeType], config: Mapping[str, Any]) -> tuple[ConfigProblem, ...] | None:
    """What would be wrong with another configuration; None when the type itself fails on it."""
    try:
        return config_problems(kind, config)
    # As above: the caller offers nothing that the type cannot judge.
    except Exception:  # noqa: BLE001
        return None


def _given(kind: type[NodeType]) -> frozenset[str]:
    """The names of what its `run` says that it gives; empty where it does not say."""
    said = getattr(kind.run, "__annotations__", {}).get("return", "")
    text = said if isinstance(said, str) else getattr(said, "__name__", repr(said))
    return frozenset(re.findall(r"\w+", text))


def is_deeper_than(value: Any, most: int) -> bool:
    """Whether lists and objects are nested deeper than so many levels."""
    level, depth = [value], 0
    while level:
        if depth > most:
            return True
        inner: list[Any] = []
        for part in level:
            if isinstance(part, Mapping):
                inner.extend(p for p in part.values() if isinstance(p, Mapping | list | tuple))
            elif isinstance(part, list | tuple):
                inner.extend(p for p in part if isinstance(p, Mapping | list | tuple))
        level, depth = inner, depth + 1
    return False
