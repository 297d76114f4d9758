"""Closures for literals, names, operators and comparisons."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from engine.errors import ExpressionError
from engine.language import arithmetic, comparison
from engine.language.arithmetic import BinaryOperation
from engine.language.budget import Evaluation
from engine.language.compiler import FAULTS, Closure, Compiler, placed
from engine.language.functions import FUNCTIONS, TYPES
from engine.language.reference import LITERAL_WORDS
from engine.language.scope import NodeValue
from engine.language.words import missing

_MISSING = object()


def constant(compiler: Compiler, node: ast.Constant) -> Closure:
    """A literal."""
    value = node.value
    if value is not None and not isinstance(value, bool | int | float | str):
        what = "A complex number" if isinstance(value, complex) else "This kind of literal"
        raise ExpressionError(f"{what} cannot be used in an expression.", "", compiler.at(node))
    return lambda _ev: value


def name(compiler: Compiler, node: ast.Name) -> Closure:
    """A loop variable, or a name from outside."""
    compiler.check_name(node.id, node)
    slot = compiler.slot_of(node.id)
    if slot is not None:
        return lambda ev: ev.slots[slot]
    raw = raw_name(node.id, compiler.at(node))

    def run(ev: Evaluation) -> Any:
        value = raw(ev)
        return value.output if type(value) is NodeValue else value

    return run


def raw_name(identifier: str, at: int) -> Closure:
    """A name from outside, where a node stays a node so that `.output` can follow.

    Args:
        identifier: The name.
        at: Its offset.
    """
    fallback = LITERAL_WORDS.get(identifier, _MISSING)

    def run(ev: Evaluation) -> Any:
        try:
            return ev.lookup(identifier)
        except KeyError:
            if fallback is not _MISSING:
                return fallback
        raise unknown_name(identifier, at, ev)

    return run


def unknown_name(identifier: str, at: int, ev: Evaluation) -> ExpressionError:
    """The error for a name that does not exist, naming the nearest."""
    if identifier in FUNCTIONS or identifier in TYPES:
        return ExpressionError(
            f"`{identifier}` is a function: it needs a value in brackets.",
            f"For example: {identifier}(input)",
            at,
        )
    return ExpressionError(*missing(identifier, [*ev.names.names(), *FUNCTIONS], ""), at)


_BINARY: dict[type[ast.operator], BinaryOperation] = {
    ast.Add: arithmetic.add,
    ast.Sub: arithmetic.subtract,
    ast.Mult: arithmetic.multiply,
    ast.Div: arithmetic.divide,
    ast.FloorDiv: arithmetic.floor_divide,
    ast.Mod: arithmetic.remainder,
    ast.Pow: arithmetic.power,
    ast.LShift: arithmetic.shift_left,
    ast.RShift: arithmetic.shift_right,
    ast.BitOr: arithmetic.bit_or,
    ast.BitAnd: arithmetic.bit_and,
    ast.BitXor: arithmetic.bit_xor,
}


def binary(compiler: Compiler, node: ast.BinOp) -> Closure:
    """`left + right` and the like."""
    operation = _BINARY.get(type(node.op))
    if operation is None:
        raise ExpressionError("`@` cannot be used in an expression.", "", compiler.at(node))
    compiler.builds = True
    return _combined(
        compiler.compile(node.left), compiler.compile(node.right), operation, compiler.at(node)
    )


def _combined(left: Closure, right: Closure, operation: Callable[..., Any], at: int) -> Closure:
    def run(ev: Evaluation) -> Any:
        first = left(ev)
        second = right(ev)
        try:
            return operation(first, second, ev)
        except FAULTS as fault:
            raise placed(fault, at) from None

    return run


def _against(left: Closure, second: Any, operation: Callable[..., Any], at: int) -> Closure:
    """As `_combined` with a literal on the right, the commonest comparison by far."""

    def run(ev: Evaluation) -> Any:
        try:
            return operation(left(ev), second, ev)
        except FAULTS as fault:
            raise placed(fault, at) from None

    return run


_UNARY: dict[type[ast.unaryop], Callable[[Any, Evaluation], Any]] = {
    ast.USub: arithmetic.negative,
    ast.UAdd: arithmetic.positive,
    ast.Invert: arithmetic.inverted,
}


def unary(compiler: Compiler, node: ast.UnaryOp) -> Closure:
    """`-value` and `not value`."""
    operand = compiler.compile(node.operand)
    if isinstance(node.op, ast.Not):
        return lambda ev: not operand(ev)
    operation = _UNARY[type(node.op)]
    at = compiler.at(node)

    def run(ev: Evaluation) -> Any:
        value = operand(ev)
        try:
            return operation(value, ev)
        except FAULTS as fault:
            raise placed(fault, at) from None

    return run


def logical(compiler: Compiler, node: ast.BoolOp) -> Closure:
    """`and` and `or`, which give the value that decided, as in Python."""
    parts = [compiler.compile(value) for value in node.values]
    *firsts, last = parts
    wanted = isinstance(node.op, ast.Or)

    def run(ev: Evaluation) -> Any:
        for part in firsts:
            value = part(ev)
            if bool(value) is wanted:
                return value
        return last(ev)

    return run


def choice(compiler: Compiler, node: ast.IfExp) -> Closure:
    """`a if condition else b`."""
    condition = compiler.compile(node.test)
    then, otherwise = compiler.compile(node.body), compiler.compile(node.orelse)
    return lambda ev: then(ev) if condition(ev) else otherwise(ev)


def _not_equal(left: Any, right: Any, ev: Evaluation) -> bool:
    return not comparison.equal(left, right, ev)


def _not_in(left: Any, right: Any, ev: Evaluation) -> bool:
    return not comparison.contains(left, right, ev)


def _is(left: Any, right: Any, _ev: Evaluation) -> bool:
    return left is right


def _is_not(left: Any, right: Any, _ev: Evaluation) -> bool:
    return left is not right


_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any, Evaluation], bool]] = {
    ast.Eq: comparison.equal,
    ast.NotEq: _not_equal,
    ast.Lt: comparison.ordered(operator.lt, "<"),
    ast.LtE: comparison.ordered(operator.le, "<="),
    ast.Gt: comparison.ordered(operator.gt, ">"),
    ast.GtE: comparison.ordered(operator.ge, ">="),
    ast.In: comparison.contains,
    ast.NotIn: _not_in,
    ast.Is: _is,
    ast.IsNot: _is_not,
}


def compare(compiler: Compiler, node: ast.Compare) -> Closure:
    """`a < b`, and chains of comparisons: `a < b < c`."""
    at = compiler.at(node)
    operands = [node.left, *node.comparators]
    for sign, right in zip(node.ops, node.comparators, strict=True):
        _check_is(sign, right, at)
    closures = [compiler.compile(operand) for operand in operands]
    operations = [_COMPARE[type(sign)] for sign in node.ops]
    if len(operations) == 1:
        last = operands[1]
        if isinstance(last, ast.Constant):
            return _against(closures[0], last.value, operations[0], at)
        return _combined(closures[0], closures[1], operations[0], at)
    first, steps = closures[0], list(zip(operations, closures[1:], strict=True))

    def run(ev: Evaluation) -> Any:
        left = first(ev)
        for operation, closure in steps:
            right = closure(ev)
            try:
                if not operation(left, right, ev):
                    return False
            except FAULTS as fault:
                raise placed(fault, at) from None
            left = right
        return True

    return run


def _check_is(sign: ast.cmpop, right: ast.expr, at: int) -> None:
    if not isinstance(sign, ast.Is | ast.IsNot):
        return
    words = isinstance(right, ast.Name) and right.id in LITERAL_WORDS
    values = isinstance(right, ast.Constant) and (
        right.value is None or isinstance(right.value, bool)
    )
    if not (words or values):
        raise ExpressionError(
            "`is` is for `None`, `True` and `False` only.", "Write `==` or `!=`.", at
        )
