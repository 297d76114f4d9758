"""Every operation that is offered works, changes nothing in place, and says what is wrong."""

from __future__ import annotations

import copy
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import NodeError
from engine.fields import field_specs, shown_fields
from engine.node_type import Route
from engine.nodes.list_and_dict import ListAndDict
from engine.operations.convert import convert
from engine.operations.identity import identity
from tests.engine.nodes.fake_step import FakeStep, ran

SPECS = field_specs(ListAndDict)
OFFERED = [choice.value for choice in next(s for s in SPECS if s.name == "operation").choices]
KINDS = [choice.value for choice in next(s for s in SPECS if s.name == "to").choices]
NAN = float("nan")

CASES = [
    ("make_list", {"items": [0, "{{ input }}", None]}, {"n": 1}, [0, {"n": 1}, None]),
    ("make_list", {}, None, []),
    ("make_record", {"entries": {"a": "{{ input }}", "b": ""}}, 0, {"a": 0, "b": ""}),
    ("make_record", {}, None, {}),
    ("get", {"key": "a"}, {"a": False}, False),
    ("get", {"key": 0}, [None, 1], None),
    ("get", {"key": -1}, [1, 2], 2),
    ("get", {"key": "1"}, [1, 2], 2),
    ("get", {"key": "b", "default": 0}, {"a": 1}, 0),
    ("get", {"key": 9, "default": None}, [1], None),
    ("get", {"key": "a", "value": '{"a": [1]}'}, None, [1]),
    ("add", {"item": 0}, [1], [1, 0]),
    ("add", {"item": None}, [], [None]),
    ("add", {"item": [2]}, [1], [1, [2]]),
    ("add", {"item": 0, "position": 0}, [1], [0, 1]),
    ("add", {"item": 0, "position": -1}, [1, 2], [1, 0, 2]),
    ("add", {"item": 0, "key": "k"}, {"a": 1}, {"a": 1, "k": 0}),
    ("remove", {"key": 0}, [1, 2], [2]),
    ("remove", {"key": "a"}, {"a": 1, "b": 2}, {"b": 2}),
    ("remove", {"item": 1}, [1, True, 1.0, 2], [True, 2]),
    ("remove", {"item": None}, [None, 0, ""], [0, ""]),
    ("remove", {"item": 3}, [1], [1]),
    ("remove", {"item": 1}, {"a": 1, "b": 2}, {"b": 2}),
    ("replace", {"key": 0, "item": None}, [1, 2], [None, 2]),
    ("replace", {"key": "a", "item": 0}, {"a": 1}, {"a": 0}),
    ("replace", {"find": 1, "item": 9}, [1, 2, 1], [9, 2, 9]),
    ("replace", {"find": 1, "item": 9}, {"a": 1}, {"a": 9}),
    ("replace", {"find": "a", "item": "$&\\1"}, "banana", "b$&\\1n$&\\1n$&\\1"),
    ("replace", {"find": ".", "item": ""}, "a.b", "ab"),
    ("count", {}, [], 0),
    ("count", {}, {"a": 1, "b": 2}, 2),
    ("count", {}, "é😀", 2),
    ("count", {"item": 1}, [1, 1.0, True], 2),
    ("count", {"item": "an"}, "banana", 2),
    ("sort", {}, [3, 1, 2.5], [1, 2.5, 3]),
    ("sort", {"descending": True}, ["a", "c", "b"], ["c", "b", "a"]),
    ("sort", {}, ["b", "B", "a"], ["B", "a", "b"]),
    ("sort", {"ignore_case": True}, ["b", "B", "a"], ["a", "b", "B"]),
    ("sort", {"by": "n"}, [{"n": 2}, {"n": 1, "x": 0}], [{"n": 1, "x": 0}, {"n": 2}]),
    ("sort", {"by": "1"}, [[0, 2], [9, 1]], [[9, 1], [0, 2]]),
    ("sort", {}, [], []),
    ("unique", {}, [1, True, 1.0, "1", None, None, [1], [1.0]], [1, True, "1", None, [1]]),
    ("unique", {"by": "a"}, [{"a": 1, "b": 1}, {"a": 1, "b": 2}], [{"a": 1, "b": 1}]),
    ("merge", {"other": [2]}, [1], [1, 2]),
    ("merge", {"other": {"a": 2}}, {"a": 1, "b": 0}, {"a": 2, "b": 0}),
    ("merge", {"other": {"a": {"y": 1}}}, {"a": {"x": 1}}, {"a": {"y": 1}}),
    ("merge", {"other": {"a": {"y": 1}}, "deep": True}, {"a": {"x": 1}}, {"a": {"x": 1, "y": 1}}),
    ("split_text", {}, "a, b,,c ", ["a", "b", "", "c"]),
    ("split_text", {"trim": False}, "a, b", ["a", " b"]),
    ("split_text", {"drop_empty": True}, "a,,b", ["a", "b"]),
    ("split_text", {"separator": ".*"}, "a.*b.c", ["a", "b.c"]),
    ("split_text", {"separator": ""}, "ab", ["a", "b"]),
    ("split_text", {}, "", [""]),
    ("join_text", {"separator": ", "}, ["a", 1, 1.5, True, [0]], "a, 1, 1.5, true, [0]"),
    ("join_text", {"separator": ""}, [], ""),
    ("extract_text", {"pattern": "#(\\d+)"}, "order #12 and #34", "12"),
    ("extract_text", {"pattern": "#(\\d+)", "group": "0"}, "order #12", "#12"),
    ("extract_text", {"pattern": "\\d+"}, "order #12", "12"),
    ("extract_text", {"pattern": "\\d", "every": True}, "a1b2", ["1", "2"]),
    ("extract_text", {"pattern": "(?P<k>\\w)=(?P<v>\\d)"}, "a=1", {"k": "a", "v": "1"}),
    ("extract_text", {"pattern": "(?P<k>\\w)=(?P<v>\\d)", "group": "v"}, "a=1", "1"),
    ("extract_text", {"pattern": "ORDER", "ignore_case": True}, "my order", "order"),
    ("extract_text", {"pattern": "é."}, "xé😀", "é😀"),
    ("convert_type", {"to": "text"}, 5, "5"),
    ("convert_type", {"to": "number"}, "1.50", 1.5),
    ("convert_type", {"to": "whole_number"}, " 12 ", 12),
    ("convert_type", {"to": "yes_no"}, "No", False),
    ("convert_type", {"to": "list"}, "[1]", [1]),
    ("convert_type", {"to": "record"}, '{"a": 0}', {"a": 0}),
    ("calculate", {"expression": "input['price'] * 2"}, {"price": 4}, 8),
    ("calculate", {"expression": "[x for x in input if x > 1]"}, [1, 2, 3], [2, 3]),
]

NAMES = [case[0] for case in CASES]

FAULTS = [
    ("get", {"key": "nam"}, {"name": 1}, "The record has no key 'nam'; did you mean 'name'?"),
    ("get", {"key": 2}, [1, 2], "The list has no position 2: it has 2 items."),
    ("get", {"key": 1.5}, [1, 2], "A number (1.5) cannot become a whole number"),
    ("get", {}, [1], "Field 'Key or position' is empty."),
    ("get", {"key": 0}, 5, "A list or a record is needed here, not a number (5)."),
    ("get", {"key": 0}, "Hello World", 'A text ("Hello World") is not JSON'),
    ("add", {"item": 1}, {}, "A key is needed to add something to a record."),
    ("add", {"item": 1, "key": "a"}, {"a": 0}, "The record has a key 'a' already."),
    ("add", {"item": 1, "position": 5}, [], "Nothing can be added at position 5"),
    ("remove", {}, [1], "Field 'Key or position' is empty."),
    ("remove", {"key": "b"}, {"a": 0}, "The record has no key 'b'."),
    ("replace", {"find": "", "item": "x"}, "abc", "An empty text cannot be replaced."),
    ("replace", {"key": 3, "item": 0}, [], "The list has no position 3"),
    ("count", {}, None, "Nothing (None) has nothing to count."),
    ("count", {"item": ""}, "abc", "An empty text cannot be counted."),
    ("sort", {}, [1, "a"], "The list mixes a number and a text"),
    ("sort", {}, [1, True], "The list mixes a number and a yes/no value"),
    ("sort", {}, [1, NAN], "A number cannot be sorted."),
    ("sort", {}, [{"a": 1}], "A record cannot be sorted."),
    ("sort", {"by": "b"}, [{"a": 1}], "The record has no key 'b'."),
    ("sort", {}, 5, "A number (5) cannot become a list: it holds no items."),
    ("merge", {"other": [1]}, {}, "A list and a record cannot be merged."),
    ("split_text", {}, 5, "A text is needed here, not a number (5)."),
    ("join_text", {}, [None], "Nothing (None) cannot become a text"),
    ("extract_text", {}, "a", "Field 'Pattern' is empty."),
    ("extract_text", {"pattern": "("}, "a", "Field 'Pattern': The pattern cannot be read"),
    ("extract_text", {"pattern": "(?=a)"}, "a", "Field 'Pattern': The pattern cannot be read"),
    ("extract_text", {"pattern": "a", "group": "x"}, "a", "The pattern has no group 'x'."),
    ("extract_text", {"pattern": "a", "group": "7"}, "a", "The pattern has no group '7'."),
    ("extract_text", {"pattern": "a"}, "\ud800", "The text holds half a character"),
    ("extract_text", {"pattern": "a"}, 5, "A text is needed here"),
    ("convert_type", {"to": "whole_number"}, 1.5, "A number (1.5) cannot become a whole number"),
    ("convert_type", {"to": "whole_number"}, NAN, "A number (nan) cannot become a whole number"),
    ("convert_type", {"to": "whole_number"}, "1.5", 'A text ("1.5") cannot become a whole number'),
    ("convert_type", {"to": "number"}, "1,000", 'A text ("1,000") cannot become a number'),
    ("convert_type", {"to": "number"}, "ABC", 'A text ("ABC") cannot become a number'),
    ("convert_type", {"to": "number"}, "1e400", 'A text ("1e400") cannot become a number: digits'),
    ("convert_type", {"to": "number"}, "0.1234567890123456789", 'A text ("0.1234567890123456789")'),
    ("convert_type", {"to": "number"}, True, "A yes/no value (True) cannot become a number"),
    ("convert_type", {"to": "number"}, None, "Nothing (None) cannot become a number"),
    ("convert_type", {"to": "yes_no"}, 2, "A number (2) cannot become yes or no"),
    ("convert_type", {"to": "yes_no"}, "", 'A text ("") cannot become yes or no'),
    ("convert_type", {"to": "text"}, None, "Nothing (None) cannot become a text"),
    ("convert_type", {"to": "text"}, NAN, "A number (nan) cannot become a text"),
    ("convert_type", {"to": "text"}, 10**5000, "A number of more than 4,300 digits"),
    ("convert_type", {"to": "list"}, "Abc", 'A text ("Abc") is not JSON'),
    ("convert_type", {"to": "list"}, 5, "A number (5) cannot become a list"),
    ("convert_type", {"to": "record"}, [1], "A list cannot become a record"),
    ("convert_type", {"to": "record"}, '{"a": 1, "a": 2}', "A text"),
    ("calculate", {}, 1, "Field 'Calculation' is empty."),
    ("calculate", {"expression": "1 / 0"}, 1, "Field 'Calculation': "),
]


def done(operation, config, given=None):
    return ran(ListAndDict, {"operation": operation, **config}, FakeStep(given))


@pytest.mark.parametrize("operation", OFFERED)
def test_every_operation_that_is_offered_works(operation):
    assert any(each == operation for each, *_ in CASES)


@pytest.mark.parametrize(("operation", "config", "given", "value"), CASES, ids=NAMES)
def test_an_operation_gives(operation, config, given, value):
    before = copy.deepcopy(given)

    result = done(operation, config, given)

    assert result.value == value
    assert json.dumps(result.value) == json.dumps(value)
    assert given == before


@pytest.mark.parametrize(("operation", "config", "given", "value"), CASES, ids=NAMES)
def test_an_operation_is_given_only_fields_that_its_form_shows(operation, config, given, value):
    shown = {spec.name for spec in shown_fields(SPECS, {"operation": operation})}

    assert set(config) <= shown


@pytest.mark.parametrize(
    ("operation", "config", "given", "message"), FAULTS, ids=[case[0] for case in FAULTS]
)
def test_what_cannot_be_done_is_told(operation, config, given, message):
    with pytest.raises(NodeError) as caught:
        done(operation, config, given)

    assert caught.value.message.startswith(message)


def test_a_value_of_its_own_counts_more_than_the_input():
    assert done("count", {"value": []}, [1]).value == 0
    assert done("count", {"value": "{{ input.a }}"}, {"a": [1, 2]}).value == 2
    with pytest.raises(NodeError):
        done("count", {"value": None}, [1])


def test_a_pattern_chooses_the_way_out():
    found = done("extract_text", {"pattern": "b"}, "abc")
    missed = done("extract_text", {"pattern": "x", "every": True}, "abc")

    assert (type(found), found.key, found.value) == (Route, "match", "b")
    assert (type(missed), missed.key, missed.value) == (Route, "no_match", None)
    assert [h.key for h in ListAndDict(operation="extract_text").handles()] == ["match", "no_match"]
    assert [h.key for h in ListAndDict(operation="sort").handles()] == [None]


@pytest.mark.parametrize("pattern", ["(a|aa)+$", "(a+)+$", "(.*)*x", "(a*)*b", "([a-z]+)*\\d"])
def test_a_pattern_never_takes_long(pattern):
    start = time.perf_counter()

    assert done("extract_text", {"pattern": pattern}, "a" * 5000 + "!").key == "no_match"
    assert time.perf_counter() - start < 1


def test_text_of_users_is_never_taken_for_a_template_or_a_pattern():
    evil = "{{ context.secret }} .* \\1 $&"

    assert done("split_text", {"separator": "|"}, evil).value == [evil]
    assert done("replace", {"find": "{{ input }}", "item": "x"}, evil).value == "x"
    assert done("extract_text", {"pattern": "\\S+"}, evil).value == "{{"


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def attempt(value, to):
    try:
        return convert(value, to), None
    except NodeError as fault:
        return None, fault


@given(value=values, to=st.sampled_from(KINDS))
def test_what_a_conversion_gives_is_of_its_kind_and_converts_to_itself(value, to):
    converted, fault = attempt(value, to)
    if fault is not None:
        assert "cannot" in fault.message or "JSON" in fault.message
        return

    wanted = {"text": str, "yes_no": bool, "list": list, "record": dict, "whole_number": int}
    assert isinstance(converted, wanted.get(to, int | float))
    assert identity(convert(converted, to)) == identity(converted)


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_survives_being_a_text(number):
    assert convert(convert(number, "text"), "number") == number


@given(st.lists(st.integers() | st.booleans()) | st.dictionaries(st.text(), st.integers()))
def test_a_list_or_record_survives_being_a_text(value):
    kind = "list" if isinstance(value, list) else "record"

    assert convert(convert(value, "text"), kind) == value


@given(st.dictionaries(st.text(), values))
def test_a_record_survives_being_a_list(record):
    assert identity(convert(convert(record, "list"), "record")) == identity(record)


@given(st.lists(st.integers() | st.floats(allow_nan=False)), st.booleans())
def test_sorting_keeps_every_item_and_puts_them_in_order(items, descending):
    ordered = done("sort", {"value": items, "descending": descending}).value

    assert ordered == sorted(items, reverse=descending)
    assert sorted(map(repr, ordered)) == sorted(map(repr, items))
