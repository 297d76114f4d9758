"""Answers of a model as a record: what is asked for, and what can be read of the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from engine.fields import AnyValue, Labels, Language, Name, Row, ShowWhen, Text
from engine.language.words import shown

_RESERVED = ("content", "usage")
_LONGEST_MENDED = 200_000
_FENCE = re.compile(r"\A\s*```(?:json)?\s*(.*?)\s*```\s*\Z", re.DOTALL)


class OutputField(Row):
    """One value that the model's answer must hold."""

    name: Annotated[Name, Field(min_length=1)] = Field(
        title="Name", description="The name of the value in this node's output."
    )
    type: Annotated[
        Literal["string", "number", "boolean", "enum", "list", "object"],
        Labels.of(
            string="Text",
            number="Number",
            boolean="Yes or no",
            enum="One of several options",
            list="List",
            object="Record",
        ),
    ] = Field(default="string", title="Kind", description="What sort of value it is.")
    description: Text = Field(
        default="", title="Description", description="Tells the model what to put there."
    )
    options: Annotated[tuple[Text, ...], ShowWhen("type", "enum")] = Field(
        default=(), title="Options", description="The values to choose from."
    )
    item_schema: Annotated[
        dict[str, AnyValue] | None, ShowWhen("type", "list", "object"), Language.PLAIN
    ] = Field(
        default=None,
        alias="schema",
        title="JSON Schema",
        description="For a list or a record: what must be in it.",
    )

    def json_schema(self) -> dict[str, Any]:
        """The JSON Schema of the value."""
        plain: dict[str, dict[str, Any]] = {
            "enum": {"enum": list(self.options)},
            "list": {"type": "array"},
            "object": {"type": "object"},
        }
        schema = plain.get(self.type, {"type": self.type})
        if self.item_schema and self.type in ("list", "object"):
            schema = {**schema, **self.item_schema}
        return {**schema, "description": self.description} if self.description else schema


def _with_usable_names(fields: tuple[OutputField, ...]) -> tuple[OutputField, ...]:
    names = [field.name for field in fields]
    for field in fields:
        if names.count(field.name) > 1:
            msg = f"two values are called '{field.name}'"
            raise ValueError(msg)
        if field.name in _RESERVED:
            msg = f"a value cannot be called '{field.name}': the node gives that itself"
            raise ValueError(msg)
        if field.type == "enum" and not field.options:
            msg = f"'{field.name}' has no options to choose from"
            raise ValueError(msg)
        if field.item_schema:
            _check_schema(field)
    return fields


def _check_schema(field: OutputField) -> None:
    # Heavy: only fields with a schema of their own pay for it.
    import jsonschema

    try:
        jsonschema.Draft202012Validator.check_schema(field.json_schema())
    except jsonschema.SchemaError as fault:
        msg = f"the JSON Schema of '{field.name}' is faulty: {fault.message}"
        raise ValueError(msg) from None


OutputFields = Annotated[tuple[OutputField, ...], AfterValidator(_with_usable_names)]


def answer_schema(fields: Sequence[OutputField]) -> dict[str, Any]:
    """The JSON Schema of the whole answer."""
    return {
        "type": "object",
        "properties": {field.name: field.json_schema() for field in fields},
        "required": [field.name for field in fields],
    }


def instruction(fields: Sequence[OutputField]) -> str:
    """What a model without structured answers of its own is told."""
    schema = json.dumps(answer_schema(fields), ensure_ascii=False)
    return f"Answer with one JSON object and nothing else. It must fit this JSON Schema:\n{schema}"


def read_answer(fields: Sequence[OutputField], text: str) -> tuple[dict[str, Any], str]:
    """The values in a model's answer, and what is wrong with it in words; empty when all is well.

    Small faults of the JSON (a missing bracket, a comma too many, text around it) are mended.
    """
    value = _parsed(text)
    if not isinstance(value, dict):
        return {}, f"the answer is no JSON object but {shown(text)}"
    # Heavy: only flows with structured answers pay for it.
    import jsonschema
    import referencing

    # The empty registry keeps a `$ref` from being fetched from anywhere.
    checker = jsonschema.Draft202012Validator(
        answer_schema(fields), registry=referencing.Registry()
    )
    try:
        faults = sorted(checker.iter_errors(value), key=lambda fault: list(map(str, fault.path)))
    except referencing.exceptions.Unresolvable as fault:
        return {}, f"the JSON Schema points at {fault.ref}, which is not in it"
    if faults:
        place = ".".join(str(part) for part in faults[0].path)
        return {}, f"{place}: {faults[0].message}" if place else faults[0].message
    return {field.name: value[field.name] for field in fields}, ""


def _parsed(text: str) -> Any:
    fenced = _FENCE.match(text)
    inner = fenced.group(1) if fenced else text.strip()
    try:
        return json.loads(inner)
    except (ValueError, RecursionError):
        if len(inner) > _LONGEST_MENDED:
            return None
        # Only needed for broken answers.
        from json_repair import repair_json

        try:
            return repair_json(inner, return_objects=True)
        except RecursionError:
            return None
