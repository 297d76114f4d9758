"""Small flows written in one line, for tests.

`"s>h h.go>a a>>h h.stop>x"`: a word `source>target` is an edge; `.key` behind the source is its
route key, `>>` marks it as going back, `=>` makes it static, `:pin` behind the target is its
target pin. A node is a `probe` (`s` the start) unless `nodes` says otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from engine.flow.document import Edge, EdgeData, Flow, FlowSettings, Node

_EDGE = re.compile(r"(\w+)(?:\.(\w+))?(>>|=>|>)(\w+)(?::(\w+))?")


def sketch(edges: str, **nodes: dict[str, Any]) -> Flow:
    """The flow document of a line of edges."""
    drawn = [_edge(f"e{index}", word) for index, word in enumerate(edges.split())]
    names = dict.fromkeys(name for edge in drawn for name in (edge.source, edge.target))
    assert nodes.keys() <= names.keys(), "every node has an edge"
    made = [Node(id=name, **(_plain(name) | nodes.get(name, {}))) for name in names]
    settings = FlowSettings(max_iterations=1000)
    return Flow(id="sketch", nodes=tuple(made), edges=tuple(drawn), settings=settings)


def _plain(name: str) -> dict[str, Any]:
    return {"type": "start" if name == "s" else "probe"}


def _edge(name: str, word: str) -> Edge:
    found = _EDGE.fullmatch(word)
    assert found, f"'{word}' is no edge"
    source, key, kind, target, pin = found.groups()
    edge_type = "loop_back" if kind == ">>" else "conditional" if key else "normal"
    data = EdgeData(route_key=key, edge_type=edge_type, static=kind == "=>", target_pin=pin)
    return Edge(id=name, source=source, target=target, data=data)


def chooses(*routes: str, by: str = "round") -> dict[str, Any]:
    """A node that takes these routes in turn."""
    return {"type": "choose", "config": {"by": by, "routes": list(routes)}}


def rounds(count: int) -> dict[str, Any]:
    """A loop's header that goes round so often."""
    return chooses(*["go"] * count, "stop")


def gives(*counts: int, by: str = "item") -> dict[str, Any]:
    """A node that gives so many values."""
    return {"type": "spread", "config": {"by": by, "counts": list(counts)}}


def joins(policy: str) -> dict[str, Any]:
    """A plain node with that join policy."""
    return {"join": policy}


def visits(text: str) -> Counter[str]:
    """How often each node runs: `"s h a*3"`, or `"s h (a h)*3"`."""
    counts: Counter[str] = Counter()
    for words, plain, times in re.findall(r"(?:\(([^)]*)\)|(\w+))(?:\*(\d+))?", text):
        for name in (words or plain).split():
            counts[name] += int(times or 1)
    return counts
