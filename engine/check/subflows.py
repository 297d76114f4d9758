"""Flows that run other flows: one that cannot be found, one that comes back to itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from engine.check.facts import is_deeper_than
from engine.check.problem import Problem
from engine.check.view import FlowView
from engine.errors import LoopwrightError
from engine.fields import FieldKind, FieldSpec, field_specs, shown_fields
from engine.flow.document import Flow, Node
from engine.flow.json_text import MAX_DEPTH
from engine.flow.names import quoted
from engine.node_type import NodeType

_MOST_FLOWS = 2_000


class _Call(NamedTuple):
    """A field of a node that names a flow to run."""

    node: str
    field: str
    flow: str


def problems(view: FlowView) -> Iterator[Problem]:
    """What is wrong with the flows that this one runs."""
    finder = _Finder(view)
    for call in _calls(view, view.flow):
        yield from finder.problems(call)


def _calls(view: FlowView, flow: Flow) -> Iterator[_Call]:
    for node in flow.nodes:
        kind = view.kind_of(node.type)
        if kind is not None and not node.disabled:
            yield from _named_flows(node, kind)


def _named_flows(node: Node, kind: type[NodeType]) -> Iterator[_Call]:
    if is_deeper_than(node.config, MAX_DEPTH):
        return
    for path, name in _values(field_specs(kind), node.config):
        yield _Call(node.id, path, name)


def _values(
    specs: tuple[FieldSpec, ...], record: Mapping[str, Any], before: str = ""
) -> Iterator[tuple[str, str]]:
    for spec in shown_fields(specs, record):
        value = record.get(spec.name)
        if spec.kind is FieldKind.FLOW and isinstance(value, str) and value:
            yield before or spec.name, value
        for row in value if spec.fields and isinstance(value, list | tuple) else ():
            if isinstance(row, Mapping):
                yield from _values(spec.fields, row, before or spec.name)


class _Finder:
    """Follows calls from flow to flow; each flow is looked at once."""

    def __init__(self, view: FlowView) -> None:
        self._view = view
        self._by_name: dict[str, Flow | None] = {}
        self._harmless: set[str] = set()
        self._unreadable: dict[str, LoopwrightError | OSError] = {}

    def problems(self, call: _Call) -> Iterator[Problem]:
        """What is wrong with one call of the flow that is checked."""
        view, own = self._view, self._view.flow
        found = self._find(call.flow)
        if call.flow in self._unreadable:
            fault = self._unreadable[call.flow]
            yield self._told("unreadable-flow", call, f"the flow cannot be read: {fault}")
        elif found is None and view.known_flows is not None:
            said = f"there is no flow {quoted(call.flow)}."
            yield self._told("unknown-flow", call, said, "It may be in another library or folder.")
        elif found is not None:
            way = self._way_back([own, found])
            if way:
                yield self._told("calls-itself", call, _circle(way), "Break the circle.")

    def _find(self, name: str) -> Flow | None:
        if name not in self._by_name:
            self._by_name[name] = self._look_up(name)
        return self._by_name[name]

    def _look_up(self, name: str) -> Flow | None:
        own = self._view.flow
        if name == own.id or (name == own.name and self._view.known_flows is None):
            return own
        if self._view.known_flows is None:
            return None
        try:
            return self._view.known_flows(name)
        # Another flow's file is no fault of this one; it is told of where it is called.
        except (LoopwrightError, OSError) as fault:
            self._unreadable[name] = fault
            return None

    def _way_back(self, path: list[Flow]) -> list[str]:
        """Names of the flows on a circle that the last one of the path leads into, else nothing."""
        names = [_name(flow) for flow in path]
        ids = [flow.id for flow in path]
        if ids[-1] in ids[:-1]:
            return names[ids.index(ids[-1]) :]
        walk = [_calls(self._view, path[-1])]
        while walk:
            call = next(walk[-1], None)
            if call is None:
                walk.pop()
                self._harmless.add(ids.pop())
                names.pop()
                continue
            flow = self._find(call.flow)
            if flow is None or flow.id in self._harmless or len(self._by_name) > _MOST_FLOWS:
                continue
            if flow.id in ids:
                return [*names[ids.index(flow.id) :], _name(flow)]
            walk.append(_calls(self._view, flow))
            ids.append(flow.id)
            names.append(_name(flow))
        return []

    def _told(self, code: str, call: _Call, said: str, hint: str = "") -> Problem:
        return self._view.problem(
            code,
            f"{self._view.title(call.node)}: {said}",
            hint,
            node=call.node,
            field=(call.field,),
        )


def _name(flow: Flow) -> str:
    return flow.name or flow.id


def _circle(way: list[str]) -> str:
    if len(way) == 2:
        return f"the flow {quoted(way[0])} would run itself."
    shown = way if len(way) <= 8 else [*way[:4], "…", *way[-3:]]
    return f"the flow {quoted(way[0])} would run itself through others: {' → '.join(shown)}."
