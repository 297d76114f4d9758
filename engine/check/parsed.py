"""Every template and expression of a flow, parsed, and where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.check.facts import NodeFacts
from engine.check.problem import Path
from engine.errors import LanguageError
from engine.fields import FieldText, Language, texts_in
from engine.flow.document import Edge, Flow, Node
from engine.flow.names import quoted
from engine.language.expression import parse_expression
from engine.language.reference import Reference
from engine.language.template import parse_template

_NO_NAMES: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ParsedText:
    """One text.

    Args:
        node: Whose names it sees: the node it belongs to, or the source of its edge.
        edge: The edge, for a condition on one.
        field: Where it stands.
        text: As it was written.
        is_expression: Whether it is one, else a template.
        where: What the place is called in a message.
        references: The names that it reads.
        fault: Why it cannot be read.
        takes_secrets: Whether secrets may stand in it.
        own_names: Names that its node gives it beside the usual ones.
    """

    node: Node
    edge: Edge | None
    field: Path
    text: str
    is_expression: bool
    where: str
    references: tuple[Reference, ...] = ()
    fault: LanguageError | None = None
    takes_secrets: bool = False
    own_names: frozenset[str] = _NO_NAMES


def parsed_texts(flow: Flow, facts: Mapping[str, NodeFacts]) -> Iterator[ParsedText]:
    """Every text, nodes first, each in document order."""
    for each in facts.values():
        for text in each.texts:
            yield from _field_text(each, text, _NO_NAMES)
        yield from _own_templates(each)
    nodes = flow.node_by_id
    for edge in flow.edges:
        if edge.data.condition:
            source, target = nodes[edge.source].title, nodes[edge.target].title
            where = f"The condition on the edge from {quoted(source)} to {quoted(target)}"
            yield _expression(nodes[edge.source], edge, ("condition",), edge.data.condition, where)


def _field_text(
    facts: NodeFacts, text: FieldText, own_names: frozenset[str]
) -> Iterator[ParsedText]:
    where = f"{quoted(facts.node.title)}, field '{text.title}'"
    if text.language is Language.EXPRESSION:
        # An empty field is a matter of the configuration.
        if text.text.strip() or (text.text and len(text.path) > 1):
            yield _expression(facts.node, None, text.path, text.text, where)
    elif "{{" in text.text:
        yield _template(facts.node, text, where, own_names)


def _own_templates(facts: NodeFacts) -> Iterator[ParsedText]:
    """The templates that a node fills in itself, with names from the fields beside."""
    if facts.kind is None:
        return
    beside = (value for value in facts.config.values() if isinstance(value, Mapping))
    names = frozenset(str(name) for values in beside for name in values)
    for text in texts_in(facts.kind, facts.config, (Language.OWN_TEMPLATE,)):
        yield from _field_text(facts, text, names)


def _expression(node: Node, edge: Edge | None, field: Path, text: str, where: str) -> ParsedText:
    try:
        references = parse_expression(text).references
    except LanguageError as fault:
        return ParsedText(node, edge, field, text, True, where, fault=fault)
    return ParsedText(node, edge, field, text, True, where, references)


def _template(node: Node, text: FieldText, where: str, own_names: frozenset[str]) -> ParsedText:
    secrets = text.takes_secrets
    try:
        references = parse_template(text.text).references
    except LanguageError as fault:
        return ParsedText(node, None, text.path, text.text, False, where, fault=fault)
    return ParsedText(
        node, None, text.path, text.text, False, where, references, None, secrets, own_names
    )
