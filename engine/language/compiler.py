"""A checked syntax tree to nested closures: each part of an expression becomes one function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from engine.errors import ExpressionError
from engine.language.budget import Evaluation
from engine.language.syntax import Places, too_deep

Closure = Callable[[Evaluation], Any]
"""Gives the value of one part of an expression."""

Handler = Callable[["Compiler", Any], Closure]

_DEEPEST = 150

FAULTS = (ExpressionError, ArithmeticError, TypeError, ValueError, LookupError)
"""What an operation on values may raise; `placed` puts it into words."""


class Compiler:
    """Compiles one expression.

    Args:
        handlers: What is allowed, by kind of node.
        places: Positions of nodes.
    """

    def __init__(self, handlers: Mapping[type[ast.AST], Handler], places: Places) -> None:
        self.slot_count = 0
        self.builds = False
        self._handlers = handlers
        self._places = places
        self._depth = 0
        self._scopes: list[dict[str, int]] = []

    def compile(self, node: ast.AST) -> Closure:
        """The closure of a part.

        Raises:
            ExpressionError: It is nothing that an expression may hold.
        """
        handler = self._handlers.get(type(node))
        if handler is None:
            raise self.refused(node)
        self._depth += 1
        if self._depth > _DEEPEST:
            raise too_deep(self.at(node))
        closure = handler(self, node)
        self._depth -= 1
        return closure

    def at(self, node: ast.AST) -> int:
        """The offset of a part in the text."""
        return self._places.of(node)

    def at_name(self, node: ast.Attribute) -> int:
        """The offset of the name after the dot."""
        end = self._places.at(node.end_lineno or 1, node.end_col_offset or 0)
        return max(end - len(node.attr), self.at(node))

    def refused(self, node: ast.AST) -> ExpressionError:
        """The error for a part that is Python but not allowed here."""
        what, hint = _REFUSED.get(type(node), ("This part of Python", ""))
        return ExpressionError(f"{what} cannot be used in an expression.", hint, self.at(node))

    def check_name(self, name: str, node: ast.AST) -> None:
        """Refuses names that begin with an underscore.

        Raises:
            ExpressionError: It does.
        """
        if name.startswith("_") or name in ("constructor", "prototype"):
            raise ExpressionError(
                f"The name `{name}` cannot be used: it is reserved.",
                'Names begin with a letter; a field is also reached by `["…"]`.',
                self.at_name(node) if isinstance(node, ast.Attribute) else self.at(node),
            )

    def slot_of(self, name: str) -> int | None:
        """Where the value of a loop variable is kept, None for names from outside."""
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return None

    def open_scope(self) -> None:
        """Begins a comprehension: its variables hide others of the same name."""
        self._scopes.append({})

    def close_scope(self) -> None:
        """Ends a comprehension."""
        self._scopes.pop()

    def new_slot(self, name: str) -> int:
        """A place for a loop variable of the innermost comprehension."""
        self._scopes[-1][name] = self.slot_count
        self.slot_count += 1
        return self.slot_count - 1


def placed(fault: Exception, position: int) -> ExpressionError:
    """A fault in plain words with the position of the part that has it, unless it has one."""
    if isinstance(fault, ExpressionError):
        if fault.position is None:
            fault.position = position
        return fault
    message, hint = _in_words(fault)
    return ExpressionError(f"{message}.", hint, position)


def _in_words(fault: Exception) -> tuple[str, str]:
    if isinstance(fault, ZeroDivisionError):
        return "Division by zero", "Ask first: `a / b if b else 0` gives 0 instead."
    if isinstance(fault, OverflowError):
        return "The number is too large", "Work with smaller numbers, or round them first."
    if isinstance(fault, ValueError) and "digits" in str(fault):
        return "A number of more than 4,300 digits cannot be shown", "Work with smaller numbers."
    hint = "Look at the values that arrive there."
    if isinstance(fault, ValueError) and str(fault):
        return f"This cannot be calculated: {fault}", hint
    return "This cannot be calculated", hint


_REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lambda: ("A function (`lambda`)", "Use a comprehension: `[x.name for x in items]`."),
    ast.NamedExpr: ("Setting a name (`:=`)", "Use a Set variables node."),
    ast.Starred: ("Spreading with `*`", "Join lists with `+`."),
    ast.Await: ("Waiting (`await`)", ""),
    ast.Yield: ("`yield`", ""),
    ast.YieldFrom: ("`yield`", ""),
    ast.GeneratorExp: ("A comprehension without brackets", "Write `[x for x in items]`."),
}
