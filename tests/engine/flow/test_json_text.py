from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.flow.json_text import MAX_DEPTH, JsonTextError, copy_json, dump_json, load_json
from tests.engine.flow.builders import json_values


@given(json_values)
def test_text_is_that_of_the_standard_library_and_reads_back_equal(value):
    text = dump_json(value)

    assert text == json.dumps(value, indent=2, ensure_ascii=False)
    assert load_json(text) == value


@given(st.text(alphabet=st.characters(categories=["Cs", "Ll"]), max_size=8))
def test_halves_of_surrogate_pairs_survive_in_text_that_utf8_can_carry(text):
    written = dump_json({"key": text})
    content = written.encode("utf-8")
    again = dump_json(load_json(content.decode("utf-8")))

    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    assert load_json(written) == {"key": joined}
    assert again.encode("utf-8") == content


def test_numbers_that_are_not_finite_or_very_long_survive():
    value = [10**4000, -(10**4000), math.inf, -math.inf, -0.0, 1e-320, 5e300]

    assert load_json(dump_json(value)) == value
    assert math.copysign(1, load_json("-0.0")) == -1
    assert math.isnan(load_json(dump_json([math.nan]))[0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1, "a": 2}', "the name 'a' stands twice"),
        ('{"x": [{"id": "n1", "type": 1, "type": 2}]}', "the one with id 'n1'"),
        ("[1 2]", "line 1, column 4: a comma is missing"),
        ('{\n  "a": 1,\n}', "a comma too many"),
        ('{"a" 1}', "a colon is missing"),
        ("[1] 2", "something follows"),
        ('"abc', "no closing quote"),
        ('"a\nb"', "line break"),
        ('"\\q"', "backslash"),
        ("[" * 100_000, "nested too deep"),
        ('{"a":' * 50_000 + "1" + "}" * 50_000, "nested too deep"),
        ("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2), "nested too deep"),
        ("9" * 5_000, "5,000 digits"),
    ],
    ids=range(13),
)
def test_text_that_is_no_json_is_refused_in_words(text, words):
    with pytest.raises(JsonTextError) as refusal:
        load_json(text)

    assert words in str(refusal.value)


def test_nesting_up_to_the_limit_is_read_and_written():
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH

    assert dump_json(load_json(text)).count("[") == MAX_DEPTH


def endless():
    value: list = []
    value.append({"again": value})
    return value


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"rows": [1, {"x": {1, 2}}]}, "rows[1].x: a value of kind set"),
        ({"a": {1: "one"}}, "a: the name 1 is not text"),
        ([object()], "[0]: a value of kind object"),
        (b"bytes", "a value of kind bytes"),
        (10**5000, "more than 4,300 digits"),
        (endless(), "nested too deep"),
    ],
    ids=["set", "name", "object", "bytes", "long number", "endless"],
)
@pytest.mark.parametrize("function", [dump_json, copy_json])
def test_values_without_a_json_form_are_refused_with_their_place(function, value, words):
    with pytest.raises(JsonTextError) as refusal:
        function(value)

    assert words in str(refusal.value)


@given(json_values)
def test_a_copy_is_equal_and_shares_no_list_or_object(value):
    copied = copy_json(value)

    def containers(part):
        if isinstance(part, (dict, list)):
            yield id(part)
            for item in part.values() if isinstance(part, dict) else part:
                yield from containers(item)

    assert copied == value
    assert not set(containers(copied)) & set(containers(value))
