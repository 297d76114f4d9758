"""What holds for every expression and every template."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import ExpressionError, LanguageError, TemplateError
from engine.language.completions import complete_expression, complete_template
from engine.language.expression import Expression, parse_expression
from engine.language.scope import GivenNames
from engine.language.template import parse_template
from engine.language.tokens import expression_tokens, template_tokens

NAMES = {"a": 3, "b": -2, "c": 2.5, "d": 0, "t": "tea", "u": "", "items": [1, 2, 3]}
FUNCTIONS = {"__builtins__": {}, "max": max, "abs": abs, "sum": sum}

numbers = st.one_of(
    st.integers(-50, 50).map(str), st.floats(-50, 50).map(repr), st.sampled_from("abcd")
)
booleans = st.sampled_from(["True", "False", "a > 1", "c in items", "t == 'tea'", "not d"])


def _joined(parts: st.SearchStrategy[str], signs: list[str]) -> st.SearchStrategy[str]:
    return st.builds("({} {} {})".format, parts, st.sampled_from(signs), parts)


arithmetic = st.recursive(
    numbers,
    lambda inner: st.one_of(
        _joined(inner, ["+", "-", "*", "/", "//", "%"]),
        st.builds("(-{})".format, inner),
        st.builds("({} if {} else {})".format, inner, booleans, inner),
        st.builds("max({}, {})".format, inner, inner),
        st.builds("abs({})".format, inner),
        st.builds("sum([x * {} for x in items if x > {}])".format, inner, inner),
    ),
    max_leaves=12,
)
conditions = st.recursive(
    st.one_of(booleans, _joined(arithmetic, ["<", "<=", ">", ">=", "==", "!="])),
    lambda inner: st.one_of(_joined(inner, ["and", "or"]), st.builds("(not {})".format, inner)),
    max_leaves=8,
)
SNIPPETS = [
    "{{",
    "}}",
    "{{x}}",
    "|",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "'",
    '"',
    ".",
    ",",
    "+",
    "-",
    "**",
    "not",
    "and",
    "or",
    "in",
    "if",
    "else",
    "for",
    "lambda",
    "f'",
    "$",
    "\\",
    "__class__",
    "context",
    "default",
    "upper",
    "9",
    "0x",
    "1e9",
    "==",
    "=",
    "\n",
    "#",
    "@",
    ":=",
    "*",
    "`",
    "�",
    "\x00",
    "é",
    "\uff10",
]
pieces = st.lists(st.one_of(st.sampled_from(SNIPPETS), st.text(max_size=4)), max_size=25).map(
    "".join
)


def fault_of(text: str, make: Callable[[str], Any]) -> LanguageError | None:
    try:
        made = make(text)
        names = GivenNames({"context": {}})
        made.evaluate(names) if isinstance(made, Expression) else made.render(names)
    except LanguageError as fault:
        return fault
    return None


@given(st.one_of(arithmetic, conditions))
def test_an_expression_gives_what_python_gives(text: str) -> None:
    try:
        expected = eval(text, {**FUNCTIONS, **NAMES})
    except (ZeroDivisionError, OverflowError):
        expected = ArithmeticError

    try:
        found = parse_expression(text).evaluate(GivenNames(NAMES))
    except ExpressionError:
        found = ArithmeticError

    assert repr(found) == repr(expected)


@given(pieces)
@example("'" + "\\")
@example("\ufeffa")
@example("a\r\nb")
@example("x = \\\n")
def test_any_text_is_an_expression_or_an_explained_error(text: str) -> None:
    fault = fault_of(text, parse_expression)

    assert fault is None or isinstance(fault, ExpressionError)
    assert fault is None or fault.message
    assert fault is None or 0 <= fault.position <= len(text)


@given(pieces)
def test_any_text_is_a_template_or_an_explained_error(text: str) -> None:
    fault = fault_of(text, parse_template)

    assert fault is None or isinstance(fault, TemplateError)
    assert fault is None or fault.message
    assert fault is None or 0 <= fault.position <= len(text)


@given(st.text().filter(lambda text: "{{" not in text))
def test_text_without_braces_stays_as_it_is(text: str) -> None:
    template = parse_template(text)

    assert template.is_constant
    assert template.render(GivenNames({})) == text


json_values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=20)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=10,
)


@given(json_values, st.text().filter(lambda text: "{" not in text and "}" not in text))
def test_values_are_put_into_templates_literally(value: Any, around: str) -> None:
    names = GivenNames({"x": value})
    inner = parse_template(f"{around}{{{{ x }}}}.").render(names)[len(around) : -1]

    assert parse_template("{{ x }}").render(names) is value
    if isinstance(value, str):
        assert inner == value
    elif isinstance(value, list | dict):
        assert json.loads(inner) == value
    else:
        assert inner == {None: "", True: "true", False: "false"}.get(value, str(value)) or (
            type(value) in (int, float) and inner == repr(value)
        )


@given(json_values)
def test_an_expression_leaves_its_data_alone(value: Any) -> None:
    before = repr(value)
    names = GivenNames({"x": value})

    for text in ("[x, x]", "str(x)", "x == x", "{'a': x}", "sorted([x])", "x in [x]", "list(x)"):
        try:
            parse_expression(text).evaluate(names)
        except ExpressionError:
            continue

    assert repr(value) == before


@given(json_values)
def test_text_of_a_value_is_what_python_writes(value: Any) -> None:
    assert parse_expression("str(x)").evaluate(GivenNames({"x": value})) == str(value)
    assert parse_expression("f'{x!r}'").evaluate(GivenNames({"x": value})) == repr(value)


@given(json_values, json_values)
def test_values_are_equal_when_python_says_so(left: Any, right: Any) -> None:
    names = GivenNames({"a": left, "b": right})

    assert parse_expression("a == b").evaluate(names) is (left == right)
    assert parse_expression("a == a").evaluate(names) is (left == left)
    assert parse_expression("a in [b]").evaluate(names) is (left in [right])


@given(pieces, st.integers(0, 30))
def test_half_typed_text_always_has_tokens_and_completions(text: str, cursor: int) -> None:
    cursor = min(cursor, len(text))

    for tokens in (expression_tokens(text), template_tokens(text)):
        assert "".join(text[token.start : token.end] for token in tokens) == text
    for complete in (complete_expression, complete_template):
        assert all(s.start <= cursor <= s.end for s in complete(text, cursor, {}))


@given(st.text(max_size=30))
def test_a_quoted_text_in_an_expression_is_itself(text: str) -> None:
    assert parse_expression(repr(text)).evaluate(GivenNames({})) == ast.literal_eval(repr(text))
