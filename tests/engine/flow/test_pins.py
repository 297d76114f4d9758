from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import PinError
from engine.flow.pins import (
    EVERY,
    MOST_INDEX,
    Found,
    Miss,
    PinClashError,
    ToolPin,
    assemble,
    encode_pin,
    encode_tool_pin,
    extract,
    parse_encoded_pin,
    parse_encoded_tool_pin,
    parse_pin,
    pin_text,
)
from tests.engine.flow.builders import json_values

keys = st.text(max_size=8) | st.sampled_from(["a", "b", "a.b", "0", "[0]", '"', "'", "\\", "_#_"])
steps = keys | st.integers(-20, 20) | st.just(EVERY)
DATA = {
    "result": {"items": [{"name": "a"}, {"name": None}], "email": 1, "a key with.dots": 7},
    "__class__": "data",
    "empty": {},
}


@given(st.lists(steps, min_size=1, max_size=6))
def test_a_pin_written_from_its_steps_reads_back_as_those_steps(path):
    assert parse_pin(pin_text(path)).steps == tuple(path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("result.items[0].name", ("result", "items", 0, "name")),
        ('["key with.dots"]', ("key with.dots",)),
        ("[-1]", (-1,)),
        ("items[*].name", ("items", EVERY, "name")),
        ("a[ 0 ][ 'b' ]", ("a", 0, "b")),
        (r'a["say \"hi\" \u0041\n"]', ("a", 'say "hi" A\n')),
        (r"""a['it\'s "x"']""", ("a", 'it\'s "x"')),
        ("user-id.0.$x", ("user-id", "0", "$x")),
        ("名前.été", ("名前", "été")),
        ("_private.__class__", ("_private", "__class__")),
    ],
)
def test_each_way_to_write_a_step_is_understood(text, expected):
    assert parse_pin(text).steps == expected


def test_pins_that_lead_to_the_same_place_are_equal_however_written():
    assert parse_pin("a.b[0]") == parse_pin("""["a"]['b'][ 0 ]""")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (".a", "does not begin with a dot"),
        ("a..b", "at character 2: this needs a name after each dot"),
        ("a.", "needs a name after each dot"),
        ("a.[0]", "needs a name after each dot"),
        ("a[", "no step in brackets"),
        ("a[x]", "no step in brackets"),
        ("a[1.5]", "no step in brackets"),
        ("a[+1]", "no step in brackets"),
        ("a[\uff19]", "no step in brackets"),
        ('a["b]', "no step in brackets"),
        ("a[99999999999999999999]", "no step in brackets"),
        (r'a["\x"]', "not a quoted key"),
        ("[0]x", "a dot missing before 'x'"),
        ("first name", "' ' cannot stand in a bare name"),
        ("a]", "']' cannot stand"),
        ("a.*", "needs a name"),
        ("*", "'*' cannot stand"),
        ("x" * 5_000, "too long"),
        (".".join("a" * 65), "more than 64 steps"),
        ("[" * 3_000, "no step in brackets"),
        ('["' + "\\" * 2_001, "no step in brackets"),
    ],
)
def test_a_text_that_is_no_pin_is_refused_with_the_place(text, words):
    with pytest.raises(PinError) as refusal:
        parse_pin(text)

    assert words in str(refusal.value)
    assert refusal.value.hint


@pytest.mark.parametrize(
    ("pin", "expected"),
    [
        ("result.items[0].name", "a"),
        ("result.items[-1].name", None),
        ("result.items[*].name", ["a", None]),
        ("result.items[*]", [{"name": "a"}, {"name": None}]),
        ('result["a key with.dots"]', 7),
        ("__class__", "data"),
        ("empty", {}),
    ],
)
def test_a_pin_finds_its_value(pin, expected):
    assert extract(DATA, pin) == Found(expected)
    assert extract(DATA, parse_pin(pin)) == Found(expected)


@pytest.mark.parametrize("value", [0, False, "", [], {}, None])
def test_an_empty_value_is_found_like_any_other(value):
    assert extract({"a": [value]}, "a[0]") == Found(value)
    assert extract({"a": [value]}, "a[*]") == Found([value])
    assert assemble({"a.b": value}) == {"a": {"b": value}}


@pytest.mark.parametrize(
    ("pin", "reason"),
    [
        ("result.items[3]", "result.items[3]: the list has 2 items"),
        ("result.items[-3]", "result.items[-3]: the list has 2 items"),
        ("result.emial", "result.emial: there is no such key. Did you mean 'email'?"),
        ("result.zzz", "there is items, email, a key with.dots"),
        ("result.items[*].nme", "result.items[0].nme: there is no such key. Did you mean 'name'?"),
        ("result[*]", "result[*]: every item is taken from an object, which is not a list"),
        ("result[0]", "result[0]: an item is taken from an object"),
        ("result.items.name", "a key is looked up in a list, which has none (write [0]"),
        ("result.email.x", "result.email.x: a key is looked up in a number"),
        ("result.items[1].name.x", "a key is looked up in nothing (null)"),
        ("__class__[0]", "an item is taken from a text"),
        ("__class__.__mro__", "a key is looked up in a text"),
        ("empty.keys", "empty.keys: the object is empty"),
    ],
)
def test_a_miss_names_the_step_that_failed(pin, reason):
    missed = extract(DATA, pin)

    assert isinstance(missed, Miss)
    assert reason in missed.reason


def test_a_miss_in_an_empty_list_and_in_one_of_one_item_counts_right():
    assert extract({"a": []}, "a[0]") == Miss("a[0]: the list is empty")
    assert extract({"a": [1]}, "a[1]") == Miss("a[1]: the list has 1 item")


def test_two_collecting_steps_give_lists_of_lists():
    rows = {"rows": [{"x": [1, 2]}, {"x": []}]}

    assert extract(rows, "rows[*].x[*]") == Found([[1, 2], []])


def test_nothing_but_data_is_ever_looked_into():
    class Trap:
        secret = "no"

    for name in ("secret", "__class__", "__dict__"):
        assert isinstance(extract(Trap(), name), Miss)
        assert isinstance(extract({"a": Trap()}, f"a.{name}"), Miss)


def test_read_only_views_are_data_too():
    class View(Mapping):
        def __getitem__(self, key):
            return {"a": Items()}[key]

        def __iter__(self):
            return iter(("a",))

        def __len__(self):
            return 1

    class Items(Sequence):
        def __getitem__(self, index):
            return [1, 2][index]

        def __len__(self):
            return 2

    assert extract(View(), "a[-1]") == Found(2)
    assert extract(View(), "a[*]") == Found([1, 2])
    assert isinstance(extract(View(), "b"), Miss)


def test_values_are_put_together_into_one_object():
    assert assemble({"config.host": "db1", "config.port": 5432}) == {
        "config": {"host": "db1", "port": 5432}
    }
    assert assemble({"a[2]": 1, 'a[0]["x y"]': 2}) == {"a": [{"x y": 2}, None, 1]}
    assert assemble({}) == {}


def test_a_list_grows_up_to_the_last_index_and_no_further():
    assert len(assemble({f"a[{MOST_INDEX}]": 1})["a"]) == MOST_INDEX + 1
    with pytest.raises(PinError, match="more than 10,000 items"):
        assemble({f"a[{MOST_INDEX + 1}]": 1})


@pytest.mark.parametrize(
    "pins",
    [
        ("a.b", "a[0]"),
        ("a", "a.b"),
        ("a", "a[0]"),
        ("a.b", 'a["b"]'),
        ("x[0].a.b.c", "x[0].a.b[1]"),
        ("x[0]", "x[0].a"),
        ("a.b.c", "a.b"),
    ],
)
def test_pins_that_disagree_are_refused_by_both_names_in_either_order(pins):
    for first, second in (pins, pins[::-1]):
        with pytest.raises(PinClashError) as refusal:
            assemble({first: {"b": 1}, "other": 1, second: {"b": 1}})

        assert (refusal.value.first, refusal.value.second) == (first, second)
        assert f"'{first}' and '{second}'" in refusal.value.message


@pytest.mark.parametrize("pin", ["[0].a", "a[*]", "a[-1]", "a[0][-1].b", "", "a..b"])
def test_a_pin_that_names_no_place_is_refused_as_a_target(pin):
    with pytest.raises(PinError):
        assemble({pin: 1})


@given(
    st.dictionaries(
        st.lists(st.sampled_from(["a", "b", "x y", 0, 1, 7]), max_size=4).map(
            lambda path: pin_text(["in", *path])
        ),
        json_values,
        max_size=6,
    )
)
def test_what_was_assembled_is_extracted_again_or_the_pins_disagree(values):
    given_before = copy.deepcopy(values)
    try:
        made = assemble(values)
    except PinClashError as clash:
        both = {clash.first: 1, clash.second: 2}
        with pytest.raises(PinClashError):
            assemble(both)
        return

    for pin, value in values.items():
        assert extract(made, pin) == Found(value)
    assert values == given_before
    assert assemble(dict(reversed(values.items()))) == made


@given(st.lists(keys | st.integers(-20, 20), min_size=1, max_size=5))
def test_an_encoded_pin_reads_back_or_is_refused(path):
    pin = parse_pin(pin_text(path))
    try:
        text = encode_pin(pin)
    except PinError:
        plain = isinstance(path[0], str) and all(
            isinstance(step, int) or (step and "_" not in step) for step in path
        )
        assert not plain
        return

    assert parse_encoded_pin(text) == pin


@pytest.mark.parametrize(
    ("encoded", "pin", "again"),
    [
        ("result_#_key", "result.key", "result_#_key"),
        ("result_$_0", "result[0]", "result_$_0"),
        ("result_@_attr", "result.attr", "result_#_attr"),
        ("config_#_host", "config.host", "config_#_host"),
        ("result_#_items_$_-1_#_name", "result.items[-1].name", "result_#_items_$_-1_#_name"),
        ("my pin.x_#_a b", '["my pin.x"]["a b"]', "my pin.x_#_a b"),
        ("plain", "plain", "plain"),
    ],
)
def test_encoded_pins_are_understood_and_written(encoded, pin, again):
    assert str(parse_encoded_pin(encoded)) == pin
    assert encode_pin(pin) == again


@pytest.mark.parametrize("text", ["", "a_#_", "_#_a", "a_#__$_0", "a_$_x", "a_$_1_0", "a_$_ 1"])
def test_a_malformed_encoded_pin_is_refused(text):
    with pytest.raises(PinError):
        parse_encoded_pin(text)


def test_tool_pins_are_understood_and_written():
    text = "tools_^_node-1_~_Max Keyword"

    assert parse_encoded_tool_pin(text) == ToolPin("node-1", "Max Keyword")
    assert encode_tool_pin(ToolPin("node-1", "Max Keyword")) == text
    assert parse_encoded_tool_pin("tools") is None
    for damaged in ("tools_^_", "tools_^_node", "tools_^_node_~_", "tools_^__~_field"):
        with pytest.raises(PinError):
            parse_encoded_tool_pin(damaged)
    for unwritable in (ToolPin("a_~_b", "c"), ToolPin("", "c"), ToolPin("a", "")):
        with pytest.raises(PinError):
            encode_tool_pin(unwritable)
