"""What a node type writes about its fields: kinds, languages, units, and ready-made annotations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

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
