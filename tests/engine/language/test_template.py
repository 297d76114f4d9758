"""What templates give."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import RunError, TemplateError
from engine.language.scope import GivenNames, NodeValue
from engine.language.template import parse_template
from tests.engine.language.views import ListView, RecordView

CONTEXT = {
    "score": 90,
    "email": "ann@example.org",
    "items": [{"name": "tea"}, {"name": "milk"}],
    "empty": [],
    "nothing": None,
    "constructor": "a key",
    "_hidden": "a key",
    "__proto__": "a key",
}
NAMES = GivenNames(
    {
        "context": CONTEXT,
        "$flow": {"state": CONTEXT, "id": "f1"},
        "$node": {"My node": NodeValue({"a": 1})},
        "$iteration": {"item": {"n": 5}, "index": 0},
        "$webhook": RecordView({"headers": {"content-type": "text/plain"}}),
        "output": {"a": 1},
        "fetch": NodeValue({"a": {"b": ListView([1, 2])}, "key with.dots": 3, "0": "zero"}),
        "node-1": NodeValue("text"),
        "yes": True,
        "none": None,
        "started": "2026-05-01T09:30:00",
    }
)


def filled(text: str) -> Any:
    return parse_template(text).render(NAMES)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("", ""),
        ("a { b }} c { d", "a { b }} c { d"),
        ('{"a": {"b": 1}}', '{"a": {"b": 1}}'),
        ("{{ context.score }}", 90),
        ("{{context.score}}", 90),
        ("{{output}}", {"a": 1}),
        ("{{\n context . score\n}}", 90),
        (" {{ context.score }}", " 90"),
        ("{{ context.score }}{{ context.score }}", "9090"),
        ("{{ $flow.state.score }} of {{ $flow.id }}", "90 of f1"),
        ("{{ $iteration.item.n }}", 5),
        ("{{ $webhook.headers.content-type }}", "text/plain"),
        ("{{ fetch.output.a.b[1] }}", 2),
        ("{{ fetch.output.a.b[-1] }}", 2),
        ("{{ fetch.output.a.b.0 }}", 1),
        ('{{ fetch.output["key with.dots"] }}', 3),
        ("{{ fetch.output['key with.dots'] }}", 3),
        ("{{ fetch.output.0 }}{{ fetch.output[0] }}", "zerozero"),
        ('{{ $node["My node"].output.a }}', 1),
        ('{{ $node["My node"] }}', {"a": 1}),
        ("{{ node-1 }}", "text"),
        ("{{ context.items }}!", '[{"name": "tea"}, {"name": "milk"}]!'),
        ("{{ fetch.output.a }}!", '{"b": [1, 2]}!'),
        ("{{ none }}|{{ yes }}", "|true"),
        ("{{ none }}", None),
        ('{{ "{{" }} and {{ "}}" }}', "{{ and }}"),
        ("{{ '{{ x }}' }}", "{{ x }}"),
        ('{{ "a\\"b" }}', 'a"b'),
        ('{{ context.emial | default("nobody") }}', "nobody"),
        ("{{ context.emial | default('') }}", ""),
        ("{{ nobody.at.all | default(0) }}", 0),
        ("{{ nobody | default([1, {'a': null}]) }}", [1, {"a": None}]),
        ("{{ nobody | default(-1.5) }}", -1.5),
        ("{{ nobody | default(true) }}", True),
        ("{{ nobody | upper | default('x') }}", "x"),
        ("{{ nobody | default('x') | upper }}", "X"),
        ("{{ context.nothing | default('x') }}", None),
        ("{{ context.score.x.y | default('x') }}", "x"),
        ("{{ context.items[9].name | default('x') }}", "x"),
        ("{{ context.empty | first | default('x') }}", "x"),
        ("{{ context.constructor | default('x') }}", "x"),
        ("{{ context._hidden | default('x') }}", "x"),
        ('{{ context["__proto__"] | default("x") }}', "x"),
        ("{{ context.email | upper }}", "ANN@EXAMPLE.ORG"),
        ("{{ context.email | truncate(5) }}", "ann@…"),
        ("{{ context.email | replace('@', ' at ') }}", "ann at example.org"),
        ('{{ context.email | replace("}}", "") }}', "ann@example.org"),
        ("{{ context.email | length }}", 15),
        ("{{ context.items | length }} items", "2 items"),
        ("{{ context.items | first }}", {"name": "tea"}),
        ("{{ context.items | last | json }}", '{"name": "milk"}'),
        ("{{ fetch.output.a.b | join('-') }}", "1-2"),
        ("{{ context.score | text }}", "90"),
        ("{{ 'x' | json }}!", '"x"!'),
        ("{{ '  a ' | trim }}", "a"),
        ("{{ 'a b' | title | lower }}", "a b"),
        ("{{ context.score | round(1) }}", 90),
        ("{{ output | keys }}", ["a"]),
        ("{{ output | json(2) }}", '{\n  "a": 1\n}'),
        ("{{ started | date('%d.%m.%Y %H:%M') }}", "01.05.2026 09:30"),
        ("{{ started | date }}", "2026-05-01"),
    ],
)
def test_a_template_gives_its_value(text: str, value: Any) -> None:
    found = filled(text)

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("value", [0, False, "", [], {}, None, 10**5000, 1.5], ids=type)
def test_a_single_reference_keeps_value_and_type(value: Any) -> None:
    assert parse_template("{{ x }}").render(GivenNames({"x": value})) is value


def test_a_view_is_given_as_it_is() -> None:
    view = RecordView({"a": 1})

    assert parse_template("{{ x }}").render(GivenNames({"x": view})) is view


@pytest.mark.parametrize(
    "value", ["{{ context.score }}", "$& $1 \\1 \\g<0>", "\"'`", "{% x %}", "}}", "{{"]
)
def test_values_are_put_in_as_they_are(value: str) -> None:
    names = GivenNames({"x": value, "context": CONTEXT})

    assert parse_template("<{{ x }}>").render(names) == f"<{value}>"
    assert parse_template("{{ x }}").render(names) == value
    assert parse_template("{{ x | replace('zzz', '') }}").render(names) == value


def test_a_default_is_no_part_of_the_template() -> None:
    template = parse_template("{{ nobody | default([]) }}")
    template.render(NAMES).append(1)

    assert template.render(NAMES) == []


def test_a_template_knows_whether_it_is_constant_or_single() -> None:
    kinds = {
        text: (parse_template(text).is_constant, parse_template(text).is_single)
        for text in (
            "a",
            "",
            "{{ x }}",
            "{{ x | upper }}",
            " {{ x }}",
            "{{ x }}{{ y }}",
            '{{ "a" }}',
        )
    }

    assert kinds == {
        "a": (True, False),
        "": (True, False),
        "{{ x }}": (False, True),
        "{{ x | upper }}": (False, True),
        " {{ x }}": (False, False),
        "{{ x }}{{ y }}": (False, False),
        '{{ "a" }}': (False, False),
    }


def test_the_same_text_is_parsed_once() -> None:
    assert parse_template("{{ a }} b") is parse_template("{{ a }} b")


def test_names_answer_for_their_own_errors() -> None:
    class Closed:
        def lookup(self, name: str) -> object:
            raise RunError("Secrets are not given here.")

        def names(self) -> list[str]:
            return []

    with pytest.raises(RunError, match="Secrets"):
        parse_template("{{ $secrets.x | default('a') }}").render(Closed())


@pytest.mark.parametrize(
    ("text", "words", "position"),
    [
        ("{{ context.emial }}", "no `emial` in context; did you mean `email`?", 3),
        ("Hi {{ contxt.email }}", "no name `contxt`; did you mean `context`?", 6),
        ("{{ fetch.a }}", "Did you mean `fetch.output.a`?", 3),
        (
            '{{ $node["My nod"].output }}',
            "no node `My nod` in the flow; did you mean `My node`?",
            3,
        ),
        ("{{ context.score.x }}", "it is a number", 3),
        ("{{ context.items.name }}", "`context.items[0].name`", 3),
        ("{{ context.items[5] }}", "only 2 items", 3),
        ("{{ context.nothing.x }}", "nothing (None)", 3),
        ("{{ context.empty | first }}", "the list is empty", 19),
        ("{{ context.items | upper }}", "takes a text, not a list", 19),
        ("{{ context.score | keys }}", "takes a record", 19),
        ("{{ context.email | round }}", "takes a number", 19),
        ("{{ context.email | date }}", "is no date", 19),
        ("{{ context.score | date('%99999Y') }}", "date format", 19),
        ("{{ context.score | json(99) }}", "0 to 8", 19),
    ],
)
def test_a_template_that_cannot_be_filled_says_why(text: str, words: str, position: int) -> None:
    with pytest.raises(TemplateError) as caught:
        filled(text)

    assert words in str(caught.value)
    assert caught.value.position == position


@pytest.mark.parametrize(
    ("text", "words", "position"),
    [
        ("a {{ context.score", "not closed", 2),
        ("a {{ x }} {{ y", "not closed", 10),
        ("{{ }}", "nothing between the braces", 0),
        ("{{}}", "nothing between the braces", 0),
        ("{{ 1 + 1 }}", "no calculation", 3),
        ("{{ context.score + 1 }}", "no calculation", 17),
        ("{{ context.items() }}", "no calculation", 16),
        ("{{{ x }}}", "cannot be read", 2),
        ("{{ a b }}", "`b` cannot be read", 5),
        ("{{ a. }}", "cannot be read", 4),
        ("{{ a[x] }}", "cannot be read", 4),
        ("{{ a | }}", "filter's name is missing", 6),
        ("{{ a | uper }}", "no filter `uper`; did you mean `upper`?", 7),
        ("{{ a | default }}", "takes 1 value, not 0", 7),
        ("{{ a | upper(1) }}", "takes no values, not 1", 7),
        ("{{ a | default(b) }}", "fixed values", 14),
        ("{{ a | default(1 }}", "not closed", 14),
        ("{{ a | default('x) }}", "not closed", 14),
        ("{{ a | default(__import__('os')) }}", "fixed values", 14),
        ("{{ context.__class__ }}", "`__class__` cannot be used", 3),
        ('{{ context["__class__"] }}', "`__class__` cannot be used", 3),
        ("{{ context.constructor }}", "`constructor` cannot be used", 3),
        ("{{ context.prototype.x }}", "`prototype` cannot be used", 3),
        ("{{ __proto__ }}", "`__proto__` cannot be used", 3),
        ("{{ context._hidden }}", "`_hidden` cannot be used", 3),
    ],
)
def test_text_that_is_no_template_is_explained(text: str, words: str, position: int) -> None:
    with pytest.raises(TemplateError) as caught:
        parse_template(text)

    assert words in str(caught.value)
    assert caught.value.position == position


def test_a_list_that_holds_itself_many_times_is_not_written_out() -> None:
    value: Any = [1]
    for _ in range(40):
        value = [value, value]

    with pytest.raises(TemplateError):
        parse_template("{{ x }}!").render(GivenNames({"x": value}))


def test_a_text_cannot_grow_without_bounds() -> None:
    names = GivenNames({"x": "a" * 1_000_000})

    with pytest.raises(TemplateError, match="too long"):
        parse_template("{{ x }}" * 1_000).render(names)
    with pytest.raises(TemplateError, match="too long"):
        parse_template('{{ x | replace("a", "' + "b" * 1_000 + '") }}').render(names)


@pytest.mark.parametrize(
    "arguments", ["-" * 5_000 + "1", "[" * 5_000, "'a'," * 3_000, "(" * 30 + ")" * 30]
)
def test_hostile_values_of_a_filter_are_refused(arguments: str) -> None:
    with pytest.raises(TemplateError):
        parse_template("{{ a | default(" + arguments + ") }}").render(GivenNames({}))
