"""Why an expression cannot be read, in plain words and with the place to look at."""

from __future__ import annotations

from engine.errors import ExpressionError
from engine.language.tokens import Token, TokenKind, expression_tokens

_SIGNS: dict[str, tuple[str, str]] = {
    "&&": ("`&&` is not known here.", "Write `and`."),
    "||": ("`||` is not known here.", "Write `or`."),
    "!": ("`!` is not known here.", "Write `not`, and `!=` for different."),
    "===": ("`===` is not known here.", "Write `==`."),
    "!==": ("`!==` is not known here.", "Write `!=`."),
    "<>": ("`<>` is not known here.", "Write `!=`."),
    "=>": ("`=>` is not known here.", "Greater or equal is `>=`."),
    "??": ("`??` is not known here.", "Write `context.get('name', default)`."),
    "?.": ("`?.` is not known here.", "Write `.get('name')`."),
    "?": ("`?` is not known here.", "Write `a if condition else b`."),
    "++": ("`++` is not known here.", "Write `+ 1`."),
    ":=": ("An expression cannot set a variable.", "Use a Set variables node."),
    ";": ("`;` is not known here.", "There is one expression, on one line or several."),
}
_WRONG: dict[str, tuple[str, str]] = {
    **dict.fromkeys(
        "“”„‟«»", ("This kind of quotation mark is not known.", 'Use straight ones: "')
    ),
    **dict.fromkeys(
        "\u2018\u2019\u201a\u201b`\u00b4",
        ("This kind of quotation mark is not known.", "Use straight ones: '"),
    ),
    "≥": ("`≥` is not known here.", "Write `>=`."),
    "≤": ("`≤` is not known here.", "Write `<=`."),
    "≠": ("`≠` is not known here.", "Write `!=`."),
    "\u00d7": ("`\u00d7` is not known here.", "Write `*`."),
    "÷": ("`÷` is not known here.", "Write `/`."),
    "\u2212": ("This dash is not a minus sign.", "Write `-`."),
    "\u2013": ("This dash is not a minus sign.", "Write `-`."),
}
_NAMES: dict[str, tuple[str, str]] = {
    "AND": ("`AND` is not known here.", "Write `and` in small letters."),
    "OR": ("`OR` is not known here.", "Write `or` in small letters."),
    "NOT": ("`NOT` is not known here.", "Write `not` in small letters."),
    "And": ("`And` is not known here.", "Write `and` in small letters."),
    "Or": ("`Or` is not known here.", "Write `or` in small letters."),
    "contains": ("`contains` is not known here.", 'Write `"part" in text`.'),
    "equals": ("`equals` is not known here.", "Write `==`."),
    "then": ("`then` is not known here.", "Write `a if condition else b`."),
}
_STATEMENTS = frozenset(
    {
        "import", "from", "def", "class", "return", "while", "with", "try", "raise", "del",
        "global", "nonlocal", "assert", "pass", "break", "continue", "yield",
    }
)  # fmt: skip
_PAIRS = {")": "(", "]": "[", "}": "{"}


def explain(text: str, position: int, reason: str) -> ExpressionError:
    """The error for a text that is no expression.

    Args:
        text: What was typed.
        position: Where Python's parser stopped.
        reason: What Python's parser said.
    """
    tokens = [t for t in expression_tokens(text) if t.kind is not TokenKind.BLANK]
    if text.lstrip().startswith("{{"):
        return ExpressionError(
            "An expression stands without `{{ }}`.",
            "Write the name alone: context.score > 80",
            text.index("{{"),
        )
    found = _faulty_piece(text, tokens) or _faulty_brackets(text, tokens)
    if found is None and ("digits" in reason or "integer string conversion" in reason):
        found = ExpressionError("A number of more than 4,300 digits cannot be read.", "", position)
    return found or _faulty_end(text, tokens) or _unread(text, position, reason)


def _faulty_piece(text: str, tokens: list[Token]) -> ExpressionError | None:
    for token in tokens:
        piece = text[token.start : token.end]
        words = None
        if token.kind is TokenKind.SIGN:
            words = _SIGNS.get(piece)
        elif token.kind is TokenKind.WRONG:
            words = _WRONG.get(piece, (f"The sign {piece!r} is not known here.", ""))
        elif token.kind in (TokenKind.NAME, TokenKind.FUNCTION, TokenKind.WORD):
            words = _words_for_name(piece)
        elif token.kind is TokenKind.OPEN_TEXT:
            words = ("The text that begins here has no closing quotation mark.", "")
        if words is not None:
            return ExpressionError(*words, token.start)
    return _single_equals(text, tokens)


def _words_for_name(piece: str) -> tuple[str, str] | None:
    if piece.startswith("$"):
        return (
            f"`{piece}` can be written in templates only.",
            "In an expression, flow variables are `context.name` and the step's input `input`.",
        )
    if piece in _STATEMENTS:
        return (
            f"`{piece}` is part of a program; an expression only gives a value.",
            "Use a function node for programs.",
        )
    return _NAMES.get(piece)


def _single_equals(text: str, tokens: list[Token]) -> ExpressionError | None:
    for token in tokens:
        if text[token.start : token.end] == "=":
            return ExpressionError(
                "A single `=` does not compare.", "To compare, write `==`.", token.start
            )
    return None


def _faulty_brackets(text: str, tokens: list[Token]) -> ExpressionError | None:
    opened: list[Token] = []
    for token in tokens:
        piece = text[token.start : token.end]
        if token.kind is not TokenKind.SIGN:
            continue
        if piece in ("(", "[", "{"):
            opened.append(token)
        elif piece in _PAIRS:
            if not opened:
                return ExpressionError(
                    f"The `{piece}` here closes nothing.", "Delete it.", token.start
                )
            other = text[opened[-1].start]
            if other != _PAIRS[piece]:
                return ExpressionError(
                    f"The `{piece}` here does not fit the `{other}` before it.", "", token.start
                )
            opened.pop()
    if opened:
        bracket = text[opened[-1].start]
        return ExpressionError(f"The `{bracket}` here is not closed.", "", opened[-1].start)
    return None


def _faulty_end(text: str, tokens: list[Token]) -> ExpressionError | None:
    if not tokens:
        return ExpressionError("There is no expression here.", "A `#` begins a remark.", 0)
    last = text[tokens[-1].start : tokens[-1].end]
    if tokens[-1].kind is TokenKind.SIGN and last not in (")", "]", "}", ","):
        return ExpressionError(
            f"Something is missing after `{last}`.", "Add a name or a value.", tokens[-1].end
        )
    if last in ("and", "or", "not", "in", "is", "if", "else"):
        return ExpressionError(
            f"Something is missing after `{last}`.", "Add a name or a value.", tokens[-1].end
        )
    return None


def _unread(text: str, position: int, reason: str) -> ExpressionError:
    if "expected 'else'" in reason:
        return ExpressionError(
            "An `if` needs an `else`.", "Write `a if condition else b`.", position
        )
    if "f-string" in reason:
        return ExpressionError(
            "The f-text cannot be read.",
            "Inside its braces use the other kind of quotation mark, and no backslash.",
            position,
        )
    rest = text[position : position + 20].strip()
    near = f" near `{rest}`" if rest else ""
    return ExpressionError(
        f"The expression cannot be read{near}.",
        "Is an operator such as `+`, `and` or `==` missing, or a quotation mark?",
        position,
    )
