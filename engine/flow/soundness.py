"""What must hold of every flow document, whatever it is meant to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.flow.names import quoted

if TYPE_CHECKING:
    from engine.flow.document import Flow


def structure_faults(flow: Flow) -> Iterator[str]:
    """What breaks the document as such, one sentence each; nothing for a sound one.

    Ids are unique, edges end in nodes, parents exist and hold no circle, and pinned outputs
    belong to nodes. Whether the flow makes sense is the validator's business.
    """
    yield from _repeated_names(flow)
    nodes = flow.node_by_id
    for edge in flow.edges:
        for end, name in (("source", edge.source), ("target", edge.target)):
            if name not in nodes:
                yield f"edge {quoted(edge.id)}: its {end} {quoted(name)} is no node of this flow"
    yield from _parent_faults(flow)
    for name, pinned in flow.pinned.items():
        if name not in nodes:
            yield f"the pinned output of {quoted(name)} belongs to no node of this flow"
        elif "output" not in pinned:
            yield f"the pinned output of {quoted(name)} has no 'output'"


def _repeated_names(flow: Flow) -> Iterator[str]:
    for kind, names in (
        ("node", [node.id for node in flow.nodes]),
        ("edge", [edge.id for edge in flow.edges]),
        ("note", [note.id for note in flow.notes]),
        ("variable", [variable.name for variable in flow.variables]),
    ):
        if len(set(names)) == len(names):
            continue
        seen: set[str] = set()
        for name in names:
            if name in seen:
                yield f"two {kind}s are called {quoted(name)}"
            seen.add(name)


def _parent_faults(flow: Flow) -> Iterator[str]:
    nodes = flow.node_by_id
    known_good: set[str] = set()
    for node in flow.nodes:
        way: set[str] = set()
        inner, outer = node, node.parent
        while outer is not None and inner.id not in known_good:
            if outer not in nodes:
                yield f"node {quoted(inner.id)}: its parent {quoted(outer)} is no node of this flow"
                break
            way.add(inner.id)
            if outer in way:
                owner = f"node {quoted(inner.id)}"
                yield f"{owner} would lie inside itself: its parent is {quoted(outer)}"
                break
            inner, outer = nodes[outer], nodes[outer].parent
        known_good.update(way)
