"""Closures for calls of the listed functions and methods."""

from __future__ import annotations

import ast
from typing import Any

from engine.errors import ExpressionError
from engine.language.budget import Evaluation
from engine.language.compile_access import base_of
from engine.language.compile_loops import lazy
from engine.language.compiler import FAULTS, Closure, Compiler, placed
from engine.language.functions import FUNCTIONS, TYPES, is_of_type
from engine.language.methods import METHOD_TABLES
from engine.language.reference import is_function_name, spoken
from engine.language.rule import Rule
from engine.language.scope import NodeValue
from engine.language.values import is_list, is_record
from engine.language.words import kind_of, nearest

_TEXT, _LIST, _RECORD = METHOD_TABLES
_CHANGING = frozenset(
    {
        "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update",
        "setdefault", "popitem", "add", "discard",
    }
)  # fmt: skip


def call(compiler: Compiler, node: ast.Call) -> Closure:
    """`function(…)` or `value.method(…)`."""
    if not (isinstance(node.func, ast.Attribute) and node.func.attr == "get"):
        compiler.builds = True
    if isinstance(node.func, ast.Name):
        return _function(compiler, node, node.func)
    if isinstance(node.func, ast.Attribute):
        return _method(compiler, node, node.func)
    raise ExpressionError(
        "Only functions and methods can be called.", "Delete the brackets.", compiler.at(node)
    )


def _function(compiler: Compiler, node: ast.Call, func: ast.Name) -> Closure:
    compiler.check_name(func.id, func)
    if func.id == "isinstance":
        return _isinstance(compiler, node)
    rule = FUNCTIONS.get(func.id)
    if rule is None:
        near = nearest(func.id, [*FUNCTIONS, "isinstance"])
        ask = f"; did you mean `{near}`?" if near else "."
        raise ExpressionError(
            f"There is no function `{func.id}`{ask}",
            "" if near else f"There are: {', '.join(FUNCTIONS)}.",
            compiler.at(func),
        )
    _check_count(compiler, node, rule)
    run, at = rule.run, compiler.at(node)
    arguments = [_argument(compiler, rule, argument) for argument in node.args]
    named = _named(compiler, node, rule)
    if len(arguments) == 1 and not named:
        return _one_argument(run, arguments[0], at)

    def call_function(ev: Evaluation) -> Any:
        values = [argument(ev) for argument in arguments]
        options = {name: closure(ev) for name, closure in named}
        try:
            return run(ev, *values, **options)
        except FAULTS as fault:
            raise placed(fault, at) from None

    return call_function


def _one_argument(run: Any, argument: Closure, at: int) -> Closure:
    def call_function(ev: Evaluation) -> Any:
        value = argument(ev)
        try:
            return run(ev, value)
        except FAULTS as fault:
            raise placed(fault, at) from None

    return call_function


def _argument(compiler: Compiler, rule: Rule, node: ast.expr) -> Closure:
    if isinstance(node, ast.GeneratorExp) and rule.goes_through:
        return lazy(compiler, node)
    return compiler.compile(node)


def _named(compiler: Compiler, node: ast.Call, rule: Rule) -> list[tuple[str, Closure]]:
    found: list[tuple[str, Closure]] = []
    for keyword in node.keywords:
        if keyword.arg is None:
            raise ExpressionError(
                "Spreading with `**` cannot be used in an expression.", "", compiler.at(keyword)
            )
        compiler.check_name(keyword.arg, keyword)
        if keyword.arg not in rule.keywords and "*" not in rule.keywords:
            raise ExpressionError(
                f"`{rule.name}` takes nothing named `{keyword.arg}`.",
                f"It is used like this: {rule.usage}",
                compiler.at(keyword),
            )
        found.append((keyword.arg, compiler.compile(keyword.value)))
    return found


def _check_count(compiler: Compiler, node: ast.Call, rule: Rule) -> None:
    # A positional argument may also be given by name: `split(maxsplit=1)`, `sum(x, start=1)`.
    count = len(node.args)
    named = 0 if "*" in rule.keywords else len(node.keywords)
    positional = rule.name in ("split", "rsplit", "expandtabs", "splitlines", "sum", "enumerate")
    most = None if rule.most is None else rule.most - (named if positional else 0)
    if count < rule.least or (most is not None and count > most):
        raise ExpressionError(
            f"`{rule.name}` takes {rule.takes()}, not {count + named}.",
            f"It is used like this: {rule.usage}",
            compiler.at(node),
        )


def _isinstance(compiler: Compiler, node: ast.Call) -> Closure:
    if len(node.args) != 2 or node.keywords:
        raise ExpressionError(
            "`isinstance` takes a value and a type.", "isinstance(x, str)", compiler.at(node)
        )
    value = compiler.compile(node.args[0])
    names = _type_names(compiler, node.args[1])
    return lambda ev: _is_any(value(ev), names)


def _is_any(value: Any, names: list[str]) -> bool:
    return any(is_of_type(value, name) for name in names)


def _type_names(compiler: Compiler, node: ast.expr) -> list[str]:
    if isinstance(node, ast.Tuple | ast.List):
        return [name for part in node.elts for name in _type_names(compiler, part)]
    if isinstance(node, ast.Name) and node.id in TYPES:
        return [node.id]
    raise ExpressionError(
        "The second value of `isinstance` must be a type.",
        f"The types are {', '.join(TYPES)}.",
        compiler.at(node),
    )


def _method(compiler: Compiler, node: ast.Call, func: ast.Attribute) -> Closure:
    name = func.attr
    compiler.check_name(name, func)
    rules = [table[name] for table in METHOD_TABLES if name in table]
    if not rules:
        raise _no_method(compiler, func)
    if len(rules) == 1:
        _check_count(compiler, node, rules[0])
    for keyword in node.keywords:
        if not any(keyword.arg in rule.keywords for rule in rules):
            _named(compiler, node, rules[0])
    inner = base_of(compiler, func.value)
    arguments = [_argument(compiler, rules[0], argument) for argument in node.args]
    named = _named(compiler, node, rules[0])
    where, at = spoken(func.value), compiler.at_name(func)

    def call_method(ev: Evaluation) -> Any:
        value = inner(ev)
        values = [argument(ev) for argument in arguments]
        options = {key: closure(ev) for key, closure in named}
        try:
            rule = _rule_for(value, name, where)
            if len(rules) > 1 and not rule.least <= len(values) <= (rule.most or 0):
                raise ExpressionError(f"`.{name}` takes {rule.takes()}, not {len(values)}.")
            return rule.run(ev, value, *values, **options)
        except FAULTS as fault:
            raise placed(fault, at) from None

    return call_method


def _no_method(compiler: Compiler, func: ast.Attribute) -> ExpressionError:
    name = func.attr
    hint = ""
    if name in _CHANGING:
        hint = "An expression changes nothing; use a Set variables node."
    elif name in ("format", "format_map"):
        hint = 'Write f"… {name} …".'
    elif is_function_name(name):
        hint = f"Write `{name}(…)`."
    elif name in ("length", "size"):
        hint = "Write `len(…)`."
    else:
        near = nearest(name, [each for table in METHOD_TABLES for each in table])
        hint = f"Did you mean `.{near}()`?" if near else ""
    return ExpressionError(f"There is no method `.{name}()`.", hint, compiler.at_name(func))


def _rule_for(value: Any, name: str, where: str) -> Rule:
    if isinstance(value, str):
        table = _TEXT
    elif is_record(value):
        table = _RECORD
    elif is_list(value):
        table = _LIST
    elif isinstance(value, NodeValue):
        raise ExpressionError(f"{where} is a node.", f"Write `{where}.output.{name}(…)`.")
    else:
        table = {}
    rule = table.get(name)
    if rule is None:
        raise ExpressionError(
            f"There is no method `.{name}()` here: {where} is {kind_of(value)}.",
            f"It has: {', '.join(f'.{each}()' for each in list(table)[:8])}." if table else "",
        )
    return rule
