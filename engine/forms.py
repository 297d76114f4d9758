"""Forms that a person fills in: fields, their JSON Schema, and the check of what came back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from engine.errors import NodeError
from engine.fields import AnyValue, Labels, Name, Row, ShowWhen, Text, text_of
from engine.language.words import kind_of, nearest, shown

FormFieldType = Annotated[
    Literal["text", "long_text", "number", "boolean", "choice", "date", "file"],
    Labels.of(
        text="One line of text",
        long_text="Several lines of text",
        number="Number",
        boolean="Yes or no",
        choice="One of several options",
        date="Date",
        file="File",
    ),
]


class FormField(Row):
    """One question of a form."""

    name: Annotated[Name, Field(min_length=1)] = Field(
        title="Name", description="The name under which the flow finds the answer: `form.name`."
    )
    label: Text = Field(default="", title="Label", description="What the person reads.")
    type: FormFieldType = Field(
        default="text", title="Kind", description="What sort of answer is wanted."
    )
    options: Annotated[tuple[Text, ...], ShowWhen("type", "choice")] = Field(
        default=(), title="Options", description="The answers to choose from."
    )
    required: bool = Field(
        default=False, title="Required", description="The form is not accepted without an answer."
    )
    default: AnyValue = Field(
        default=None, title="Default", description="The answer when none is given."
    )

    @property
    def title(self) -> str:
        """What the person reads: the label, else the name."""
        return self.label or self.name


def _with_unique_names(fields: tuple[FormField, ...]) -> tuple[FormField, ...]:
    names = [field.name for field in fields]
    for name in names:
        if names.count(name) > 1:
            msg = f"two fields of the form are called '{name}'"
            raise ValueError(msg)
    return fields


FormFields = Annotated[tuple[FormField, ...], AfterValidator(_with_unique_names)]


def form_schema(fields: Sequence[FormField]) -> dict[str, Any]:
    """The JSON Schema of a filled-in form."""
    return {
        "type": "object",
        "properties": {field.name: _property(field) for field in fields},
        "required": [f.name for f in fields if f.required and f.default is None],
        "additionalProperties": False,
    }


def form_defaults(fields: Sequence[FormField]) -> dict[str, Any]:
    """What an untouched form holds: the fields that have a default."""
    return {field.name: field.default for field in fields if field.default is not None}


def check_form(fields: Sequence[FormField], values: Any) -> dict[str, Any]:
    """A filled-in form with every value in its type, defaults filled in and gaps as None.

    Text becomes a number, a yes or no, or an option where nothing is lost by it. An empty text
    is an answer.

    Raises:
        NodeError: It names every field that is missing, wrong or not part of the form.
    """
    if not isinstance(values, Mapping):
        raise NodeError(
            f"The form must be an object of names and values, not {kind_of(values)}.",
            _hint(fields),
        )
    problems = [_unknown_name(name, fields) for name in values if name not in _names(fields)]
    checked: dict[str, Any] = {}
    for field in fields:
        value = values.get(field.name)
        value = field.default if value is None else value
        try:
            checked[field.name] = _typed(field, value)
        except ValueError as fault:
            problems.append(f'The form field "{field.title}" ({field.name}) {fault}.')
    if problems:
        raise NodeError(" ".join(problems), _hint(fields))
    return checked


def _names(fields: Sequence[FormField]) -> list[str]:
    return [field.name for field in fields]


def _hint(fields: Sequence[FormField]) -> str:
    return f"The form has the fields {', '.join(_names(fields))}." if fields else ""


def _unknown_name(name: Any, fields: Sequence[FormField]) -> str:
    near = nearest(str(name), _names(fields))
    hint = f" Did you mean '{near}'?" if near else ""
    return f"The form has no field '{name}'.{hint}"


def _property(field: FormField) -> dict[str, Any]:
    kinds: dict[str, dict[str, Any]] = {
        "number": {"type": "number"},
        "boolean": {"type": "boolean"},
        "choice": {"enum": list(field.options)},
        "date": {"type": "string", "format": "date", "pattern": r"^\d{4}-\d{2}-\d{2}"},
    }
    schema = kinds.get(field.type, {"type": "string"})
    if not field.required or field.default is not None:
        schema = {"anyOf": [schema, {"type": "null"}]}
    schema = {**schema, "title": field.title}
    return schema if field.default is None else {**schema, "default": field.default}


def _typed(field: FormField, value: Any) -> Any:
    if value is None:
        if field.required:
            raise ValueError("is missing")
        return None
    match field.type:
        case "number":
            return _number(value)
        case "boolean":
            return _yes_or_no(value)
        case "choice":
            return _option(field, value)
        case "date":
            return _date(value)
        case _:
            if not isinstance(value, str):
                msg = f"must be a text, not {kind_of(value)}"
                raise ValueError(msg)
            return value


def _number(value: Any) -> int | float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        for kind in (int, float):
            try:
                number = kind(value)
            except ValueError:
                continue
            if math.isfinite(number):
                return number
    msg = f"must be a number, not {shown(value)}"
    raise ValueError(msg)


def _yes_or_no(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    if word in ("true", "yes"):
        return True
    if word in ("false", "no"):
        return False
    msg = f"must be true or false, not {shown(value)}"
    raise ValueError(msg)


def _option(field: FormField, value: Any) -> str:
    text: str = text_of(value)
    if text in field.options:
        return text
    msg = f"must be one of {', '.join(field.options)}, not {shown(value)}"
    raise ValueError(msg)


def _date(value: Any) -> str:
    if isinstance(value, str):
        for kind in (date, datetime):
            try:
                kind.fromisoformat(value)
            except ValueError:
                continue
            # 3.11 also reads 20260102 and 2026-W01-1; the schema does not.
            if value[4:5] == "-" and value[7:8] == "-":
                return value
    msg = f"must be a date such as 2026-01-31, not {shown(value)}"
    raise ValueError(msg)
