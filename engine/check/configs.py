"""Node types that are not there, and configurations that do not fit their type."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from engine.check.facts import NodeFacts, faults_of
from engine.check.problem import Fix, Path, Problem
from engine.check.view import FlowView
from engine.flow.document import Flow
from engine.flow.edits import remove_config
from engine.flow.names import ended
from engine.node_config import ConfigProblem

_CODES = {"missing": "missing-field", "wrong": "wrong-value", "unknown_field": "unknown-field"}


def problems(view: FlowView) -> Iterator[Problem]:
    """What is wrong with types and configurations."""
    for facts in view.facts.values():
        node, title = facts.node, view.title(facts.node.id)
        if facts.missing is not None:
            yield view.problem(
                "unknown-type",
                f"{title}: {facts.missing.message} A run stops when it comes here.",
                facts.missing.hint,
                node=node.id,
            )
        if facts.too_deep:
            yield view.problem(
                "too-deep",
                f"{title}: its configuration is nested too deep to be looked at.",
                "Keep large data in a file or a variable.",
                node=node.id,
            )
        if facts.type_fault:
            yield view.problem(
                "type-failed",
                f"{title}: the node type '{node.type}' cannot read this configuration: "
                f"{facts.type_fault[:200]}",
                "This is a fault of the node type.",
                node=node.id,
            )
        yield from _faults(view, facts)


def _faults(view: FlowView, facts: NodeFacts) -> Iterator[Problem]:
    if not facts.faults:
        return
    filled = view.filled_fields(facts.node.id)
    laid_over = filled & frozenset(facts.kind.model_fields if facts.kind else ())
    for fault in facts.faults:
        field = str(fault.path[0]) if fault.path else ""
        # What edges fill in is only known when the flow runs.
        if field in laid_over or (not field and laid_over):
            continue
        code = _CODES.get(fault.kind, "wrong-value")
        yield view.problem(
            code,
            ended(f"{view.title(facts.node.id)}: {fault}"),
            "" if code == "unknown-field" else "Look at the settings of this node.",
            node=facts.node.id,
            field=fault.path,
            fix=_fix(facts, fault),
        )


def _fix(facts: NodeFacts, fault: ConfigProblem) -> Fix | None:
    """Takes the value out, where that mends the fault and breaks nothing else."""
    if fault.kind == "missing" or not fault.path or facts.kind is None:
        return None
    if fault.kind != "unknown_field" and len(fault.path) > 1:
        return None
    rest = {name: value for name, value in facts.config.items() if name != fault.path[0]}
    after = faults_of(facts.kind, rest)
    if after is None or set(after) - set(facts.faults):
        return None
    title = fault.title.split(",")[0] if fault.title else str(fault.path[0])
    words = "Remove it" if fault.kind == "unknown_field" else f"Use the default for '{title}'"
    return Fix(words, partial(_without, facts.node.id, (str(fault.path[0]),)))


def _without(node_id: str, path: Path, flow: Flow) -> Flow:
    return remove_config(flow, node_id, path)
