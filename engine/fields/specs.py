"""What is known of each field of a node type or row, read from its annotation."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from engine.fields.kinds import ChoicesBy, FieldKind, Labels, Language, Mark, ShowWhen, Unit


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a choice field and what a person reads for it."""

    value: Any
    label: str


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """Everything that is known of one field.

    Args:
        fields: The fields of a record, or of each row.
        item: What a list or a map holds, where that is known.
    """

    name: str
    title: str
    description: str
    kind: FieldKind
    language: Language = Language.TEMPLATE
    required: bool = False
    default: Any = None
    choices: tuple[Choice, ...] = ()
    choices_by: ChoicesBy | None = None
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    show_when: tuple[ShowWhen, ...] = ()
    advanced: bool = False
    takes_secrets: bool = False
    fields: tuple[FieldSpec, ...] = ()
    item: FieldSpec | None = None


@cache
def field_specs(model: type[BaseModel]) -> tuple[FieldSpec, ...]:
    """The fields of a node type or row, in the order in which they are written."""
    return tuple(_field_spec(info.alias or name, info) for name, info in model.model_fields.items())


def is_shown(spec: FieldSpec, beside: tuple[FieldSpec, ...], config: Mapping[str, Any]) -> bool:
    """Whether the field counts, given the values of the fields beside it."""
    for rule in spec.show_when:
        defaults = (other.default for other in beside if other.name == rule.field)
        if config.get(rule.field, next(defaults, None)) not in rule.values:
            return False
    return True


def shown_fields(specs: tuple[FieldSpec, ...], config: Mapping[str, Any]) -> tuple[FieldSpec, ...]:
    """The fields that count for this configuration."""
    return tuple(spec for spec in specs if is_shown(spec, specs, config))


def choices_of(spec: FieldSpec, beside: Mapping[str, Any]) -> tuple[Choice, ...]:
    """The choices that the form offers, given the values of the fields beside it."""
    rule = spec.choices_by
    if rule is None or beside.get(rule.field) not in rule.by_value:
        return spec.choices
    offered = rule.by_value[beside[rule.field]]
    return tuple(choice for choice in spec.choices if choice.value in offered)


def _field_spec(name: str, info: FieldInfo) -> FieldSpec:
    core, inner_facts = _peel(info.annotation)
    spec = _spec_of(name, core, [*info.metadata, *inner_facts])
    return replace(
        spec,
        title=info.title or name,
        description=info.description or "",
        required=info.is_required(),
        default=None if info.is_required() else info.get_default(call_default_factory=True),
    )


def _peel(annotation: Any) -> tuple[Any, list[Any]]:
    """The bare type of an annotation, and the facts that were written on it; None is left out."""
    if get_origin(annotation) is Annotated:
        core, facts = _peel(annotation.__origin__)
        return core, [*facts, *annotation.__metadata__]
    if get_origin(annotation) in (Union, types.UnionType):
        kept = [part for part in get_args(annotation) if part is not type(None)]
        return _peel(kept[0]) if len(kept) == 1 else (Any, [])
    return annotation, []


def _spec_of(name: str, core: Any, facts: list[Any]) -> FieldSpec:
    facts = [*facts, *(f for fact in facts if isinstance(fact, FieldInfo) for f in fact.metadata)]
    spec = FieldSpec(
        name=name,
        title=name,
        description="",
        kind=_one(facts, FieldKind, _kind_of(core)),
        language=_one(facts, Language, _language_of(core)),
        choices=_choices(core, facts),
        choices_by=_one(facts, ChoicesBy, None),
        unit=_one(facts, Unit, Unit("")).text,
        minimum=next((float(b) for f in facts if (b := _lowest(f)) is not None), None),
        maximum=next((float(b) for f in facts if (b := _highest(f)) is not None), None),
        show_when=tuple(fact for fact in facts if isinstance(fact, ShowWhen)),
        advanced=Mark.ADVANCED in facts,
        takes_secrets=Mark.TAKES_SECRETS in facts,
    )
    return _with_inner(spec, core)


def _with_inner(spec: FieldSpec, core: Any) -> FieldSpec:
    """The same spec with what stands inside: the fields of its rows, or its items."""
    if _is_model(core):
        return _guarded(replace(spec, fields=field_specs(core)))
    inner = get_args(core)
    if get_origin(core) not in (list, tuple, dict, Mapping) or not inner:
        return spec
    held, facts = _peel(inner[1] if len(inner) == 2 and inner[1] is not Ellipsis else inner[0])
    if _is_model(held) and get_origin(core) in (list, tuple):
        return _guarded(replace(spec, kind=FieldKind.ROWS, fields=field_specs(held)))
    if spec.language is not Language.TEMPLATE and not any(isinstance(f, Language) for f in facts):
        facts = [*facts, spec.language]
    item = replace(_spec_of(spec.name, held, facts), takes_secrets=spec.takes_secrets)
    return _guarded(replace(spec, item=item))


def _guarded(spec: FieldSpec) -> FieldSpec:
    """A field that holds expressions is no template as a whole: data must not turn into code."""
    inner = spec.fields or ((spec.item,) if spec.item else ())
    if any(part.language is Language.EXPRESSION for part in inner):
        return replace(spec, language=Language.PLAIN)
    return spec


def _is_model(core: Any) -> bool:
    return isinstance(core, type) and issubclass(core, BaseModel)


def _kind_of(core: Any) -> FieldKind:
    kinds: dict[Any, FieldKind] = {
        str: FieldKind.TEXT,
        bool: FieldKind.YES_NO,
        int: FieldKind.WHOLE_NUMBER,
        float: FieldKind.NUMBER,
        Literal: FieldKind.CHOICE,
        list: FieldKind.LIST,
        tuple: FieldKind.LIST,
        dict: FieldKind.MAP,
    }
    if _is_model(core):
        return FieldKind.RECORD
    return kinds.get(get_origin(core) or core, FieldKind.ANY)


def _language_of(core: Any) -> Language:
    return Language.PLAIN if get_origin(core) is Literal else Language.TEMPLATE


def _choices(core: Any, facts: list[Any]) -> tuple[Choice, ...]:
    labels = dict(_one(facts, Labels, Labels(())).by_value)
    values = get_args(core) if get_origin(core) is Literal else ()
    return tuple(Choice(value, labels.get(value, str(value))) for value in values)


def _lowest(fact: Any) -> Any:
    return fact.ge if isinstance(fact, Ge) else fact.gt if isinstance(fact, Gt) else None


def _highest(fact: Any) -> Any:
    return fact.le if isinstance(fact, Le) else fact.lt if isinstance(fact, Lt) else None


def _one(facts: list[Any], kind: type[Any], default: Any) -> Any:
    return next((fact for fact in reversed(facts) if isinstance(fact, kind)), default)
