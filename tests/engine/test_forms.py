from __future__ import annotations

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from engine.errors import NodeError
from engine.forms import FormField, FormFields, check_form, form_defaults, form_schema

KINDS = ("text", "long_text", "number", "boolean", "choice", "date", "file")


class Holder(BaseModel):
    fields: FormFields = ()


def field(name="x", **settings):
    return FormField(name=name, **settings)


def test_defaults_are_filled_in_and_gaps_become_none():
    fields = (field("a"), field("b", default="B"), field("c", type="number", default=0))

    assert check_form(fields, {"a": ""}) == {"a": "", "b": "B", "c": 0}
    assert check_form(fields, {}) == {"a": None, "b": "B", "c": 0}
    assert form_defaults(fields) == {"b": "B", "c": 0}


def test_a_missing_required_field_is_named_by_label_and_field():
    with pytest.raises(NodeError, match=r'"Your name" \(who\) is missing'):
        check_form((field("who", label="Your name", required=True),), {})


def test_every_problem_is_told_at_once():
    fields = (field("a", required=True), field("b", type="number"))

    with pytest.raises(NodeError) as caught:
        check_form(fields, {"b": "many", "emial": 1})

    assert "emial" in caught.value.message
    assert "(a) is missing" in caught.value.message
    assert '(b) must be a number, not a text ("many")' in caught.value.message


def test_an_unknown_name_is_refused_with_the_nearest_one():
    with pytest.raises(NodeError, match="Did you mean 'email'"):
        check_form((field("email"),), {"emial": "x"})


@pytest.mark.parametrize("values", [None, [], "text", 0])
def test_a_form_that_is_no_object_is_refused(values):
    with pytest.raises(NodeError, match="must be an object"):
        check_form((field(),), values)


@pytest.mark.parametrize(
    ("kind", "value", "typed"),
    [
        ("number", 0, 0),
        ("number", "12", 12),
        ("number", "1.5", 1.5),
        ("number", 10**400, 10**400),
        ("boolean", False, False),
        ("boolean", "Yes", True),
        ("boolean", "false", False),
        ("choice", "1", "1"),
        ("choice", 1, "1"),
        ("date", "2026-02-28", "2026-02-28"),
        ("date", "2026-02-28T10:00", "2026-02-28T10:00"),
        ("text", "{{ x }} $& \\1", "{{ x }} $& \\1"),
    ],
)
def test_values_come_out_in_their_type(kind, value, typed):
    result = check_form((field(type=kind, options=("1", "2")),), {"x": value})["x"]

    assert result == typed
    assert type(result) is type(typed)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("number", "1e999"),
        ("number", "nan"),
        ("number", True),
        ("number", ""),
        ("number", [1]),
        ("boolean", 1),
        ("boolean", "maybe"),
        ("choice", "3"),
        ("date", "2026-02-30"),
        ("date", "20260228"),
        ("date", 5),
        ("text", 5),
        ("text", {"a": 1}),
        ("file", False),
    ],
)
def test_values_that_do_not_fit_are_refused(kind, value):
    with pytest.raises(NodeError, match=r"\(x\) must be"):
        check_form((field(type=kind, options=("1", "2")),), {"x": value})


def test_two_fields_of_one_name_are_refused():
    with pytest.raises(ValidationError, match="two fields of the form are called 'a'"):
        Holder(fields=({"name": "a"}, {"name": "a"}))


@given(
    st.lists(
        st.builds(
            FormField,
            name=st.sampled_from("abcdef"),
            type=st.sampled_from(KINDS),
            required=st.booleans(),
            options=st.just(("one", "two")),
        ),
        max_size=5,
        unique_by=lambda each: each.name,
    ),
    st.dictionaries(
        st.sampled_from("abcdefg"),
        st.sampled_from([None, 0, 1.5, True, "one", "2026-01-01", "12", "", [], {}]),
    ),
)
def test_what_the_check_lets_through_fits_the_schema(fields, values):
    schema = form_schema(fields)
    jsonschema.Draft202012Validator.check_schema(schema)

    try:
        checked = check_form(fields, values)
    except NodeError:
        return

    jsonschema.validate(checked, schema)
    assert check_form(fields, checked) == checked


def test_a_required_field_with_a_default_may_be_left_out():
    fields = (field(required=True, default="d"),)

    jsonschema.validate({}, form_schema(fields))
    assert check_form(fields, {}) == {"x": "d"}
