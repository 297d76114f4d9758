"""Closures for comprehensions: `[x.name for x in items if x.ok]`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from engine.errors import ExpressionError
from engine.language.budget import PAIR, Evaluation
from engine.language.compile_displays import checked_key
from engine.language.compiler import FAULTS, Closure, Compiler, placed
from engine.language.values import is_list, items_of, make_set
from engine.language.words import kind_of

Assign = Callable[[Evaluation, Any], None]
_MAKING = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.JoinedStr, ast.Call)
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(frozen=True, slots=True)
class _Level:
    """One `for … in … if …` of a comprehension."""

    items: Closure
    assign: Assign
    conditions: tuple[Closure, ...]
    weight: int
    at: int


def _levels(compiler: Compiler, node: Comprehension, weight: int) -> list[_Level]:
    """The loops, outermost first; the scope that they open stays open for the result."""
    compiler.builds = True
    levels: list[_Level] = []
    for number, generator in enumerate(node.generators):
        if generator.is_async:
            raise ExpressionError(
                "Waiting (`async`) cannot be used in an expression.", "", compiler.at(node)
            )
        items = _items(compiler, generator.iter)
        if number == 0:
            compiler.open_scope()
        assign = _target(compiler, generator.target)
        conditions = tuple(compiler.compile(condition) for condition in generator.ifs)
        own = 2 + sum(_size(condition) for condition in generator.ifs)
        last = number == len(node.generators) - 1
        at = compiler.at(generator.iter)
        levels.append(_Level(items, assign, conditions, own + weight * last, at))
    return levels


def _items(compiler: Compiler, node: ast.expr) -> Closure:
    return lazy(compiler, node) if isinstance(node, ast.GeneratorExp) else compiler.compile(node)


def _size(node: ast.AST) -> int:
    """How much work one evaluation is: its parts, and more for those that make something new."""
    return sum(PAIR if isinstance(part, _MAKING) else 1 for part in ast.walk(node))


def _target(compiler: Compiler, node: ast.expr) -> Assign:
    if isinstance(node, ast.Name):
        compiler.check_name(node.id, node)
        return _one(compiler.new_slot(node.id))
    if isinstance(node, ast.Tuple | ast.List):
        return _several([_target(compiler, part) for part in node.elts])
    raise ExpressionError(
        "After `for` stands a name.", "[x.name for x in items]", compiler.at(node)
    )


def _one(slot: int) -> Assign:
    def assign(ev: Evaluation, value: Any) -> None:
        ev.slots[slot] = value

    return assign


def _several(parts: list[Assign]) -> Assign:
    def assign(ev: Evaluation, value: Any) -> None:
        if not (is_list(value) or isinstance(value, str)):
            raise ExpressionError(f"Cannot take {len(parts)} values out of {kind_of(value)}.")
        if len(value) != len(parts):
            raise ExpressionError(
                f"There are {len(parts)} names but {len(value)} values to take.",
                "For the names and values of a record, write `for k, v in record.items()`.",
            )
        for part, each in zip(parts, value, strict=True):
            part(ev, each)

    return assign


def _rounds(levels: list[_Level], ev: Evaluation, number: int = 0) -> Iterator[None]:
    """Sets the loop variables to each combination in turn."""
    level = levels[number]
    innermost = number == len(levels) - 1
    source = level.items(ev)
    try:
        items = items_of(source, ev)
    except FAULTS as fault:
        raise placed(fault, level.at) from None
    for item in items:
        try:
            ev.spend(level.weight)
            level.assign(ev, item)
        except FAULTS as fault:
            raise placed(fault, level.at) from None
        for condition in level.conditions:
            if not condition(ev):
                break
        else:
            if innermost:
                yield
            else:
                yield from _rounds(levels, ev, number + 1)


def list_comprehension(compiler: Compiler, node: ast.ListComp) -> Closure:
    """`[x for x in items]`."""
    levels = _levels(compiler, node, _size(node.elt))
    result = compiler.compile(node.elt)
    compiler.close_scope()
    return lambda ev: [result(ev) for _ in _rounds(levels, ev)]


def lazy(compiler: Compiler, node: ast.GeneratorExp) -> Closure:
    """`x for x in items` as the argument of a function, which goes through it at once."""
    levels = _levels(compiler, node, _size(node.elt))
    result = compiler.compile(node.elt)
    compiler.close_scope()
    return lambda ev: (result(ev) for _ in _rounds(levels, ev))


def set_comprehension(compiler: Compiler, node: ast.SetComp) -> Closure:
    """`{x for x in items}`."""
    levels = _levels(compiler, node, 2 * _size(node.elt))
    result = compiler.compile(node.elt)
    compiler.close_scope()
    at = compiler.at(node)

    def run(ev: Evaluation) -> Any:
        members = [result(ev) for _ in _rounds(levels, ev)]
        try:
            return make_set(members)
        except FAULTS as fault:
            raise placed(fault, at) from None

    return run


def record_comprehension(compiler: Compiler, node: ast.DictComp) -> Closure:
    """`{x.name: x for x in items}`."""
    levels = _levels(compiler, node, 2 * (_size(node.key) + _size(node.value)))
    key, value = compiler.compile(node.key), compiler.compile(node.value)
    compiler.close_scope()
    at = compiler.at(node)

    def run(ev: Evaluation) -> Any:
        try:
            return {checked_key(key(ev)): value(ev) for _ in _rounds(levels, ev)}
        except FAULTS as fault:
            raise placed(fault, at) from None

    return run
