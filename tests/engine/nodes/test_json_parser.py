"""JSON is read, checked and queried; what is wrong with it is told by line and place."""

from __future__ import annotations

import json
import socket
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import NodeError
from engine.nodes.json_parser import JsonParser
from tests.engine.nodes.fake_step import FakeStep, ran

DATA = {
    "people": [{"name": "Ada", "n": 0}, {"name": "Bob", "n": None}],
    "none": [],
    "zero": 0,
    "no": False,
    "empty": "",
    "a b": {"c.d": 1},
}
PERSON = {
    "type": "object",
    "required": ["name", "age"],
    "properties": {
        "name": {"type": "string", "pattern": "^[A-Z]", "maxLength": 5},
        "age": {"type": "integer", "minimum": 0},
        "kind": {"enum": ["x", "y"]},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
    },
    "additionalProperties": False,
}


def read(config, given=None, step=None):
    return ran(JsonParser, config, step or FakeStep(given)).value


def fault(config, given=None):
    with pytest.raises(NodeError) as caught:
        read(config, given)
    return caught.value


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


@given(values, st.booleans())
def test_any_json_is_read(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)

    assert read({}, text) == value
    assert read({"repair": True}, text) == value


@pytest.mark.parametrize("value", [0, False, [], {}, None, 1.5, {"a": "{{ x }}"}, [None]])
def test_data_that_is_no_text_is_taken_as_it_is(value):
    assert read({}, value) == value
    assert read({"source": "{{ input }}"}, value) == value


def test_the_source_of_its_own_counts_more_than_the_input():
    assert read({"source": "{{ input.body }}"}, {"body": "[1]"}) == [1]
    assert read({"source": None}, "[1]") is None


def test_a_byte_order_mark_is_skipped():
    assert read({}, '\ufeff{"a": 1}') == {"a": 1}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ('{"a": 1, "a": 2}', "one record has the key 'a' twice"),
        ('[{"b": {"a": 1, "a": 1}}]', "one record has the key 'a' twice"),
        ('{"a": 1} and more', 'line 1, character 10, near `{"a": 1} and more`: the JSON is compl'),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3, character 3"),
        ('{"a" 1}', "a colon is missing here"),
        ("{'a': 1}", "a name in double quotes must stand here"),
        ("[1 2]", "a comma or a closing bracket is missing here"),
        ("[1, ]", "line 1, character"),
        ("nul", "a value is missing here, or is none that JSON knows"),
        ('"abc', "the text that begins here never ends"),
        ('"a\nb"', "a line break or tab stands inside a text"),
        ('"\\x"', "a backslash is followed by a letter that means nothing"),
        ("[" * 201 + "]" * 201, "nested more than 200 levels deep"),
        ("[" * 201 + "1" + "]" * 201, "nested more than 200 levels deep"),
        ("[" * 100_000, "nested more than 200 levels deep"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "nested more than 200 levels deep"),
        ("1" * 5000, "a number of more than 4,300 digits"),
    ],
)
def test_what_is_wrong_with_the_text_is_told(text, words):
    assert words in fault({}, text).message


def test_two_hundred_levels_are_read():
    assert read({}, "[" * 200 + "]" * 200)
    assert read({}, "[" * 200 + "1" + "]" * 200)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 1,}", {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('{"a": [1, 2', {"a": [1, 2]}),
        ('Here you are: {"a": 1}', {"a": 1}),
        ("[]", []),
        ('""', ""),
    ],
)
def test_text_that_is_nearly_json_is_repaired(text, value):
    assert read({"repair": True}, text) == value


def test_a_repair_is_noted_and_nothing_else_is():
    repaired, whole = FakeStep("{'a': 1}"), FakeStep('{"a": 1}')

    read({"repair": True}, step=repaired)
    read({"repair": True}, step=whole)

    assert repaired.logged == [("info", "The source was not quite JSON and was repaired.")]
    assert whole.logged == []


@pytest.mark.parametrize("text", ["hello", "", "[" * 5000, "x" * 300_000])
def test_what_cannot_be_repaired_is_an_error(text):
    assert "repaired" in fault({"repair": True}, text).message


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("$", DATA),
        ("$.people[0].name", "Ada"),
        ("people[0].name", "Ada"),
        ("$['people'][0]['name']", "Ada"),
        ("$.people[-1].name", "Bob"),
        ("$.people[*].name", ["Ada", "Bob"]),
        ("$.people[0:1].name", ["Ada"]),
        ("$..name", ["Ada", "Bob"]),
        ("$.people[?(@.name == 'Bob')].n", [None]),
        ("$.people[0].n", 0),
        ("$.people[1].n", None),
        ("$.people[*].n", [0, None]),
        ("$.zero", 0),
        ("$.no", False),
        ("$.empty", ""),
        ("$.none", []),
        ("$.people.`len`", 2),
        ("$['a b']['c.d']", 1),
        (" $.zero ", 0),
    ],
)
def test_a_query_gives_a_value_or_a_list_of_all(query, value):
    assert read({"jsonpath_query": query}, DATA) == value
    assert read({"jsonpath_query": query}, json.dumps(DATA)) == value


@pytest.mark.parametrize("query", ["$.nope", "$.people[7]", "$.none[*]", "$..nope", "$.zero.x"])
def test_a_query_that_finds_nothing_is_an_error(query):
    assert "finds nothing in the data" in fault({"jsonpath_query": query}, DATA).message


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("$.people[", "cannot be read at its end"),
        ("$.", "cannot be read at its end"),
        ("$.a]b", "cannot be read at character 4"),
        ("%", "cannot be read at character 1"),
        ("$.people[?(@.name =~ '(a+)+$')]", "uses patterns or arithmetic"),
        ("$.zero + 1", "uses patterns or arithmetic"),
        ("$..*..*..*..*", "searches all levels"),
        ("$" + ".a" * 1000, "longer than 1,000 characters"),
    ],
)
def test_a_faulty_query_is_told(query, words):
    assert words in fault({"jsonpath_query": query}, DATA).message


@given(st.text(max_size=20))
def test_any_text_as_query_ends_in_a_value_or_in_words(text):
    try:
        result = JsonParser(source=DATA, jsonpath_query=text)._value(DATA)
    except NodeError as error:
        result = error.message.endswith(".")

    assert result


def test_data_that_fit_the_schema_pass():
    person = {"name": "Ada", "age": 0, "kind": "x", "tags": ["a"]}

    assert read({"json_schema": PERSON}, person) == person
    assert read({"json_schema": json.dumps(PERSON)}, json.dumps(person)) == person
    assert read({"json_schema": {}}, None) is None
    assert read({"json_schema": True}, 1) == 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (5, "`$` must be a record, and is a number (5)"),
        ({"name": "Ada"}, "`$` lacks the key 'age'"),
        ({"name": "ada", "age": 1}, "`$.name` does not fit the pattern ^[A-Z]"),
        ({"name": "Adelaide", "age": 1}, "`$.name` is too long: a text of 8, at most 5 wanted"),
        ({"name": "Ada", "age": -1}, "`$.age` must be at least 0"),
        ({"name": "Ada", "age": True}, "`$.age` must be a whole number, and is a yes/no value"),
        ({"name": "Ada", "age": "3"}, '`$.age` must be a whole number, and is a text ("3")'),
        ({"name": "Ada", "age": 1, "x": 1}, "`$` has a key 'x' that is not expected"),
        ({"name": "Ada", "age": 1, "kind": "z"}, "`$.kind` must be one of x, y"),
        ({"name": "Ada", "age": 1, "tags": ["a", 1]}, "`$.tags[1]` must be a text"),
        ({"name": "Ada", "age": 1, "tags": []}, "`$.tags` is too short: a list of 0, at least 1"),
    ],
)
def test_what_does_not_fit_the_schema_is_told_by_place(data, words):
    error = fault({"json_schema": PERSON}, data)

    assert words in error.message
    assert error.kind == "schema"


def test_of_many_faults_the_first_are_told():
    error = fault({"json_schema": {"items": {"type": "string"}}}, list(range(30)))

    assert error.message.count("must be a text") == 3
    assert error.message.endswith(" And 27 more.")


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "objec"}, "The schema is faulty at `$.type`"),
        ({"$ref": "#/nope"}, "refers to something that is not in it"),
        ({"$ref": "#"}, "refers to itself without end"),
        ({"pattern": "("}, "The schema is faulty at `$.pattern`"),
        ({"pattern": "(?=a)"}, "faulty pattern"),
        ({"unevaluatedProperties": False}, "not offered here"),
        (5, "A schema is a record"),
        ("nonsense", "The schema is not JSON"),
    ],
)
def test_a_faulty_schema_is_told(schema, words):
    data = {"a": 1} if "unevaluatedProperties" in str(schema) else '"text"'

    assert words in fault({"json_schema": schema}, data).message


def test_a_schema_of_another_edition_is_read_by_its_rules():
    draft_4 = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "minimum": 1,
        "exclusiveMinimum": True,
    }

    assert read({"json_schema": draft_4}, 2) == 2
    assert "must be" in fault({"json_schema": {**draft_4, "type": "string"}}, 2).message


def test_a_schema_never_reaches_the_network():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/schema.json"

        assert "is not in it" in fault({"json_schema": {"$ref": address}}, 1).message
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "(a+)+$"},
        {"additionalProperties": False, "patternProperties": {"(a+)+$": {}}},
        {"patternProperties": {"^(a|aa)+$": {"type": "string"}}, "required": ["x"]},
    ],
)
def test_a_pattern_in_a_schema_never_takes_long(schema):
    text = "a" * 5000 + "!"
    start = time.perf_counter()

    assert (
        "do not fit"
        in fault(
            {"json_schema": schema}, json.dumps({text: 1} if "pattern" not in schema else text)
        ).message
    )
    assert time.perf_counter() - start < 1


def test_the_schema_is_checked_before_the_query():
    config = {"json_schema": PERSON, "jsonpath_query": "$.name"}

    assert read(config, {"name": "Ada", "age": 1}) == "Ada"
    assert "lacks the key" in fault(config, {"name": "Ada"}).message
