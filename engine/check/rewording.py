"""Mends one name in a text: `context.emial` becomes `context.email`, and nothing else changes."""

from __future__ import annotations

from functools import partial

from engine.check.parsed import ParsedText
from engine.check.problem import Fix
from engine.errors import LanguageError
from engine.flow.document import Flow
from engine.flow.edits import set_config, set_edge_data
from engine.language.expression import parse_expression
from engine.language.reference import Reference
from engine.language.template import parse_template


def renaming_fix(text: ParsedText, reference: Reference, wrong: str, right: str) -> Fix | None:
    """Writes another name in the place of one; None when that cannot be done safely."""
    names = (reference.root, *reference.path)
    if wrong not in names:
        return None
    place = names.index(wrong)
    wanted = (*names[:place], right, *names[place + 1 :])
    return _fix(text, reference, wrong, right, wanted, f"Write '{right}'")


def output_fix(text: ParsedText, reference: Reference) -> Fix | None:
    """Writes `.output` behind the name of a node."""
    root = reference.root
    wanted = (root, "output", *reference.path)
    return _fix(text, reference, root, f"{root}.output", wanted, f"Write '{root}.output'")


def _fix(
    text: ParsedText,
    reference: Reference,
    old: str,
    new: str,
    wanted: tuple[str | int | None, ...],
    title: str,
) -> Fix | None:
    at = text.text.find(old, reference.position)
    if at < 0:
        return None
    changed = text.text[:at] + new + text.text[at + len(old) :]
    if not _reads(text, changed, reference, wanted):
        return None
    return Fix(title, partial(_with_text, text, changed))


def _reads(
    text: ParsedText, changed: str, old: Reference, wanted: tuple[str | int | None, ...]
) -> bool:
    """Whether the changed text reads what is wanted there, and elsewhere what it read before."""
    try:
        parse = parse_expression if text.is_expression else parse_template
        now = parse(changed).references
    except LanguageError:
        return False
    before = [(r.root, *r.path) for r in text.references]
    before[text.references.index(old)] = wanted
    return before == [(r.root, *r.path) for r in now]


def _with_text(text: ParsedText, changed: str, flow: Flow) -> Flow:
    if text.edge is not None:
        return set_edge_data(flow, text.edge.id, condition=changed)
    return set_config(flow, text.node.id, text.field, changed)
