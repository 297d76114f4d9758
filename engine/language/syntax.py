"""Text of an expression to a syntax tree, with positions in characters and limits on its form."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right

from engine.errors import ExpressionError
from engine.language.diagnosis import explain
from engine.language.tokens import TokenKind, expression_tokens

LONGEST_SOURCE = 10_000
_DEEPEST_BRACKETS = 60
_MOST_PREFIXES = 60
_MOST_NESTING_WORDS = 200
_NESTING_WORDS = frozenset({"**", "if", "not", "lambda", "for", "await"})
_PREFIX_RUN = re.compile(r"(?:[-+~([{]\s*|not\s+|await\s+)" f"{{{_MOST_PREFIXES + 1}}}")
_FIELD_IN_TEXT = re.compile(r"\{[^{}\"']*")


class Places:
    """Positions of parts of a tree as offsets in the text that the person typed."""

    def __init__(self, source: str, shift: int, length: int) -> None:
        self._lines = [line.encode("utf-8", "surrogatepass") for line in source.split("\n")]
        self._starts = [0]
        for line in source.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._shift = shift
        self._length = length

    def of(self, node: ast.AST) -> int:
        """The offset of the node's first character."""
        return self.at(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))

    def at(self, line: int, column: int) -> int:
        """The offset of a line (from 1) and a column (in bytes, from 0)."""
        index = min(max(line, 1), len(self._lines)) - 1
        before = self._lines[index][: max(column, 0)].decode("utf-8", "replace")
        return min(max(self._starts[index] + len(before) + self._shift, 0), self._length)

    def line_at(self, offset: int) -> int:
        """The line (from 1) of an offset."""
        return bisect_right(self._starts, offset - self._shift)


def parse(text: str) -> tuple[ast.expr, Places]:
    """The syntax tree of an expression.

    Raises:
        ExpressionError: It is none, or too long or too deeply nested; with the position.
    """
    if not text.strip():
        raise ExpressionError("There is no expression here.", "For example: context.score > 80", 0)
    if len(text) > LONGEST_SOURCE:
        raise ExpressionError(
            f"The expression is longer than {LONGEST_SOURCE:,} characters.",
            "Use a function node, or set a variable first.",
            LONGEST_SOURCE,
        )
    if text.lstrip().startswith("{{"):
        raise explain(text, 0, "")
    balanced = _check_nesting(text)
    source = text.strip()
    shift = len(text) - len(text.lstrip())
    if "\n" in source and balanced:
        # Inside brackets a line may end anywhere; the last line may end in a comment.
        source, shift = f"({source}\n)", shift - 1
    places = Places(source, shift, len(text))
    return _tree(source, text, places), places


def _tree(source: str, text: str, places: Places) -> ast.expr:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source, mode="eval").body
    except SyntaxError as fault:
        column = (fault.offset or 1) - 1
        line = fault.lineno or 1
        # SyntaxError counts characters, the tree bytes: go by way of the line's own text.
        lines = source.split("\n")
        prefix = lines[min(line, len(lines)) - 1][: max(column, 0)]
        position = places.at(line, len(prefix.encode("utf-8", "surrogatepass")))
        raise explain(text, position, fault.msg or "") from None
    except (RecursionError, MemoryError):
        raise too_deep(0) from None
    except ValueError as fault:
        raise explain(text, 0, str(fault)) from None


def too_deep(position: int | None) -> ExpressionError:
    """The error for an expression that nests too many parts in each other."""
    return ExpressionError(
        "The expression is nested too deeply.", "Set a variable for a part of it first.", position
    )


def _check_nesting(text: str) -> bool:
    """Refuses what would exhaust the parser; says whether all brackets are in pairs."""
    run = _PREFIX_RUN.search(text)
    depth = words = 0
    balanced = True
    for token in expression_tokens(text):
        piece = text[token.start : token.end]
        if token.kind in (TokenKind.TEXT, TokenKind.OPEN_TEXT):
            if run and token.start <= run.start() < token.end:
                run = _PREFIX_RUN.search(text, token.end)
            _check_nesting_in_text(piece, token.start)
            continue
        if run and token.start >= run.start():
            raise too_deep(run.start())
        words += piece in _NESTING_WORDS
        depth += (piece in "([{") - (piece in ")]}") if len(piece) == 1 else 0
        balanced = balanced and depth >= 0
        if depth > _DEEPEST_BRACKETS or words > _MOST_NESTING_WORDS:
            raise too_deep(token.start)
    return balanced and depth == 0


def _check_nesting_in_text(piece: str, position: int) -> None:
    if "f" not in piece[:2].lower() or "{" not in piece:
        return
    for match in _FIELD_IN_TEXT.finditer(piece):
        run = _PREFIX_RUN.search(match.group(), 1)
        if run:
            raise too_deep(position + match.start() + run.start())
