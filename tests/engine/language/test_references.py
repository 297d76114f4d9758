"""Which names are read, and what an editor is told about half-typed text."""

from __future__ import annotations

import pytest

from engine.language.completions import KnownName, complete_expression, complete_template
from engine.language.expression import parse_expression
from engine.language.reference import Reference
from engine.language.rules import EXPRESSION_NAMES, FILTERS, FUNCTIONS, TEMPLATE_NAMES
from engine.language.template import parse_template
from engine.language.tokens import TokenKind, expression_tokens, template_tokens

SCOPE = {
    "context": KnownName(
        "The variables.",
        "record",
        {
            "email": KnownName("A text.", "text"),
            "items": KnownName("", "list", {"name": KnownName("", "text")}),
            "key with.dots": KnownName(),
        },
    ),
    "$flow": KnownName("", "record", {"state": KnownName()}),
    "fetch": KnownName("", "node", {"output": KnownName("", "record", {"status": KnownName()})}),
}


@pytest.mark.parametrize(
    ("text", "references"),
    [
        ("context.score > 80", [Reference("context", ("score",), 0)]),
        ("1 + context['a'][0].b", [Reference("context", ("a", 0, "b"), 4)]),
        ("messages[-1].content", [Reference("messages", (-1, "content"), 0)]),
        ("context.get('a', 0)", [Reference("context", ("a",), 0, True)]),
        ("context.name.upper()", [Reference("context", ("name",), 0)]),
        ("a[b.c].d", [Reference("a", (None, "d"), 0), Reference("b", ("c",), 2)]),
        ("a[1:n]", [Reference("a", (None,), 0), Reference("n", (), 4)]),
        ("[x.n + y for x in items if x]", [Reference("y", (), 7), Reference("items", (), 18)]),
        ("[x for x in x]", [Reference("x", (), 12)]),
        ("len(a) + isinstance(b, str)", [Reference("a", (), 4), Reference("b", (), 20)]),
        ("f'{a.b}' + \"é\" + c", [Reference("a", ("b",), 3), Reference("c", (), 17)]),
        ("true or None", []),
        ("sorted(a, reverse=b)", [Reference("a", (), 7), Reference("b", (), 18)]),
        ("\n a.b\n + c", [Reference("a", ("b",), 2), Reference("c", (), 9)]),
    ],
)
def test_an_expression_knows_what_it_reads(text: str, references: list[Reference]) -> None:
    found = parse_expression(text).references

    assert [(r.root, r.path, r.has_default) for r in found] == [
        (r.root, r.path, r.has_default) for r in references
    ]
    if "f'" not in text:
        assert [r.position for r in found] == [r.position for r in references]


def test_a_template_knows_what_it_reads() -> None:
    found = parse_template('a {{ x.y[0]["k"] }} {{ "z" }} {{ $node["N"].output | default(1) }}')

    assert found.references == (
        Reference("x", ("y", 0, "k"), 5),
        Reference("$node", ("N", "output"), 33, True),
    )


def inserts(suggestions: list[object]) -> list[str]:
    return [suggestion.insert for suggestion in suggestions]  # type: ignore[attr-defined]


def test_names_are_completed_first_by_their_beginning() -> None:
    found = complete_expression("con", 3, SCOPE)

    assert found[0].insert == "context"
    assert (found[0].start, found[0].end, found[0].help) == (0, 3, "The variables.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("context.", "email"),
        ("1 + context.em", "email"),
        ("context.items[0].", "name"),
        ("context['items'][0].na", "name"),
        ("fetch.output.st", "status"),
        ("context.email.up", "upper("),
        ("context.items.co", "count("),
        ("unknown.ge", "get("),
        ("le", "len("),
        ("a o", "or"),
        ("is", "isinstance("),
    ],
)
def test_an_expression_is_completed(text: str, expected: str) -> None:
    assert expected in inserts(complete_expression(text, len(text), SCOPE))


def test_the_rest_of_the_word_is_replaced() -> None:
    found = complete_expression("context.emxxx + 1", 10, SCOPE)

    assert (found[0].insert, found[0].start, found[0].end) == ("email", 8, 13)


@pytest.mark.parametrize("text", ["'con", 'f"con', "context.items.", "$"])
def test_what_cannot_be_written_is_not_suggested(text: str) -> None:
    found = inserts(complete_expression(text, len(text), SCOPE))

    assert not {"context", "key with.dots", "$flow", "name"} & set(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a {{ con", ["context"]),
        ("{{ $", ["$flow"]),
        ("{{ $flow.", ["state"]),
        ("{{ context.ema", ["email"]),
        ("{{ context.email | upp", ["upper"]),
        ("{{ context.email | defau", ['default("…")']),
        ("a con", []),
        ("{{ context.email }} con", []),
        ("{{ 'con", []),
        ("{{ context.email con", []),
        ("{{ context\ncon", []),
    ],
)
def test_a_template_is_completed_inside_its_braces(text: str, expected: list[str]) -> None:
    assert inserts(complete_template(text, len(text), SCOPE)) == expected


def test_half_typed_text_is_cut_into_pieces() -> None:
    pieces = [
        (t.kind, "len(context.a[0] + 'x"[t.start : t.end])
        for t in expression_tokens("len(context.a[0] + 'x")
    ]

    assert [piece for piece in pieces if piece[0] is not TokenKind.BLANK] == [
        (TokenKind.FUNCTION, "len"),
        (TokenKind.SIGN, "("),
        (TokenKind.NAME, "context"),
        (TokenKind.SIGN, "."),
        (TokenKind.FIELD, "a"),
        (TokenKind.SIGN, "["),
        (TokenKind.NUMBER, "0"),
        (TokenKind.SIGN, "]"),
        (TokenKind.SIGN, "+"),
        (TokenKind.OPEN_TEXT, "'x"),
    ]


def test_a_template_is_cut_into_plain_text_and_braces() -> None:
    text = "Hi {{ a | upper }} {{ b"
    kinds = [t.kind for t in template_tokens(text) if t.kind is not TokenKind.BLANK]

    assert kinds == [
        TokenKind.PLAIN,
        TokenKind.BRACE,
        TokenKind.NAME,
        TokenKind.SIGN,
        TokenKind.FILTER,
        TokenKind.BRACE,
        TokenKind.PLAIN,
        TokenKind.BRACE,
        TokenKind.NAME,
    ]


def test_everything_that_can_be_written_has_a_line_of_help() -> None:
    rules = [*FUNCTIONS.values(), *FILTERS.values()]

    assert all(rule.help.endswith(".") or "example" in rule.help for rule in rules)
    assert all(rule.usage.startswith(rule.name) for rule in rules)
    assert all(EXPRESSION_NAMES.values())
    assert set(EXPRESSION_NAMES) < set(TEMPLATE_NAMES)
