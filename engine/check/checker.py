"""Applies every rule to a flow."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.check import (
    boxes,
    configs,
    loops,
    pins,
    reachable,
    references,
    route_rules,
    settings,
    starts,
    subflows,
    texts,
    variables,
    writers,
)
from engine.check.problem import Problem
from engine.check.view import FlowView, KnownFlows
from engine.flow.document import Flow
from engine.registry import NodeRegistry

Rule = Callable[[FlowView], Iterable[Problem]]

RULES: tuple[Rule, ...] = (
    starts.problems,
    reachable.problems,
    boxes.problems,
    route_rules.problems,
    loops.problems,
    writers.problems,
    variables.problems,
    configs.problems,
    texts.problems,
    references.problems,
    pins.problems,
    subflows.problems,
    settings.problems,
)
_RANK = {"error": 0, "warning": 1, "info": 2}


def check_flow(
    flow: Flow, registry: NodeRegistry, known_flows: KnownFlows | None = None
) -> list[Problem]:
    """The problems of a flow: errors first, then warnings, each in document order.

    Args:
        flow: The flow.
        registry: The node types that there are.
        known_flows: Gives the flow that a node runs by the name it is called there; None where
            there is none. Without it only a flow that runs itself directly is found.
    """
    view = FlowView(flow, registry, known_flows)
    found = [problem for rule in RULES for problem in rule(view)]
    nodes = {node.id: number for number, node in enumerate(flow.nodes)}
    edges = {edge.id: number for number, edge in enumerate(flow.edges)}

    def place(problem: Problem) -> tuple[object, ...]:
        edge = edges.get(problem.edge or "", -1)
        node = problem.node if problem.edge is None else flow.edges[edge].source
        return (
            _RANK[problem.severity],
            -1 if node is None else nodes[node],
            edge,
            problem.code,
            tuple(map(str, problem.field)),
            -1 if problem.position is None else problem.position,
            problem.message,
        )

    return sorted(found, key=place)
