"""Closures for going into data: fields, items, parts."""

from __future__ import annotations

import ast
from typing import Any

from engine.errors import ExpressionError
from engine.language.access import field, item, part
from engine.language.budget import Evaluation
from engine.language.compile_values import raw_name
from engine.language.compiler import FAULTS, Closure, Compiler, placed
from engine.language.reference import spoken


def base_of(compiler: Compiler, node: ast.expr) -> Closure:
    """What is gone into; the name of a node stays the node, so that `.output` can follow."""
    if isinstance(node, ast.Name) and compiler.slot_of(node.id) is None:
        compiler.check_name(node.id, node)
        return raw_name(node.id, compiler.at(node))
    return compiler.compile(node)


def attribute(compiler: Compiler, node: ast.Attribute) -> Closure:
    """`value.name`: always the field of a record."""
    name = node.attr
    compiler.check_name(name, node)
    inner = base_of(compiler, node.value)
    where, at = spoken(node.value), compiler.at_name(node)

    def run(ev: Evaluation) -> Any:
        value = inner(ev)
        if type(value) is dict:
            try:
                return value[name]
            except KeyError:
                pass
        try:
            return field(value, name, where)
        except FAULTS as fault:
            raise placed(fault, at) from None

    return run


def subscript(compiler: Compiler, node: ast.Subscript) -> Closure:
    """`value[key]` and `value[start:stop]`."""
    if isinstance(node.slice, ast.Slice):
        return _slice(compiler, node, node.slice)
    inner, key = base_of(compiler, node.value), compiler.compile(node.slice)
    where, at = spoken(node.value), compiler.at(node.slice)

    def run(ev: Evaluation) -> Any:
        value, wanted = inner(ev), key(ev)
        try:
            return item(value, wanted, where, ev)
        except FAULTS as fault:
            raise placed(fault, at) from None

    return run


def _slice(compiler: Compiler, node: ast.Subscript, bounds: ast.Slice) -> Closure:
    compiler.builds = True
    inner = compiler.compile(node.value)
    closures = [
        compiler.compile(bound) if bound is not None else _nothing
        for bound in (bounds.lower, bounds.upper, bounds.step)
    ]
    where, at = spoken(node.value), compiler.at(node)

    def run(ev: Evaluation) -> Any:
        value = inner(ev)
        start, stop, step = (closure(ev) for closure in closures)
        try:
            return part(value, start, stop, step, where, ev)
        except FAULTS as fault:
            raise placed(fault, at) from None

    return run


def _nothing(_ev: Evaluation) -> None:
    return None


def refused_slice(compiler: Compiler, node: ast.Slice) -> Closure:
    """A slice inside a pair of brackets with a comma, which no data understands."""
    raise ExpressionError("A list is cut by one range: `[1:3]`.", "", compiler.at(node))
