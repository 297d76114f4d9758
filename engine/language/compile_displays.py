"""Closures for what an expression writes out itself: lists, sets, records and f-texts."""

from __future__ import annotations

import ast
import re
from typing import Any

from engine.errors import ExpressionError
from engine.language.arithmetic import fits_text
from engine.language.budget import Evaluation
from engine.language.compiler import FAULTS, Closure, Compiler, placed
from engine.language.values import make_set, python_text
from engine.language.words import kind_of


def list_display(compiler: Compiler, node: ast.List | ast.Tuple) -> Closure:
    """`[a, b]`; `(a, b)` gives a list too."""
    compiler.builds = compiler.builds or bool(node.elts)
    items = [compiler.compile(item) for item in node.elts]

    def run(ev: Evaluation) -> Any:
        return [item(ev) for item in items]

    return run


def set_display(compiler: Compiler, node: ast.Set) -> Closure:
    """`{a, b}`."""
    compiler.builds = True
    items = [compiler.compile(item) for item in node.elts]
    at = compiler.at(node)

    def run(ev: Evaluation) -> Any:
        members = [item(ev) for item in items]
        try:
            return make_set(members)
        except FAULTS as fault:
            raise placed(fault, at) from None

    return run


def record_display(compiler: Compiler, node: ast.Dict) -> Closure:
    """`{"a": 1}`."""
    compiler.builds = compiler.builds or bool(node.keys)
    pairs: list[tuple[Closure, Closure]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            raise ExpressionError(
                "Spreading with `**` cannot be used in an expression.",
                "Join records with `|`.",
                compiler.at(value),
            )
        pairs.append((compiler.compile(key), compiler.compile(value)))
    at = compiler.at(node)

    def run(ev: Evaluation) -> Any:
        try:
            return {checked_key(key(ev)): value(ev) for key, value in pairs}
        except FAULTS as fault:
            raise placed(fault, at) from None

    return run


def checked_key(key: Any) -> Any:
    """The name of a field, when it can be one.

    Raises:
        ExpressionError: It is a list or a record.
    """
    if key is None or isinstance(key, str | int | float):
        return key
    raise ExpressionError(f"The name of a field must be a text, not {kind_of(key)}.")


def filled_text(compiler: Compiler, node: ast.JoinedStr) -> Closure:
    """`f"… {value} …"`."""
    parts = [compiler.compile(value) for value in node.values]
    at = compiler.at(node)

    def run(ev: Evaluation) -> str:
        texts = [part(ev) for part in parts]
        try:
            fits_text(sum(map(len, texts)), ev)
        except FAULTS as fault:
            raise placed(fault, at) from None
        return "".join(texts)

    return run


_FORMAT = re.compile(
    r"(?:.?[<>=^])?[-+ ]?#?0?(?:[1-9]\d{0,2})?[,_]?(?:\.\d{1,2})?[bdeEfFgGosxX%]?", re.DOTALL
)


def filled_value(compiler: Compiler, node: ast.FormattedValue) -> Closure:
    """`{value:.2f}` in an f-text, with formats that cannot grow beyond 999 characters."""
    at = compiler.at(node)
    closure = compiler.compile(node.value)
    form = _format_of(node, at)
    if node.conversion == ord("a"):
        raise ExpressionError("`!a` cannot be used in an expression.", "Write `!r`.", at)
    quoted = node.conversion == ord("r")

    def run(ev: Evaluation) -> str:
        value = closure(ev)
        try:
            if not form:
                return python_text(value, ev, quoted=quoted)
            if quoted or node.conversion == ord("s"):
                value = python_text(value, ev, quoted=quoted)
            return _formatted(value, form, ev)
        except FAULTS as fault:
            raise placed(fault, at) from None

    return run


def _format_of(node: ast.FormattedValue, at: int) -> str:
    if node.format_spec is None:
        return ""
    parts = node.format_spec.values if isinstance(node.format_spec, ast.JoinedStr) else []
    if any(not isinstance(part, ast.Constant) for part in parts):
        raise ExpressionError("The format after `:` must be plain, without braces.", "", at)
    form = "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
    if not _FORMAT.fullmatch(form):
        raise ExpressionError(
            f"The format `{form[:20]}` cannot be used.", "For example `.2f`, `05d` or `>20`.", at
        )
    return form


def _formatted(value: Any, form: str, ev: Evaluation) -> str:
    if not isinstance(value, str | int | float):
        raise ExpressionError(f"A format fits numbers and texts, not {kind_of(value)}.")
    if isinstance(value, str):
        fits_text(len(value), ev)
    try:
        return format(value, form)
    except (ValueError, TypeError):
        raise ExpressionError(
            f"The format `{form}` does not fit {kind_of(value)}.",
            "`.2f` is for numbers, `>20` for all.",
        ) from None
