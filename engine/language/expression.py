"""Expressions: a safe subset of Python for conditions, rules and mappings, parsed once.

What they may hold is in `HANDLERS`, `functions.FUNCTIONS` and `methods`, and nothing else.
An evaluation changes nothing, reaches only the names it is given, and is stopped when it uses
too much work, time or space.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from engine.errors import ExpressionError
from engine.language import (
    compile_access,
    compile_calls,
    compile_displays,
    compile_loops,
    compile_values,
)
from engine.language.budget import Evaluation
from engine.language.compiler import Closure, Compiler, Handler
from engine.language.reference import Reference, references_in
from engine.language.scope import Names
from engine.language.syntax import parse
from engine.language.values import SCALARS, OrderedSet, plain, weigh

HANDLERS: Mapping[type[ast.AST], Handler] = {
    ast.Constant: compile_values.constant,
    ast.Name: compile_values.name,
    ast.BinOp: compile_values.binary,
    ast.UnaryOp: compile_values.unary,
    ast.BoolOp: compile_values.logical,
    ast.Compare: compile_values.compare,
    ast.IfExp: compile_values.choice,
    ast.List: compile_displays.list_display,
    ast.Tuple: compile_displays.list_display,
    ast.Set: compile_displays.set_display,
    ast.Dict: compile_displays.record_display,
    ast.JoinedStr: compile_displays.filled_text,
    ast.FormattedValue: compile_displays.filled_value,
    ast.Attribute: compile_access.attribute,
    ast.Subscript: compile_access.subscript,
    ast.Slice: compile_access.refused_slice,
    ast.Call: compile_calls.call,
    ast.ListComp: compile_loops.list_comprehension,
    ast.SetComp: compile_loops.set_comprehension,
    ast.DictComp: compile_loops.record_comprehension,
}
"""Every kind of syntax that an expression may hold."""


class Expression:
    """A parsed expression; `parse_expression` makes one."""

    __slots__ = ("_builds", "_run", "_slot_count", "references", "text")

    def __init__(
        self, text: str, run: Closure, compiler: Compiler, references: tuple[Reference, ...]
    ) -> None:
        self.text = text
        self.references = references
        self._run = run
        self._builds = compiler.builds
        self._slot_count = compiler.slot_count

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    def evaluate(self, names: Names) -> Any:
        """The value of the expression.

        A part of the data is returned as it is, not copied: treat it as read-only. What the
        expression made itself is made of lists, dicts and scalars.

        Args:
            names: What the expression can see.

        Raises:
            ExpressionError: A name or part is not there, kinds do not fit, or it uses too much.
        """
        ev = Evaluation(names, self._slot_count)
        try:
            value = self._run(ev)
            return value if type(value) in SCALARS else self._settled(value, ev)
        except (RecursionError, MemoryError):
            raise ExpressionError(
                "The expression or its data is nested too deeply or too large."
            ) from None

    def _settled(self, value: Any, ev: Evaluation) -> Any:
        if self._builds:
            weigh(value, ev)
            if _holds_set(value):
                return plain(value, ev, sets_as_lists=True)
        return value


def _holds_set(value: Any) -> bool:
    """Whether a set is somewhere in what the expression made; data hold none."""
    level = [value]
    while level:
        deeper: list[Any] = []
        for part in level:
            if type(part) is OrderedSet:
                return True
            if type(part) is list:
                deeper.extend(part)
            elif type(part) is dict:
                deeper.extend(part.values())
        level = deeper
    return False


@lru_cache(maxsize=4096)
def parse_expression(text: str) -> Expression:
    """The expression that `text` is; the same object for the same text.

    Raises:
        ExpressionError: It is none, with the position of the fault.
    """
    tree, places = parse(text)
    compiler = Compiler(HANDLERS, places)
    run = compiler.compile(tree)
    return Expression(text, run, compiler, references_in(tree, places.of))
