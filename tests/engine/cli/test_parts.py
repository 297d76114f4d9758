from __future__ import annotations

import io
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cli.asking import Asker
from engine.cli.json_output import to_json
from engine.cli.matching import matches, same
from engine.cli.step_printer import duration
from engine.cli.terminal import Screen, one_line, safe_text
from engine.node_type import Request

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
texts = st.text(st.characters(exclude_categories=()))


def without_odd_numbers(value):
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, list):
        return [without_odd_numbers(item) for item in value]
    if isinstance(value, dict):
        return {name: without_odd_numbers(item) for name, item in value.items()}
    return value


@given(values)
def test_every_value_is_printed_as_json_that_any_reader_takes(value):
    text = to_json(value)

    read = json.loads(text, parse_constant=pytest.fail)
    assert same(read, without_odd_numbers(value))
    text.encode("utf-8")


@given(texts)
def test_every_text_is_printed_whatever_it_holds(text):
    to_json({"x": text, text: [text]}).encode("utf-8")
    assert not any(ord(sign) < 32 and sign not in "\n\t" for sign in safe_text(text))
    assert "\n" not in one_line(text)


@given(values)
def test_every_value_matches_itself(value):
    assert same(value, value)


@pytest.mark.parametrize(
    ("expected", "actual", "fits"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ("", None, False),
        ([], {}, False),
        ({"contains": "b"}, "abc", True),
        ({"contains": ["a", "c"]}, "abc", True),
        ({"contains": ["a", "x"]}, "abc", False),
        ({"contains": 2}, [1, 2, 3], True),
        ({"contains": {"a": 1}}, {"a": 1, "b": 2}, True),
        ({"contains": {"a": None}}, {"b": 2}, False),
        ({"contains": {"role": "user"}}, [{"role": "user", "content": ""}], False),
        ([{"contains": {"role": "user"}}], [{"role": "user", "content": ""}], True),
        ({"contains": "x"}, 5, False),
        ({"contains": 5}, "5", False),
    ],
)
def test_an_expectation_may_ask_for_a_part(expected, actual, fits):
    assert matches(expected, actual) is fits


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.00012, "0.1 ms"),
        (0.25, "250 ms"),
        (1.26, "1.3 s"),
        (125, "2 min 5 s"),
        (7260, "2 h 1 min"),
    ],
)
def test_times_are_told_as_people_read_them(seconds, text):
    assert duration(seconds) == text


def asker(*lines: str) -> tuple[Asker, io.StringIO]:
    out = io.StringIO()
    answers = iter(lines)
    return Asker(Screen(out), lambda prompt: out.write(prompt) and next(answers)), out


def test_options_are_chosen_by_number_or_word():
    request = Request("choose", "Which?", options=("Red", "2", "Blue"))

    for typed, choice in (("1", "Red"), ("blue", "Blue"), ("2", "2"), ("3", "Blue")):
        asking, _ = asker(typed)
        assert asking.answer(request, "Colour") == {"choice": choice}


def test_an_approval_without_remarks_asks_for_none():
    asking, _ = asker("n")

    assert asking.answer(Request("approve", "Well?"), "Ask") == {"type": "reject"}


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_the_signs_gets_letters(encoding):
    screen = Screen(io.TextIOWrapper(io.BytesIO(), encoding=encoding))

    assert screen.glyph("✓") == "ok"


def test_nobody_reading_does_not_break_a_run():
    class Gone(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    screen = Screen(Gone())
    screen.line("one")
    screen.line("two")
