"""Whether a node whose output is read can have run before the one that reads it."""

from __future__ import annotations

from collections.abc import Iterator

from engine.check.parsed import ParsedText
from engine.check.problem import Problem
from engine.check.view import FlowView
from engine.language.reference import Reference


def node_read(
    view: FlowView, text: ParsedText, reference: Reference, read: str
) -> Iterator[Problem]:
    """The problem with reading the output of the node `read`, if there is one."""
    level, number = view.spot(read)
    reader = view.holder_in(text.node.id, level.parent)
    title, own = view.title(read), view.title(text.node.id)
    if reader is None:
        assert level.parent is not None
        yield _told(
            view, "node-not-visible", text, reference,
            f"{title} lies inside the box {view.title(level.parent)} and cannot be read from here",
            "Read the box: its output is the list of results.",
        )  # fmt: skip
        return
    at = level.structure.index[reader]
    if not level.is_reached(at) or level.anywhere[number] >> at & 1:
        return
    if not level.is_reached(number):
        why = f"{title} never runs"
    elif number == at:
        if reader == text.node.id and text.edge is not None:
            return
        why = f"{title} has no output yet while {'it' if reader == text.node.id else own} runs"
    elif level.ahead[at] >> number & 1:
        why = f"{title} runs only after {own}"
    elif level.can_overlap(at, number) is False:
        why = f"{title} lies on another path than {own}"
    else:
        return
    hint = 'Give a value for that case: `| default("…")`.'
    if text.is_expression:
        hint = "Read a node that comes before, or a variable."
    yield _told(view, "not-run-before", text, reference, why, hint)


def _told(
    view: FlowView, code: str, text: ParsedText, reference: Reference, why: str, hint: str
) -> Problem:
    return view.problem(
        code,
        f"{text.where}: {why}.",
        hint,
        node=text.node.id if text.edge is None else None,
        edge=text.edge.id if text.edge is not None else None,
        field=text.field,
        position=reference.position,
    )
