"""The kinds of fields that a node type may have, and what is known of each from its annotation.

A node type writes `prompt: LongText = Field(title="Prompt", description="...")`; the properties
panel, the validator, the help pages and the interpreter read the same `FieldSpec` of it.
Every text in a configuration is a template unless its field says otherwise.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.fields import FieldInfo

from engine.errors import LanguageError
from engine.language.budget import Evaluation
from engine.language.filters import rendered
from engine.language.scope import GivenNames


class Language(StrEnum):
    """What the texts of a field are."""

    TEMPLATE = "template"
    EXPRESSION = "expression"
    PLAIN = "plain"
    # A template with names of its own: the node fills it in itself.
    OWN_TEMPLATE = "own_template"


class FieldKind(StrEnum):
    """Which widget edits a field."""

    TEXT = "text"
    LONG_TEXT = "long_text"
    NUMBER = "number"
    WHOLE_NUMBER = "whole_number"
    YES_NO = "yes_no"
    CHOICE = "choice"
    EXPRESSION = "expression"
    CODE = "code"
    NAME = "name"
    VARIABLE = "variable"
    MODEL = "model"
    FLOW = "flow"
    FILE = "file"
    LIST = "list"
    MAP = "map"
    RECORD = "record"
    ROWS = "rows"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit shown behind a number."""

    text: str


@dataclass(frozen=True, slots=True)
class Labels:
    """What a person reads for each choice of a `Literal`; a missing one reads as it is stored."""

    by_value: tuple[tuple[Any, str], ...]

    @classmethod
    def of(cls, **labels: str) -> Labels:
        """Labels for choices whose stored values are plain names."""
        return cls(tuple(labels.items()))


class ShowWhen:
    """The field counts only while another field beside it has one of these values.

    A field that does not count is neither filled in nor checked: the node sees its default.
    """

    __slots__ = ("field", "values")

    def __init__(self, field: str, *values: Any) -> None:
        self.field = field
        self.values = values


class ChoicesBy:
    """Which of a field's choices make sense, by the value of a field beside it."""

    __slots__ = ("by_value", "field")

    def __init__(self, field: str, by_value: Mapping[Any, tuple[Any, ...]]) -> None:
        self.field = field
        self.by_value = by_value


class Mark(StrEnum):
    """Yes-or-no facts of a field."""

    ADVANCED = "advanced"
    TAKES_SECRETS = "takes_secrets"


class Row(BaseModel):
    """Base of a row in a list, or of a record inside a configuration."""

    model_config = ConfigDict(frozen=True, extra="ignore")


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


@dataclass(frozen=True, slots=True)
class FieldText:
    """One template or expression in a configuration, and where it stands."""

    path: tuple[str | int, ...]
    text: str
    language: Language
    title: str
    takes_secrets: bool = False


def text_of(value: Any) -> str:
    """A value as it reads in the middle of a text: lists and records as JSON, None as nothing.

    Raises:
        ValueError: It has no text: it is too large, or no value of a flow.
    """
    if isinstance(value, str):
        return value
    try:
        return rendered(value, Evaluation(GivenNames({}), 0))
    except LanguageError as fault:
        raise ValueError(str(fault)) from None


# What node types write. A text takes any value, as a template in the middle of a text would.
Text = Annotated[str, BeforeValidator(text_of), FieldKind.TEXT]
LongText = Annotated[str, BeforeValidator(text_of), FieldKind.LONG_TEXT]
ExpressionText = Annotated[str, FieldKind.EXPRESSION, Language.EXPRESSION]
CodeText = Annotated[str, FieldKind.CODE, Language.PLAIN]
Name = Annotated[str, FieldKind.NAME, Language.PLAIN]
VariableName = Annotated[str, Field(min_length=1), FieldKind.VARIABLE, Language.PLAIN]
ModelName = Annotated[str, Field(min_length=1), FieldKind.MODEL, Language.PLAIN]
FlowName = Annotated[str, Field(min_length=1), FieldKind.FLOW, Language.PLAIN]
PlainText = Annotated[str, FieldKind.TEXT, Language.PLAIN]
AnyValue = Annotated[Any, FieldKind.ANY]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False), Unit("s")]
Count = Annotated[int, Field(ge=1)]


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


def texts_in(node_type: type[BaseModel], config: Mapping[str, Any]) -> Iterator[FieldText]:
    """Every template and expression in a configuration, nested ones included.

    The keys of free JSON values are not templates; neither are fields that do not count, nor
    templates that the node fills in itself.
    """
    yield from _record_texts(field_specs(node_type), config, (), "")


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
        if spec.language in (Language.TEMPLATE, Language.EXPRESSION):
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
