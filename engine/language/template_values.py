"""Fixed values in templates: quoted texts, and what stands in the brackets of a filter."""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any

from engine.errors import TemplateError

QUOTED_TEXT = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL)
_PIECE = re.compile(
    r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()\[\]{}]|[^"'()\[\]{}]+|["']""", re.DOTALL
)
_LONGEST = 10_000
_MOST_NESTED = 20
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_PAIRS.values())


def values_at(text: str, start: int) -> tuple[tuple[Any, ...], int]:
    """The values in the brackets that open at `start`, and where the brackets end.

    Raises:
        TemplateError: They are not closed, or hold something else than fixed values.
    """
    opened: list[str] = []
    for match in _PIECE.finditer(text, start):
        piece = match.group()
        if len(opened) > _MOST_NESTED or match.end() - start > _LONGEST:
            raise TemplateError("The values in these brackets are too much.", "", start)
        if piece in _PAIRS:
            opened.append(_PAIRS[piece])
        elif piece in ('"', "'") or (piece in _CLOSING and piece != opened.pop()):
            break
        if not opened:
            return _values(text[start : match.end()], start), match.end()
    raise TemplateError("The `(` here is not closed.", "", start)


def unquoted(written: str, position: int) -> str:
    """The text between quotation marks, its escapes read as Python reads them.

    Raises:
        TemplateError: It has a faulty escape.
    """
    value = _literal_tree(written, position)
    assert isinstance(value, ast.Constant)
    return str(value.value)


def _on_one_line(match: re.Match[str]) -> str:
    return re.sub(r"(\\*)(?:\r\n|\r|\n)", _escaped_end, match.group())


def _escaped_end(match: re.Match[str]) -> str:
    # A backslash right before the end of the line already takes it away.
    slashes = match.group(1)
    return slashes[:-1] if len(slashes) % 2 else f"{slashes}\\n"


def _literal_tree(written: str, position: int) -> ast.expr:
    flat = QUOTED_TEXT.sub(_on_one_line, written)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(flat, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise TemplateError("This text cannot be read.", "", position) from None


def _values(written: str, position: int) -> tuple[Any, ...]:
    """The literal values in `(…)`."""
    tree = _literal_tree(f"_{written}", position)
    if not isinstance(tree, ast.Call) or tree.keywords:
        raise TemplateError("These values cannot be read.", "", position)
    try:
        return tuple(_value(argument, position) for argument in tree.args)
    except RecursionError:
        raise TemplateError("These values are nested too deeply.", "", position) from None


_WORDS = {"true": True, "false": False, "null": None, "none": None}


def _value(node: ast.expr, position: int) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | None):
        return node.value
    if isinstance(node, ast.Name) and node.id in _WORDS:
        return _WORDS[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _value(node.operand, position)
        if isinstance(value, int | float):
            return -value
    if isinstance(node, ast.List):
        return [_value(item, position) for item in node.elts]
    if isinstance(node, ast.Dict) and all(isinstance(key, ast.Constant) for key in node.keys):
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        if all(isinstance(key, str) for key in keys):
            values = [_value(value, position) for value in node.values]
            return dict(zip(keys, values, strict=True))
    raise TemplateError(
        "A filter takes fixed values: texts in quotes, numbers, true, false, none.",
        'For example: default("nobody")',
        position,
    )
