"""What could be typed at the cursor: names in scope, their fields, functions, methods, filters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from engine.language.filters import FILTERS
from engine.language.functions import FUNCTIONS
from engine.language.methods import LIST_METHODS, RECORD_METHODS, TEXT_METHODS
from engine.language.rule import Rule
from engine.language.tokens import Token, TokenKind, expression_tokens, template_tokens

SuggestionKind = Literal["name", "field", "function", "method", "filter", "word"]
ValueKind = Literal["text", "number", "list", "record", "node", "any"]


@dataclass(frozen=True, slots=True)
class KnownName:
    """A name in scope and what is known of its value.

    Args:
        help: One line about it.
        kind: What sort of value it holds.
        fields: What can follow after a dot; for a list, what each item has.
    """

    help: str = ""
    kind: ValueKind = "any"
    fields: Mapping[str, KnownName] = field(default_factory=dict)


Scope = Mapping[str, KnownName]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One thing that could stand at the cursor: `insert` goes over `text[start:end]`."""

    insert: str
    kind: SuggestionKind
    help: str
    start: int
    end: int


_WORDS = {
    "and": "Both must be true.",
    "or": "One must be true.",
    "not": "The opposite.",
    "in": "Whether it is part of a list or text.",
    "if": "`a if condition else b`",
    "else": "`a if condition else b`",
    "for": "`[x.name for x in items]`",
    "is": "`x is None`",
    "True": "",
    "False": "",
    "None": "Nothing.",
}
_PLAIN_NAME = re.compile(r"[^\W\d]\w*")
_CHAIN = (TokenKind.NAME, TokenKind.FIELD, TokenKind.FUNCTION, TokenKind.FILTER)


def complete_expression(text: str, cursor: int, scope: Scope) -> list[Suggestion]:
    """What could be typed at `cursor` of an expression, the likeliest first."""
    tokens = expression_tokens(text[:cursor])
    if _inside_text(tokens):
        return []
    prefix, before = _prefix(text, tokens, cursor)
    end = _word_end(text, cursor)
    if before and text[before[-1].start : before[-1].end] == ".":
        known = _resolve(text, before[:-1], scope)
        found = [*_fields(known), *_methods(known)]
    else:
        found = [
            *((name, "name", known.help) for name, known in scope.items() if _writable(name)),
            *((f"{rule.name}(", "function", f"{rule.usage}: {rule.help}") for rule in _functions()),
            *((word, "word", help_) for word, help_ in _WORDS.items()),
        ]
    return _suggestions(found, prefix, cursor - len(prefix), end)


def complete_template(text: str, cursor: int, scope: Scope) -> list[Suggestion]:
    """What could be typed at `cursor` of a template; nothing outside of braces."""
    tokens = template_tokens(text[:cursor])
    opened = [index for index, token in enumerate(tokens) if token.kind is TokenKind.BRACE]
    if not opened or text[tokens[opened[-1]].start :][:2] != "{{":
        return []
    inner = tokens[opened[-1] + 1 :]
    if _inside_text(inner) or any(token.kind is TokenKind.PLAIN for token in inner):
        return []
    prefix, before = _prefix(text, inner, cursor)
    end = _word_end(text, cursor)
    last = text[before[-1].start : before[-1].end] if before else ""
    found: Iterable[_Found]
    if last == "|":
        found = [(_filter_text(rule), "filter", rule.help) for rule in FILTERS.values()]
    elif last == ".":
        found = _fields(_resolve(text, before[:-1], scope))
    elif not before:
        found = [(name, "name", known.help) for name, known in scope.items()]
    else:
        found = []
    return _suggestions(found, prefix, cursor - len(prefix), end)


_Found = tuple[str, SuggestionKind, str]


def _functions() -> list[Rule]:
    types = Rule("isinstance", "isinstance(value, str)", "Whether it is of that type.", len)
    return [*FUNCTIONS.values(), types]


def _filter_text(rule: Rule) -> str:
    return rule.usage if rule.least else rule.name


def _inside_text(tokens: Sequence[Token]) -> bool:
    return bool(tokens) and tokens[-1].kind is TokenKind.OPEN_TEXT


def _prefix(text: str, tokens: Sequence[Token], cursor: int) -> tuple[str, list[Token]]:
    """The half-typed word before the cursor, and what stands before it."""
    tokens = list(tokens)
    word_kinds = (*_CHAIN, TokenKind.WORD)
    prefix = ""
    if tokens and tokens[-1].kind in word_kinds and tokens[-1].end == cursor:
        prefix = text[tokens[-1].start : cursor]
        tokens = tokens[:-1]
    elif tokens and text[tokens[-1].start : cursor] == "$":
        prefix, tokens = "$", tokens[:-1]
    return prefix, [token for token in tokens if token.kind is not TokenKind.BLANK]


def _word_end(text: str, cursor: int) -> int:
    match = re.compile(r"\w*").match(text, cursor)
    return match.end() if match else cursor


def _resolve(text: str, tokens: Sequence[Token], scope: Scope) -> KnownName | None:
    """What is known of the value before a dot: `context.items[0]` step by step backwards."""
    steps: list[str | None] = []
    index = len(tokens) - 1
    while index >= 0:
        piece = text[tokens[index].start : tokens[index].end]
        if piece == "]":
            opening = _opening_of(text, tokens, index)
            if opening is None:
                return None
            steps.append(_key_in(text, tokens[opening + 1 : index]))
            index = opening - 1
            continue
        if tokens[index].kind not in _CHAIN:
            return None
        steps.append(piece)
        if index < 1 or text[tokens[index - 1].start : tokens[index - 1].end] != ".":
            return _walk(list(reversed(steps)), scope)
        index -= 2
    return None


def _opening_of(text: str, tokens: Sequence[Token], closing: int) -> int | None:
    depth = 0
    for index in range(closing, -1, -1):
        piece = text[tokens[index].start : tokens[index].end]
        depth += (piece == "]") - (piece == "[")
        if depth == 0:
            return index
    return None


def _key_in(text: str, tokens: Sequence[Token]) -> str | None:
    if len(tokens) == 1 and tokens[0].kind is TokenKind.TEXT:
        return text[tokens[0].start + 1 : tokens[0].end - 1]
    return None


def _walk(steps: Sequence[str | None], scope: Scope) -> KnownName | None:
    known = scope.get(steps[0] or "")
    for step in steps[1:]:
        if known is None:
            return None
        # The fields of a list are those of its items, so a number changes nothing.
        if step is not None:
            known = known.fields.get(step)
        elif known.kind == "list":
            known = KnownName(known.help, "record" if known.fields else "any", known.fields)
    return known


def _fields(known: KnownName | None) -> list[_Found]:
    if known is None or known.kind == "list":
        return []
    return [(name, "field", each.help) for name, each in known.fields.items() if _writable(name)]


def _methods(known: KnownName | None) -> list[_Found]:
    tables: dict[str, tuple[Mapping[str, Rule], ...]] = {
        "text": (TEXT_METHODS,), "list": (LIST_METHODS,), "record": (RECORD_METHODS,),
        "number": (), "node": (), "any": (RECORD_METHODS, LIST_METHODS, TEXT_METHODS),
    }  # fmt: skip
    kind = known.kind if known is not None else "any"
    rules = {name: rule for table in reversed(tables[kind]) for name, rule in table.items()}
    return [(f"{name}(", "method", f"{rule.usage}: {rule.help}") for name, rule in rules.items()]


def _writable(name: str) -> bool:
    return bool(_PLAIN_NAME.fullmatch(name)) and not name.startswith("_")


def _suggestions(found: Iterable[_Found], prefix: str, start: int, end: int) -> list[Suggestion]:
    wanted = prefix.lower()
    ranked: list[tuple[int, int, Suggestion]] = []
    for order, (insert, kind, help_) in enumerate(found):
        lowered = insert.lower()
        rank = 0 if lowered.startswith(wanted) else 1 if wanted in lowered else 2
        if rank < 2:
            ranked.append((rank, order, Suggestion(insert, kind, help_, start, end)))
    ranked.sort(key=lambda entry: entry[:2])
    return [suggestion for _, _, suggestion in ranked]
