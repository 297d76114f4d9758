"""Half-typed text cut into pieces with a kind each: for colours, completion and messages."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass
from enum import StrEnum


class TokenKind(StrEnum):
    """What a piece of text is."""

    NAME = "name"
    FIELD = "field"
    FUNCTION = "function"
    FILTER = "filter"
    WORD = "word"
    NUMBER = "number"
    TEXT = "text"
    OPEN_TEXT = "open_text"
    SIGN = "sign"
    BRACE = "brace"
    PLAIN = "plain"
    BLANK = "blank"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text: `text[start:end]`. The pieces of a text cover it without gaps."""

    kind: TokenKind
    start: int
    end: int


# Every alternative begins differently, so a character is looked at a bounded number of times.
_PIECE = re.compile(
    r"""
    (?P<blank>(?:\s+|\#[^\n]*)+)
  | (?P<text>[rRbBuUfF]{0,2}(?:\"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*'''
        |"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
  | (?P<open_text>[rRbBuUfF]{0,2}["'][^\n]*)
  | (?P<number>(?:0[xXoObB][0-9a-fA-F_]+|(?:\d[\d_]*)(?:\.[\d_]*)?(?:[eE][+-]?\d+)?|\.\d+))
  | (?P<name>\$?[^\W\d]\w*)
  | (?P<sign>===|!==|\*\*|//|<<|>>|<=|>=|==|!=|<>|:=|->|=>|&&|\|\|
        |\?\?|\?\.|\+\+|[-+*/%<>=!~&|^@.,:;?(){}\[\]])
  | (?P<wrong>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_WORDS = frozenset(keyword.kwlist)


def expression_tokens(text: str, offset: int = 0) -> list[Token]:
    """The pieces of an expression; never fails.

    Args:
        text: The expression, finished or not.
        offset: Added to every position.
    """
    found: list[Token] = []
    after_dot = False
    for match in _PIECE.finditer(text):
        kind = TokenKind(match.lastgroup or "wrong")
        if kind is TokenKind.NAME:
            kind = _name_kind(text, match, after_dot=after_dot)
        if kind is not TokenKind.BLANK:
            after_dot = match.group() == "."
        found.append(Token(kind, match.start() + offset, match.end() + offset))
    return found


_CALL = re.compile(r"[ \t]*\(")


def _name_kind(text: str, match: re.Match[str], *, after_dot: bool) -> TokenKind:
    if _CALL.match(text, match.end()) and match.group() not in _WORDS:
        return TokenKind.FUNCTION
    if after_dot:
        return TokenKind.FIELD
    return TokenKind.WORD if match.group() in _WORDS else TokenKind.NAME


def template_tokens(text: str) -> list[Token]:
    """The pieces of a text with `{{ … }}` in it; never fails."""
    found: list[Token] = []
    here = 0
    while here < len(text):
        opening = text.find("{{", here)
        if opening < 0:
            opening = len(text)
        if opening > here:
            found.append(Token(TokenKind.PLAIN, here, opening))
        if opening == len(text):
            break
        found.append(Token(TokenKind.BRACE, opening, opening + 2))
        closing = closing_braces(text, opening + 2)
        end = closing if closing is not None else _give_up(text, opening + 2)
        found.extend(_inner_tokens(text[opening + 2 : end], opening + 2))
        here = end
        if closing is not None:
            found.append(Token(TokenKind.BRACE, closing, closing + 2))
            here = closing + 2
    return found


_BRACE_SCAN = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\}\}|\{\{""", re.DOTALL)


def closing_braces(text: str, start: int) -> int | None:
    """Where the `}}` stands that closes braces opened before `start`; texts may hold braces."""
    for match in _BRACE_SCAN.finditer(text, start):
        if match.group() == "}}":
            return match.start()
        if match.group() == "{{":
            return None
    return None


def _give_up(text: str, start: int) -> int:
    """Where unclosed braces stop mattering: the end of the line, or the next opening ones."""
    ends = [place for place in (text.find("\n", start), text.find("{{", start)) if place >= 0]
    return min(ends, default=len(text))


def _inner_tokens(text: str, offset: int) -> list[Token]:
    found: list[Token] = []
    after_bar = False
    for token in expression_tokens(text, offset):
        kind = token.kind
        if after_bar and kind in (TokenKind.NAME, TokenKind.FUNCTION):
            kind = TokenKind.FILTER
        if kind is not TokenKind.BLANK:
            piece = text[token.start - offset : token.end - offset]
            after_bar = piece == "|"
        found.append(Token(kind, token.start, token.end))
    return found
