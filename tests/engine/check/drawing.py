"""Short ways to write flows and look at their problems."""

from __future__ import annotations

from itertools import pairwise

from engine.check import check_flow
from engine.flow.document import Edge, EdgeData, Flow, Node, Variable
from engine.registry import NodeRegistry

REGISTRY = NodeRegistry()


def node(node_id, type_id="template", /, *, config=None, **fields):
    if config is None:
        config = _DEFAULTS.get(type_id, {})
    return Node(id=node_id, type=type_id, config=config, **fields)


_DEFAULTS = {
    "template": {"template": "text"},
    "condition": {"expression": "loop_count < 2"},
    "loop_condition": {"condition": "loop_count < 3"},
    "iteration": {"items": [1, 2]},
    "split": {"items": [1, 2]},
    "human_input": {"prompt": "Shall it?"},
    "router": {"routes": [{"id": "big", "condition": "loop_count > 1"}]},
}


def writes(node_id, variable="v", operation="set", **fields):
    row = {"variable": variable, "operation": operation, "value": 1}
    return node(node_id, "set_variables", config={"updates": [row]}, **fields)


def says(node_id, text, **fields):
    return node(node_id, "template", config={"template": text}, **fields)


def edge(source, target, key=None, **data):
    edge_id = data.pop("id", f"{source}-{target}" + (f"-{key}" if key else ""))
    return Edge(id=edge_id, source=source, target=target, data=EdgeData(route_key=key, **data))


def flow(*parts, **fields):
    """A flow from nodes, variables, edges, and `a > b` or `a > b : key` in texts."""
    drawn = [part for part in parts if not isinstance(part, str)]
    for text in (part for part in parts if isinstance(part, str)):
        drawn += _way(text)
    kinds = {
        name: tuple(part for part in drawn if isinstance(part, kind))
        for name, kind in (("nodes", Node), ("edges", Edge), ("variables", Variable))
    }
    return Flow(id="f", **kinds, **fields)


def _way(text):
    found = []
    for piece in text.split(","):
        way, _, key = piece.partition(":")
        names = [name.strip() for name in way.split(">")]
        found += [edge(a, b, key.strip() or None) for a, b in pairwise(names)]
    return found


def begun(*parts, **fields):
    """The same with a Start node called `s`."""
    return flow(node("s", "start", config={"input_mode": "none"}), *parts, **fields)


def problems(document, *codes, **given):
    found = check_flow(document, REGISTRY, **given)
    return [p for p in found if p.code in codes] if codes else found


def codes(document, **given):
    return [problem.code for problem in problems(document, **given)]


def only(document, code, **given):
    found = problems(document, code, **given)
    assert len(found) == 1, [(p.code, p.message) for p in problems(document, **given)]
    return found[0]
