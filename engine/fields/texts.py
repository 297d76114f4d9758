"""Every template and expression in a configuration, and where it stands."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from engine.fields.kinds import Language
from engine.fields.specs import FieldSpec, field_specs, shown_fields


@dataclass(frozen=True, slots=True)
class FieldText:
    """One template or expression in a configuration, and where it stands."""

    path: tuple[str | int, ...]
    text: str
    language: Language
    title: str
    takes_secrets: bool = False


FILLED_IN = (Language.TEMPLATE, Language.EXPRESSION)
"""The languages of the texts that reach a node filled in, or that it evaluates."""


def texts_in(
    node_type: type[BaseModel],
    config: Mapping[str, Any],
    languages: Collection[Language] = FILLED_IN,
) -> Iterator[FieldText]:
    """Every text of these languages in a configuration, nested ones included.

    The keys of free JSON values are not templates; neither are fields that do not count, nor,
    unless asked for, templates that the node fills in itself.
    """
    specs = field_specs(node_type)
    for text in _record_texts(specs, config, (), ""):
        if text.language in languages:
            yield text


def _record_texts(
    specs: tuple[FieldSpec, ...], record: Mapping[str, Any], path: tuple[str | int, ...], title: str
) -> Iterator[FieldText]:
    for spec in shown_fields(specs, record):
        if spec.name in record:
            here = f"{title}, {spec.title}" if title else spec.title
            yield from _texts(spec, record[spec.name], (*path, spec.name), here)


def _texts(
    spec: FieldSpec, value: Any, path: tuple[str | int, ...], title: str
) -> Iterator[FieldText]:
    if isinstance(value, str):
        yield FieldText(path, value, spec.language, title, spec.takes_secrets)
    elif isinstance(value, Mapping):
        if spec.fields:
            yield from _record_texts(spec.fields, value, path, title)
            return
        for key, inner in value.items():
            yield from _texts(spec.item or spec, inner, (*path, key), f"{title}, {key}")
    elif isinstance(value, list | tuple):
        item = spec if spec.fields else spec.item or spec
        for index, inner in enumerate(value):
            yield from _texts(item, inner, (*path, index), f"{title} {index + 1}")
