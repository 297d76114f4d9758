"""Edits of the notes on the canvas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.errors import FlowCheckError
from engine.flow.document import Flow, Note
from engine.flow.edits.base import changed_flow, changed_part, own_copy
from engine.flow.names import nearest, quoted


def note_of(flow: Flow, note_id: str) -> Note:
    """The note with an id.

    Raises:
        FlowCheckError: There is none; names the nearest.
    """
    for note in flow.notes:
        if note.id == note_id:
            return note
    hint = nearest(note_id, [note.id for note in flow.notes])
    raise FlowCheckError(f"There is no note {quoted(note_id)} in this flow.", hint)


def add_note(flow: Flow, note: Note) -> Flow:
    """The flow with one more note.

    Raises:
        FlowCheckError: Its id is taken.
    """
    return changed_flow(flow, notes=(*flow.notes, own_copy(note, f"note {quoted(note.id)}")))


def change_note(flow: Flow, note_id: str, /, **fields: Any) -> Flow:
    """The flow with other values in a note: `text`, `position`, `size`, `color`, `id`."""
    changed = changed_part(note_of(flow, note_id), f"note {quoted(note_id)}", **fields)
    notes = tuple(changed if note.id == note_id else note for note in flow.notes)
    return changed_flow(flow, notes=notes)


def remove_notes(flow: Flow, note_ids: Iterable[str]) -> Flow:
    """The flow without these notes."""
    gone = {note_of(flow, note_id).id for note_id in note_ids}
    return changed_flow(flow, notes=tuple(note for note in flow.notes if note.id not in gone))
