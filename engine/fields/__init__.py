"""The kinds of fields that a node type may have, and what is known of each from its annotation.

A node type writes `prompt: LongText = Field(title="Prompt", description="...")`; the properties
panel, the validator, the help pages and the interpreter read the same `FieldSpec` of it.
Every text in a configuration is a template unless its field says otherwise.
"""

from __future__ import annotations

from engine.fields.kinds import (
    AnyValue,
    ChoicesBy,
    CodeText,
    Count,
    ExpressionText,
    FieldKind,
    FlowName,
    Labels,
    Language,
    LongText,
    Mark,
    ModelName,
    Name,
    PlainText,
    Row,
    Seconds,
    ShowWhen,
    Text,
    Unit,
    VariableName,
    text_of,
)
from engine.fields.specs import (
    Choice,
    FieldSpec,
    choices_of,
    field_specs,
    is_shown,
    shown_fields,
)
from engine.fields.texts import (
    FieldText,
    texts_in,
)

__all__ = [
    "AnyValue",
    "Choice",
    "ChoicesBy",
    "CodeText",
    "Count",
    "ExpressionText",
    "FieldKind",
    "FieldSpec",
    "FieldText",
    "FlowName",
    "Labels",
    "Language",
    "LongText",
    "Mark",
    "ModelName",
    "Name",
    "PlainText",
    "Row",
    "Seconds",
    "ShowWhen",
    "Text",
    "Unit",
    "VariableName",
    "choices_of",
    "field_specs",
    "is_shown",
    "shown_fields",
    "text_of",
    "texts_in",
]
