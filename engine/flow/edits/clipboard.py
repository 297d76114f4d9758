"""Copying a part of a flow, and pasting it here or into another flow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError

from engine.errors import FlowCheckError
from engine.flow.document import Edge, Flow, Node, Note, Part, Position
from engine.flow.edits.base import (
    Rewrite,
    changed_flow,
    changed_part,
    copied,
    free_name,
    own_copy,
)
from engine.flow.edits.nodes import with_insides
from engine.flow.edits.notes import note_of
from engine.flow.edits.texts import rewritten_edge, rewritten_node
from engine.flow.faults import validation_faults
from engine.flow.file import plain_data
from engine.flow.json_text import JsonTextError, dump_json, load_json
from engine.flow.names import quoted

PART_FORMAT: Literal["loopwright.part"] = "loopwright.part"


class FlowPart(Part):
    """Nodes with the edges between them, notes, and the pinned outputs of those nodes."""

    format: Literal["loopwright.part"] = PART_FORMAT
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    notes: tuple[Note, ...] = ()
    pinned: dict[str, dict[str, Any]] = Field(default_factory=dict)


def copy_part(flow: Flow, node_ids: Iterable[str], note_ids: Iterable[str] = ()) -> FlowPart:
    """The nodes, what lies inside them, the edges among them, and the notes."""
    ids = with_insides(flow, node_ids)
    notes = {note_of(flow, note_id).id for note_id in note_ids}
    return FlowPart(
        nodes=tuple(node for node in flow.nodes if node.id in ids),
        edges=tuple(e for e in flow.edges if e.source in ids and e.target in ids),
        notes=tuple(note for note in flow.notes if note.id in notes),
        pinned={name: output for name, output in flow.pinned.items() if name in ids},
    )


def part_to_json(part: FlowPart) -> str:
    """The text for the clipboard.

    Raises:
        FlowCheckError: The part holds a value that JSON has no form for.
    """
    try:
        return dump_json(plain_data(part)) + "\n"
    except JsonTextError as fault:
        msg = f"This part cannot be copied: {fault}."
        raise FlowCheckError(msg, "Take that value out first.") from fault


def part_from_json(text: str) -> FlowPart:
    """The part that a text from the clipboard holds.

    Raises:
        FlowCheckError: It holds something else; says what.
    """
    hint = "Copy nodes in the editor first."
    try:
        data = load_json(text)
    except JsonTextError as fault:
        msg = "The clipboard does not hold a part of a flow."
        raise FlowCheckError(msg, hint, str(fault)) from fault
    if not isinstance(data, dict) or data.get("format") != PART_FORMAT:
        raise FlowCheckError("The clipboard does not hold a part of a flow.", hint)
    try:
        return FlowPart.model_validate(data)
    except ValidationError as error:
        faults = validation_faults(error, data)
        msg = f"The part on the clipboard is damaged: {faults[0]}."
        raise FlowCheckError(msg, hint, "\n".join(faults)) from error


def paste_part(
    flow: Flow,
    part: FlowPart,
    *,
    at: Position | None = None,
    offset: tuple[float, float] = (0, 0),
    parent: str | None = None,
    rewrite: Rewrite | None = None,
) -> Flow:
    """The flow with the part added, last in the document; ids that are taken get a number.

    Args:
        flow: The flow.
        part: What was copied.
        at: Where its upper left corner comes to lie; without it `offset` from where it was.
        offset: Added to every outermost position; in scene units.
        parent: The box that takes the outermost nodes. Without it they stay in the box that they
            were in, when this flow has it.
        rewrite: Renames references between the pasted nodes inside their texts.

    Raises:
        FlowCheckError: The part does not hold together.
    """
    ids = _free_ids([node.id for node in part.nodes], flow.node_by_id)
    edge_ids = _free_ids([edge.id for edge in part.edges], flow.edge_by_id)
    note_ids = _free_ids([note.id for note in part.notes], {note.id for note in flow.notes})
    renamed = {old: new for old, new in ids.items() if old != new}
    shift = offset if at is None else _shift_to(part, ids, at)
    nodes = [_pasted_node(flow, node, ids, shift, parent) for node in part.nodes]
    edges = [_pasted_edge(edge, ids, edge_ids) for edge in part.edges]
    if renamed:
        nodes = [rewritten_node(node, renamed, rewrite) for node in nodes]
        edges = [rewritten_edge(edge, renamed, rewrite) for edge in edges]
    notes = [_pasted_note(note, note_ids, shift) for note in part.notes]
    pinned = {
        ids[name]: copied(output, f"pinned output of {quoted(name)}")
        for name, output in part.pinned.items()
        if name in ids
    }
    return changed_flow(
        flow,
        nodes=(*flow.nodes, *nodes),
        edges=(*flow.edges, *edges),
        notes=(*flow.notes, *notes),
        pinned={**flow.pinned, **pinned},
    )


def duplicate(
    flow: Flow,
    node_ids: Iterable[str],
    note_ids: Iterable[str] = (),
    *,
    offset: tuple[float, float] = (40, 40),
    rewrite: Rewrite | None = None,
) -> Flow:
    """The flow with these nodes and notes a second time, beside the first."""
    part = copy_part(flow, node_ids, note_ids)
    return paste_part(flow, part, offset=offset, rewrite=rewrite)


def _free_ids(wanted: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    known, found = set(taken), dict[str, str]()
    for name in wanted:
        if name in found:
            msg = f"The part holds {quoted(name)} twice."
            raise FlowCheckError(msg, "Copy it again.")
        found[name] = free_name(name, known)
        known.add(found[name])
    return found


def _pasted_node(
    flow: Flow,
    node: Node,
    ids: Mapping[str, str],
    shift: tuple[float, float],
    parent: str | None,
) -> Node:
    owner, is_inner = f"node {quoted(node.id)}", node.parent in ids
    fields: dict[str, Any] = {"id": ids[node.id]}
    if is_inner:
        fields["parent"] = ids[str(node.parent)]
    else:
        # A node of that name holds others: it is a box, and most likely the same one.
        kept = node.parent if flow.children(node.parent) else None
        fields["parent"] = kept if parent is None else parent
        fields["position"] = _shifted(node.position, shift)
    return changed_part(own_copy(node, owner), owner, **fields)


def _pasted_edge(edge: Edge, ids: Mapping[str, str], edge_ids: Mapping[str, str]) -> Edge:
    owner = f"edge {quoted(edge.id)}"
    for end in (edge.source, edge.target):
        if end not in ids:
            msg = f"The part's {owner} leads to {quoted(end)}, which is not in it."
            raise FlowCheckError(msg, "Copy it again.")
    ends = {"source": ids[edge.source], "target": ids[edge.target]}
    return changed_part(own_copy(edge, owner), owner, id=edge_ids[edge.id], **ends)


def _pasted_note(note: Note, note_ids: Mapping[str, str], shift: tuple[float, float]) -> Note:
    owner = f"note {quoted(note.id)}"
    position = _shifted(note.position, shift)
    return changed_part(own_copy(note, owner), owner, id=note_ids[note.id], position=position)


def _shifted(position: Position, shift: tuple[float, float]) -> Position:
    return changed_part(position, "position", x=position.x + shift[0], y=position.y + shift[1])


def _shift_to(part: FlowPart, ids: Mapping[str, str], at: Position) -> tuple[float, float]:
    """From the upper left corner of the outermost nodes and notes to `at`."""
    places = [node.position for node in part.nodes if node.parent not in ids]
    places += [note.position for note in part.notes]
    if not places:
        return (0, 0)
    return (at.x - min(p.x for p in places), at.y - min(p.y for p in places))
