"""Answers given beforehand, so that a run needs nobody at the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.cli.values import read_value
from engine.errors import RunError, UnknownNodeTypeError, UsageError
from engine.flow.document import Flow
from engine.flow.faults import nearest
from engine.node_type import NodeType, Request
from engine.registry import NodeRegistry
from engine.run.condition import Condition, Firing

_EXAMPLE = """For example --answers '{"check": {"type": "proceed"}}', or --answers @answers.json."""
ANSWER_EXAMPLE = """For example --answer '{"type": "proceed"}'."""


class Answers:
    """Answers by node: one for every visit, or a list with one per visit.

    A step that asks several things at once takes a list inside that list.
    """

    def __init__(self, by_node: Mapping[str, Any]) -> None:
        self._by_node = by_node
        self._taken: dict[tuple[int, str], int] = {}
        self._seen: set[str] = set()

    def for_request(self, node: str, firing: Firing, request: Request) -> Any:
        """The answer to a request; None when none was given, or it was tried already."""
        if node not in self._by_node or request.id in self._seen:
            return None
        given = self._by_node[node]
        if isinstance(given, Sequence) and not isinstance(given, str):
            if firing.visit > len(given):
                return None
            given = given[firing.visit - 1]
        if isinstance(given, Sequence) and not isinstance(given, str):
            place = self._taken.get((firing.id, node), 0)
            if place >= len(given):
                return None
            self._taken[firing.id, node] = place + 1
            given = given[place]
        self._seen.add(request.id)
        return given


def read_answers(text: str | None, flow: Flow, registry: NodeRegistry) -> Answers:
    """The answers of `--answers`.

    Raises:
        UsageError: No object, or it names a node that there is not or that asks nobody.
    """
    if text is None:
        return Answers({})
    given = read_value(text, "--answers", _EXAMPLE)
    return checked_answers(given, flow, registry, "--answers")


def checked_answers(given: Any, flow: Flow, registry: NodeRegistry, where: str) -> Answers:
    """Answers by node, if every node can ask.

    Raises:
        UsageError: As `read_answers`.
    """
    if not isinstance(given, Mapping):
        raise UsageError(f"{where} must be an object of nodes and answers.", _EXAMPLE)
    asking = [node.id for node in flow.nodes if _can_ask(node.type, registry)]
    for name in given:
        if name not in flow.node_by_id:
            hint = nearest(name, list(flow.node_by_id)) or _listed(asking)
            raise UsageError(f"{where}: the flow has no node '{name}'.", hint)
        if name not in asking:
            title = flow.node_by_id[name].title
            msg = f"{where}: the node '{name}' ({title}) never asks anybody."
            raise UsageError(msg, _listed(asking))
    return Answers(given)


def _listed(asking: list[str]) -> str:
    return f"The nodes that ask are {', '.join(asking)}." if asking else "No node of it asks."


def _can_ask(type_id: str, registry: NodeRegistry) -> bool:
    try:
        kind = registry.get(type_id)
    except UnknownNodeTypeError:
        return True
    return kind.resume is not NodeType.resume or kind.meta.outside_effects


def next_answer(condition: Condition, answers: Answers) -> tuple[str, str, Any] | None:
    """Request, node and answer of the first waiting request that an answer was given for."""
    for key, (firing, request) in condition.open_requests().items():
        node = condition.node_id(firing)
        answer = answers.for_request(node, firing, request)
        if answer is not None:
            return key, node, answer
    return None


def misfit(node: str, fault: RunError) -> dict[str, Any]:
    """The warning that an answer given beforehand did not fit."""
    text = f"The answer given for '{node}' was not taken: {fault.message} {fault.hint}".strip()
    return {"message": text, "node": node, "edges": []}
