from __future__ import annotations

import uuid
from collections import OrderedDict, UserList
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import JournalError
from engine.store.codec import decode, encode
from tests.engine.store.json_values import json_values, same


@given(json_values)
def test_any_value_is_read_back_exactly(value):
    line = encode(value)

    assert same(decode(line), value)
    assert b"\n" not in line


@given(st.floats(allow_nan=False))
def test_every_float_is_read_back_to_the_last_bit(number):
    assert decode(encode([number]))[0].hex() == number.hex()


@pytest.mark.parametrize("digits", [19, 20, 4_299, 4_300, 4_301, 20_000])
def test_whole_numbers_have_no_limit(digits):
    number = -(10**digits) + 1
    assert decode(encode({"number": number})) == {"number": number}


def test_two_halves_of_a_pair_stay_two_characters():
    assert len(decode(encode("\ud83d\ude00"))) == 2
    assert len(decode(encode("😀"))) == 1


@pytest.mark.parametrize(
    "value",
    [
        [None, float("nan")],
        {"a": {"b": (None, float("-inf"))}},
        {"view": MappingProxyType({"none": None, "x": float("inf")})},
        UserList([None, float("nan")]),
        float("nan"),
    ],
)
def test_a_number_without_end_beside_null_is_not_lost(value):
    assert encode(value)[:1] == b"~"


def test_usual_values_take_the_fast_way():
    assert encode({"a": [1, 2.5, None, "null", True]}) == b' {"a":[1,2.5,null,"null",true]}'


def test_views_and_tuples_become_plain_objects_and_lists():
    value = {"view": MappingProxyType({"a": UserList([1])}), "ordered": OrderedDict(b=(2,))}

    assert decode(encode(value)) == {"view": {"a": [1]}, "ordered": {"b": [2]}}
    assert decode(encode({**value, "big": 2**70}))["view"] == {"a": [1]}


@dataclass
class Point:
    x: int = 1


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": [0, b"bytes"]}, "a[1]: a value of kind bytes"),
        ({"a": {"when": datetime(2026, 1, 1)}}, "a.when: a value of kind datetime"),
        ({"p": Point()}, "p: a value of kind Point"),
        ({"s": {1, 2}}, "s: a value of kind set"),
        ({"a": {1: "one"}}, "a: the name 1 is int"),
        ({"a": MappingProxyType({None: 1})}, "a: the name None is NoneType"),
        (object(), "The value: a value of kind object"),
    ],
)
def test_what_is_no_json_value_is_refused_with_its_place(value, place):
    with pytest.raises(JournalError) as caught:
        encode(value)

    assert place in caught.value.message


def test_deep_nesting_is_kept_and_endless_nesting_refused():
    deep = []
    for _ in range(290):
        deep = [deep]
    endless = []
    endless.append(endless)

    assert decode(encode(deep)) == deep
    with pytest.raises(JournalError, match="nested"):
        encode(endless)


NO_LINES = (b"", b" ", b"~", b"x{}", b" {", b"~{", b" NaN", b"~\xff", b"~" + b"[" * 100_000)


@pytest.mark.parametrize("line", NO_LINES, ids=range(len(NO_LINES)))
def test_what_was_not_encoded_is_refused(line):
    with pytest.raises(ValueError, match=r"."):
        decode(line)


def test_a_uuid_is_kept_as_its_text():
    name = uuid.uuid4()

    assert decode(encode([name])) == [str(name)]
