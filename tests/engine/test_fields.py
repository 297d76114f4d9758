from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from engine.fields import (
    AnyValue,
    CodeText,
    Count,
    ExpressionText,
    FieldKind,
    Labels,
    Language,
    LongText,
    Mark,
    Row,
    Seconds,
    ShowWhen,
    Text,
    VariableName,
    choices_of,
    field_specs,
    shown_fields,
    text_of,
    texts_in,
)


class Line(Row):
    left: Text = Field(title="Left")
    when: ExpressionText = Field(default="", title="When")
    only_for_y: Annotated[Text, ShowWhen("left", "y")] = Field(default="", title="Only y")


class Plain(Row):
    name: VariableName = Field(title="Name")
    value: AnyValue = Field(default=None, title="Value")
    schema_: dict[str, Any] = Field(default_factory=dict, alias="schema", title="Schema")


class Everything(BaseModel):
    prompt: LongText = Field(title="Prompt", description="What to ask.")
    count: Count | None = Field(default=None, title="Count")
    pause: Seconds = Field(default=1.0, title="Pause")
    code: CodeText = Field(default="", title="Code")
    lines: tuple[Line, ...] = Field(default=(), title="Lines")
    plain: tuple[Plain, ...] = Field(default=(), title="Plain")
    names: tuple[VariableName, ...] = Field(default=(), title="Names")
    given: dict[str, ExpressionText] = Field(default_factory=dict, title="Given")
    anything: AnyValue = Field(default=None, title="Anything")
    mode: Annotated[Literal["a", "b"], Labels.of(a="The first")] = Field(default="a", title="Mode")
    only_b: Annotated[AnyValue, ShowWhen("mode", "b")] = Field(default=None, title="Only b")
    secret: Annotated[Text, Mark.TAKES_SECRETS, Mark.ADVANCED] = Field(default="", title="Secret")
    own: Annotated[LongText, Language.OWN_TEMPLATE] = Field(default="", title="Own")


def spec(name):
    return next(each for each in field_specs(Everything) if each.name == name)


def found(config):
    return {text.path: (text.language.value, text.title) for text in texts_in(Everything, config)}


def test_a_spec_knows_title_description_and_whether_it_is_required():
    prompt = spec("prompt")

    assert (prompt.title, prompt.description, prompt.required) == ("Prompt", "What to ask.", True)
    assert prompt.kind is FieldKind.LONG_TEXT


def test_an_optional_field_keeps_the_facts_of_its_type():
    assert (spec("count").kind, spec("count").minimum) == (FieldKind.WHOLE_NUMBER, 1)
    assert (spec("pause").unit, spec("pause").minimum) == ("s", 0)
    assert spec("secret").takes_secrets
    assert spec("secret").advanced


def test_choices_come_with_what_a_person_reads():
    assert [(c.value, c.label) for c in spec("mode").choices] == [("a", "The first"), ("b", "b")]
    assert choices_of(spec("mode"), {}) == spec("mode").choices


def test_rows_have_the_fields_of_one_row_under_their_stored_names():
    assert spec("plain").kind is FieldKind.ROWS
    assert [each.name for each in spec("plain").fields] == ["name", "value", "schema"]


def test_every_text_is_a_template_unless_its_field_says_otherwise():
    config = {
        "prompt": "p",
        "count": "{{ n }}",
        "code": "x = 1",
        "names": ["a"],
        "mode": "a",
        "own": "{{ mine }}",
    }

    assert found(config) == {
        ("prompt",): ("template", "Prompt"),
        ("count",): ("template", "Count"),
    }


def test_texts_are_found_in_rows_and_in_free_values_but_not_in_their_keys():
    config = {
        "lines": [{"left": "l", "when": "a > 1"}],
        "plain": [{"name": "n", "value": {"{{ key }}": ["deep", {"er": "x"}], "n": 0}}],
        "anything": ["one", None, {"k": "two"}],
    }

    assert found(config) == {
        ("lines", 0, "left"): ("template", "Lines 1, Left"),
        ("lines", 0, "when"): ("expression", "Lines 1, When"),
        ("plain", 0, "value", "{{ key }}", 0): ("template", "Plain 1, Value, {{ key }} 1"),
        ("plain", 0, "value", "{{ key }}", 1, "er"): (
            "template",
            "Plain 1, Value, {{ key }} 2, er",
        ),
        ("anything", 0): ("template", "Anything 1"),
        ("anything", 2, "k"): ("template", "Anything 3, k"),
    }


def test_a_map_of_expressions_gives_expressions():
    assert found({"given": {"x": "context.y"}}) == {("given", "x"): ("expression", "Given, x")}


def test_a_field_that_holds_expressions_is_no_template_as_a_whole():
    assert found({"lines": "{{ context.rules }}", "given": "{{ context.map }}"}) == {}


def test_fields_that_do_not_count_are_left_alone():
    assert found({"only_b": "{{ x }}"}) == {}
    assert found({"only_b": "{{ x }}", "mode": "b"}) == {("only_b",): ("template", "Only b")}
    assert ("lines", 0, "only_for_y") not in found({"lines": [{"left": "x", "only_for_y": "t"}]})
    assert ("lines", 0, "only_for_y") in found({"lines": [{"left": "y", "only_for_y": "t"}]})
    shown = [each.name for each in shown_fields(field_specs(Everything), {})]
    assert "only_b" not in shown


def test_unknown_keys_and_wrong_shapes_give_no_texts_and_no_failure():
    assert found({"unknown": "{{ x }}", "lines": 3, "plain": [1, "x", None]}) == {
        ("plain", 1): ("template", "Plain 2")
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as {{ it }} is", "as {{ it }} is"),
        (0, "0"),
        (False, "false"),
        (None, ""),
        ([], "[]"),
        ({"a": "ä"}, '{"a": "ä"}'),
    ],
)
def test_a_text_field_takes_any_value_as_a_template_would_write_it(value, text):
    assert text_of(value) == text
    assert Everything(prompt=value).prompt == text


def test_a_value_without_text_is_refused_in_words():
    with pytest.raises(ValidationError, match="digits"):
        Everything(prompt=10**5000)


def test_specs_can_be_told_as_json():
    told = json.dumps([[each.name, each.kind, each.language] for each in field_specs(Everything)])

    assert '["prompt", "long_text", "template"]' in told
