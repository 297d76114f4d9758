"""Which flow variables a node writes, read from the kinds of its fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.check.facts import NodeFacts
from engine.fields import FieldKind, FieldSpec, field_specs, shown_fields
from engine.flow.document import Variable

_OPERATION = "operation"
_SET = "set"


@dataclass(frozen=True, slots=True)
class Write:
    """One place where a node writes a variable; `replaces` when the old value is lost."""

    node: str
    variable: str
    replaces: bool


def writes_of(facts: NodeFacts, declared: Mapping[str, Variable]) -> Iterator[Write]:
    """Every write of a node.

    A field that names one variable is where a result is saved; in a row it is what the row
    changes. A list of variables is read.
    """
    node = facts.node
    if node.save_as:
        yield Write(node.id, node.save_as, _replaces(node.save_as, None, declared))
    if facts.kind is None:
        return
    for name, operation in _named(field_specs(facts.kind), facts.config):
        # A node that is switched off only saves what it passes on.
        if operation is None or not node.disabled:
            yield Write(node.id, name, _replaces(name, operation, declared))


def _replaces(name: str, operation: str | None, declared: Mapping[str, Variable]) -> bool:
    if operation is not None:
        return operation == _SET
    return name not in declared or declared[name].reducer == "replace"


def _named(
    specs: tuple[FieldSpec, ...], record: Mapping[str, Any]
) -> Iterator[tuple[str, str | None]]:
    """Name and operation of every variable that a record writes; no operation: the reducer's."""
    for spec in shown_fields(specs, record):
        value = record.get(spec.name)
        if spec.kind is FieldKind.VARIABLE:
            if isinstance(value, str) and value:
                yield value, _operation_beside(specs, record)
        elif spec.fields:
            for row in value if isinstance(value, list | tuple) else (value,):
                if isinstance(row, Mapping):
                    yield from _named(spec.fields, row)


def _operation_beside(specs: tuple[FieldSpec, ...], record: Mapping[str, Any]) -> str | None:
    for spec in specs:
        if spec.name == _OPERATION:
            value = record.get(_OPERATION, spec.default)
            return value if isinstance(value, str) else _SET
    return None


def variables_read(facts: NodeFacts) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Path and name of every variable that a node's fields list to be read."""
    if facts.kind is None:
        return
    for spec in shown_fields(field_specs(facts.kind), facts.config):
        listed = facts.config.get(spec.name)
        if spec.item and spec.item.kind is FieldKind.VARIABLE and isinstance(listed, list | tuple):
            for number, name in enumerate(listed):
                if isinstance(name, str) and name:
                    yield (spec.name, number), name
