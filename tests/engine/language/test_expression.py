"""What expressions give."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import ExpressionError, RunError
from engine.language.expression import parse_expression
from engine.language.scope import GivenNames, NodeValue
from tests.engine.language.views import ListView, RecordView

CONTEXT = {
    "score": 90,
    "email": "ann@example.org",
    "items": [{"name": "tea", "n": 1}, {"name": "milk", "n": 3}],
    "tags": ["b", "a", "b"],
    "empty": [],
    "nothing": None,
}
NAMES = GivenNames(
    {
        "context": CONTEXT,
        "state": RecordView({"loop_count": 2}, CONTEXT),
        "messages": ListView([{"role": "user", "content": "hi"}]),
        "loop_count": 2,
        "input": "abc",
        "fetch": NodeValue({"status": 200, "output": "inner"}),
        "current_date_time": "2026-05-01T09:30:00+02:00",
    }
)


def value_of(text: str) -> Any:
    return parse_expression(text).evaluate(NAMES)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("context.score > 80", True),
        ("context['score']", 90),
        ("context.get('score', 0)", 90),
        ("context.get('missing', 0)", 0),
        ("context.get('missing')", None),
        ("state.get('score')", 90),
        ("state.get('loop_count')", 2),
        ("state.loop_count", 2),
        ("messages[-1].content", "hi"),
        ("messages[0:1][0].role", "user"),
        ("[m.role for m in messages]", ["user"]),
        ("len(messages)", 1),
        ("fetch.output.status == 200", True),
        ("fetch.output.output", "inner"),
        ("fetch['output'].status", 200),
        ("fetch", {"status": 200, "output": "inner"}),
        ("context.items[1].name", "milk"),
        ("[x.name for x in context.items if x.n > 1]", ["milk"]),
        ("sum(x.n for x in context.items)", 4),
        ("any(x.n > 2 for x in context.items)", True),
        ("all(x.n > 2 for x in context.items)", False),
        ("max(x.n for x in context.items)", 3),
        ("min([], default=7)", 7),
        ("{x.name: x.n for x in context.items}", {"tea": 1, "milk": 3}),
        ("[[x, y] for x in range(2) for y in range(x)]", [[1, 0]]),
        ("[k + str(v) for k, v in {'a': 1}.items()]", ["a1"]),
        ("[x for x in [1, 2] for x in [x, x + 10]]", [1, 11, 2, 12]),
        ("sorted(context.tags, reverse=True)", ["b", "b", "a"]),
        ("set(context.tags)", ["b", "a"]),
        ("{1, 2} == {2, 1}", True),
        ("{'a': {1, 2}}", {"a": [1, 2]}),
        ("{1, 2, 3} - {2}", [1, 3]),
        ("{'a': 1} | {'b': 2}", {"a": 1, "b": 2}),
        ("'tea' in [x.name for x in context.items]", True),
        ("'score' in context", True),
        ("'x' not in 'abc'", True),
        ("'b' in {'a', 'b'}", True),
        ("('a', 'b')", ["a", "b"]),
        ("input in ('abc', 'def')", True),
        ("enumerate(['a'], start=1)", [[1, "a"]]),
        ("dict(zip(['a', 'b'], [1, 2]))", {"a": 1, "b": 2}),
        ("list('ab')", ["a", "b"]),
        ("range(1, 6, 2)", [1, 3, 5]),
        ("'yes' if context.score > 80 else 'no'", "yes"),
        ("context.nothing or 'none'", "none"),
        ("0 or '' or []", []),
        ("1 < context.score < 100", True),
        ("context.nothing is None", True),
        ("context.score is not None", True),
        ("f'{input}: {context.score:.1f} {input!r:>7}'", "abc: 90.0   'abc'"),
        ("f'{context.items[0]}'", "{'name': 'tea', 'n': 1}"),
        ("str([1, 'a', None])", "[1, 'a', None]"),
        ("'a,b'.split(',')", ["a", "b"]),
        ("'a b  c'.split()", ["a", "b", "c"]),
        ("'a-b-c'.rsplit('-', maxsplit=1)", ["a-b", "c"]),
        ("'a=b'.partition('=')", ["a", "=", "b"]),
        ("', '.join(str(x) for x in [1, 2])", "1, 2"),
        ("input.startswith(('x', 'a'))", True),
        ("'7'.zfill(3) + 'x'.center(3, '*')", "007*x*"),
        ("'aXbX'.replace('X', '-', 1)", "a-bX"),
        ("[1, 2, 1].count(1)", 2),
        ("[1, 2, 1].index(2)", 1),
        ("input[1:] + input[::-1]", "bccba"),
        ("isinstance(input, str)", True),
        ("isinstance(messages, (dict, list))", True),
        ("isinstance(1, str)", False),
        ("is_string(input) and is_list(messages) and is_object(state)", True),
        ("is_number(True) or is_null(0) or is_boolean(1)", False),
        ("re_match('[a-c]+', input)", True),
        ("re_match('b', input)", False),
        ("now()", "2026-05-01T09:30:00+02:00"),
        ("true and not false", True),
        ("null", None),
        ("none == None", True),
        ("round(2.567, 2)", 2.57),
        ("int('42') + float('0.5')", 42.5),
        ("bool([])", False),
        ("'10' == 10", False),
        ("[1, 2] < [1, 3]", True),
        ("7 // 2 + 7 % 2 + 2 ** 3 - abs(-1)", 11),
        ("-2 ** 2", -4),
        ("~5 & 7 | 1 << 4 ^ 0", 18),
        ("(\n  context.score\n  > 80  # high\n)", True),
        ("context.score\n > 80", True),
        ("  1 + 1 ", 2),
    ],
)
def test_an_expression_gives_its_value(text: str, value: Any) -> None:
    found = value_of(text)

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("value", [0, False, "", [], {}, None, float("inf"), "{{ x }}"])
def test_every_value_passes_unchanged(value: Any) -> None:
    found = parse_expression("x").evaluate(GivenNames({"x": value}))

    assert found is value


def test_a_view_is_given_as_it_is() -> None:
    view = RecordView({"a": ListView([1])})

    found = parse_expression("x.a").evaluate(GivenNames({"x": view}))

    assert found is view["a"]


@pytest.mark.parametrize(
    "text", ["x.big", "x.get('big', [])", "x.big or []", "x.big if x.n > 0 else {}", "x['big']"]
)
def test_data_that_are_only_passed_on_are_not_looked_through(text: str) -> None:
    class Endless(ListView):
        def __iter__(self) -> Any:
            raise AssertionError("looked through")

    big = Endless([1])

    assert parse_expression(text).evaluate(GivenNames({"x": {"big": big, "n": 1}})) is big


def test_a_large_text_is_no_trouble() -> None:
    names = GivenNames({"x": "A line.\n" * 500_000})

    assert len(parse_expression("x.lower()").evaluate(names)) == 4_000_000
    assert parse_expression("x.count('line') > 3 and 'line' in x").evaluate(names) is True
    assert parse_expression("len(x.splitlines())").evaluate(names) == 500_000


def test_a_key_that_is_also_the_name_of_a_method_is_the_key() -> None:
    names = GivenNames({"data": {"items": [1], "get": 2, "copy": 3}})

    assert parse_expression("data.items").evaluate(names) == [1]
    assert parse_expression("data.get + data.copy").evaluate(names) == 5
    assert parse_expression("len(data.items())").evaluate(names) == 3


def test_views_equal_the_data_that_they_show() -> None:
    names = GivenNames({"view": RecordView({"a": ListView([1])}), "list": ListView([1])})

    assert parse_expression("view == {'a': [1]}").evaluate(names) is True
    assert parse_expression("[1] == list and list < [2]").evaluate(names) is True
    assert parse_expression("list + [2]").evaluate(names) == [1, 2]
    assert parse_expression("str(view)").evaluate(names) == "{'a': [1]}"


def test_a_variable_named_like_a_literal_wins() -> None:
    assert parse_expression("true").evaluate(GivenNames({"true": 5})) == 5


def test_any_stops_at_the_first_item_that_is_true() -> None:
    assert value_of("any(x > 0 for x in [1, 'a'])") is True


def test_sets_keep_the_order_in_which_their_members_came() -> None:
    words = [f"word{number}" for number in range(50)]

    assert parse_expression("[w for w in set(x)]").evaluate(GivenNames({"x": words})) == words


def test_what_an_expression_makes_is_no_part_of_the_data() -> None:
    data = {"tags": ["a"], "record": {"a": 1}}
    names = GivenNames({"context": data})

    for text in ("context.tags + []", "list(context.tags)", "context.tags.copy()"):
        parse_expression(text).evaluate(names).append("b")
    for text in ("context.record | {}", "dict(context.record)", "context.record.copy()"):
        parse_expression(text).evaluate(names)["b"] = 2

    assert data == {"tags": ["a"], "record": {"a": 1}}


def test_a_display_is_new_each_time() -> None:
    first = value_of("[1, [2]]")
    first[1].append(3)

    assert value_of("[1, [2]]") == [1, [2]]


def test_the_same_text_is_parsed_once() -> None:
    assert parse_expression("1 + 2") is parse_expression("1 + 2")


def test_names_answer_for_their_own_errors() -> None:
    class Closed:
        def lookup(self, name: str) -> object:
            raise RunError("Secrets are not given here.")

        def names(self) -> list[str]:
            return []

    with pytest.raises(RunError, match="Secrets"):
        parse_expression("x").evaluate(Closed())


def test_names_in_front_hide_those_behind() -> None:
    names = GivenNames({"a": 1}, GivenNames({"a": 2, "b": 3}))

    assert parse_expression("a + b").evaluate(names) == 4
    assert list(names.names()) == ["a", "b"]


def test_an_expression_does_not_read_what_it_does_not_need() -> None:
    asked: list[str] = []

    class Watched:
        def lookup(self, name: str) -> object:
            asked.append(name)
            return 0

        def names(self) -> list[str]:
            return []

    parse_expression("a and b").evaluate(Watched())

    assert asked == ["a"]


@pytest.mark.parametrize(
    ("text", "words", "position"),
    [
        ("context.emial", "no `emial` in context; did you mean `email`?", 8),
        ("context['emial']", "did you mean `email`?", 8),
        ("contxt.score", "no name `contxt`; did you mean `context`?", 0),
        ("1 + scor", "no name `scor`", 4),
        ("context.items.name", "it is a list", 14),
        ("context.items[5]", "only 2 items", 14),
        ("context.empty[0]", "it has no items", 14),
        ("context.email.length", "`len(…)`", 14),
        ("context.email.upper", "`.upper()`", 14),
        ("context.nothing.x", "it is nothing (None)", 16),
        ("context.keys", "`context.keys()`", 8),
        ("fetch.status", "`fetch.output.status`", 6),
        ("fetch.get('status')", "`fetch.output.get", 6),
        ("'abc' < 3", 'Cannot compare a text ("abc") with a number (3)', 0),
        ("context.nothing < 3", "`is not None`", 0),
        ("{} < {}", "a record", 0),
        ("'a' + 1", "Cannot add a text and a number", 0),
        ("'a' - 'b'", "Cannot subtract", 0),
        ("1 in 5", "Cannot look for something in a number", 0),
        ("1 in 'abc'", "Only a text can be in a text", 0),
        ("'a' in context.nothing", "nothing (None)", 0),
        ("2 + 1/0", "Division by zero", 4),
        ("5 % 0", "Division by zero", 0),
        ("10 ** 400 / 1", "too large", 0),
        ("(-8) ** 0.5", "root of a negative", 0),
        ("-'a'", "a minus before a text", 0),
        ("sorted([1, 'a'])", "a number and a text", 0),
        ("sorted([{}, {}])", "a record", 0),
        ("sum(['a'])", "Cannot add", 0),
        ("max([])", "the list is empty", 0),
        ("int('x')", "is not a number", 0),
        ("int([])", "a list", 0),
        ("len(5)", "has no length", 0),
        ("len()", "`len` takes 1 value, not 0", 0),
        ("len(a, b)", "`len` takes 1 value, not 2", 0),
        ("sorted([], key=1)", "nothing named `key`", 11),
        ("lne('a')", "no function `lne`; did you mean `len`?", 0),
        ("len", "`len` is a function", 0),
        ("input.uper()", "Did you mean `.upper()`?", 6),
        ("input.keys()", "input is a text", 6),
        ("context.items.append(1)", "An expression changes nothing", 14),
        ("'{}'.format(1)", "There is no method `.format()`", 5),
        ("'%s' % 1", "`%` does not fill in texts", 0),
        ("','.join([1])", "the list holds a number (1)", 4),
        ("'a'.split('')", "split at nothing", 4),
        ("'a'.index('b')", "is not in the text", 4),
        ("[1].index(2)", "is not in the list", 4),
        ("[a for a, b in [[1]]]", "2 names but 1 values", 15),
        ("[x for x in 5]", "item by item", 12),
        ("{[1]}", "A set holds", 0),
        ("{[1]: 2}", "name of a field", 0),
        ("context.items['a']", "have numbers, not names", 14),
        ("[1, 2][::0]", "cannot be 0", 0),
        ("1 is 1", "`is` is for `None`", 0),
        ("isinstance(1, int2)", "must be a type", 14),
        ("f'{1:q}'", "format `q`", None),
        ("re_match('(', 'a')", "pattern cannot be read", 0),
        ("re_match('(?=a)', 'a')", "Look-ahead", 0),
        ("round('a')", "takes a number", 0),
        ("9 ** 9 ** 9", "too large", 0),
    ],
)
def test_a_faulty_expression_says_what_is_wrong_and_where(
    text: str, words: str, position: int | None
) -> None:
    with pytest.raises(ExpressionError) as caught:
        value_of(text)

    assert words in str(caught.value)
    assert position is None or caught.value.position == position


@pytest.mark.parametrize(
    ("text", "words", "position"),
    [
        ("", "no expression", 0),
        ("   ", "no expression", 0),
        ("# remark", "no expression", 0),
        ("a = 3", "write `==`", 2),
        ("(a = 3)", "write `==`", 3),
        ("a == 1 and b = 2", "write `==`", 13),
        ("a && b", "Write `and`", 2),
        ("a || b", "Write `or`", 2),
        ("!a", "Write `not`", 0),
        ("a === 1", "Write `==`", 2),
        ("a !== 1", "Write `!=`", 2),
        ("a <> 1", "Write `!=`", 2),
        ("a ? 1 : 2", "`a if condition else b`", 2),
        ("a ?? 1", ".get(", 2),
        ("a?.b", ".get(", 1),
        ("a AND b", "small letters", 2),
        ("NOT a", "small letters", 0),
        ("a contains 'b'", '`"part" in text`', 2),
        ("a ≥ 3", "Write `>=`", 2),
        ("a == “b”", "straight ones", 5),
        ("(a + 1", "`(` here is not closed", 0),
        ("max([1, 2)", "does not fit the `[`", 9),
        ("a)", "closes nothing", 1),
        ("a == 'b", "no closing quotation mark", 5),
        ("a ==", "missing after `==`", 4),
        ("a and", "missing after `and`", 5),
        ("1 if a", "needs an `else`", 0),
        ("a b", "cannot be read near `b`", 2),
        ("{{ context.score }} > 3", "without `{{ }}`", 0),
        ("$flow.state.x > 3", "in templates only", 0),
        ("import os", "part of a program", 0),
        ("x := 3", "cannot set a variable", 2),
        ("a; b", "`;` is not known", 1),
        ("a\n = 3", "write `==`", 3),
        ("'é' + “", "straight ones", 6),
        ("lambda: 1", "cannot be used", 0),
        ("x.__class__", "reserved", 2),
        ("[_a for _a in b]", "reserved", 8),
    ],
)
def test_text_that_is_no_expression_is_explained(text: str, words: str, position: int) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_expression(text)

    assert words in str(caught.value)
    assert caught.value.position == position


def test_a_huge_number_of_the_data_is_compared_but_not_shown() -> None:
    names = GivenNames({"x": 10**5000})

    assert parse_expression("x > 3").evaluate(names) is True
    with pytest.raises(ExpressionError, match="4,300 digits"):
        parse_expression("str(x)").evaluate(names)
