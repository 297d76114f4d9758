"""Which names an expression or a template reads, as data for checks and the editor."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.language.functions import FUNCTIONS


@dataclass(frozen=True, slots=True)
class Reference:
    """One place where a name is read.

    Args:
        root: The first name, as `context` or a node's id.
        path: What is taken of it; None where it is computed.
        position: Where the name stands in the text, in characters.
        has_default: It may lead nowhere: there is a value for that case.
    """

    root: str
    path: tuple[str | int | None, ...]
    position: int
    has_default: bool = False


LITERAL_WORDS = {"true": True, "false": False, "null": None, "none": None}
"""Spellings of other languages that are understood where no name of that kind exists."""


def references_in(tree: ast.expr, place: Callable[[ast.AST], int]) -> tuple[Reference, ...]:
    """Every outside name that the expression reads, in reading order.

    Args:
        tree: A checked expression.
        place: The offset of a part of it.
    """
    found = _Finder(place).visit(tree, frozenset())
    return tuple(sorted(found, key=lambda reference: reference.position))


class _Finder:
    def __init__(self, place: Callable[[ast.AST], int]) -> None:
        self._place = place

    def visit(self, node: ast.AST, own: frozenset[str]) -> Iterator[Reference]:
        chain = _chain(node)
        if chain is not None:
            yield from self._chain_reference(*chain, own=own)
            yield from self._visit_keys(node, own)
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            yield from self._comprehension(node, own)
        elif isinstance(node, ast.Call):
            yield from self._call(node, own)
        else:
            for child in ast.iter_child_nodes(node):
                yield from self.visit(child, own)

    def _chain_reference(
        self,
        root: ast.Name,
        path: tuple[str | int | None, ...],
        *,
        own: frozenset[str],
        has_default: bool = False,
    ) -> Iterator[Reference]:
        if root.id not in own and not (root.id in LITERAL_WORDS and not path):
            yield Reference(root.id, path, self._place(root), has_default)

    def _visit_keys(self, node: ast.AST, own: frozenset[str]) -> Iterator[Reference]:
        """The names inside computed keys: `x` in `context.items[x]`."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            if isinstance(node, ast.Subscript):
                yield from self.visit(node.slice, own)
            node = node.value

    def _call(self, node: ast.Call, own: frozenset[str]) -> Iterator[Reference]:
        arguments: list[ast.AST] = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, ast.Attribute):
            chain = _chain(node.func.value)
            key = node.args[0] if node.args and node.func.attr == "get" else None
            if chain is not None and isinstance(key, ast.Constant) and isinstance(key.value, str):
                root, path = chain
                yield from self._chain_reference(
                    root, (*path, key.value), own=own, has_default=True
                )
                yield from self._visit_keys(node.func.value, own)
            else:
                yield from self.visit(node.func.value, own)
        elif isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            arguments = arguments[:1]
        for argument in arguments:
            yield from self.visit(argument, own)

    def _comprehension(
        self,
        node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
        own: frozenset[str],
    ) -> Iterator[Reference]:
        for generator in node.generators:
            yield from self.visit(generator.iter, own)
            targets = {n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name)}
            own = own | targets
            for condition in generator.ifs:
                yield from self.visit(condition, own)
        results = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        for result in results:
            yield from self.visit(result, own)


def _chain(node: ast.AST) -> tuple[ast.Name, tuple[str | int | None, ...]] | None:
    """The root and path of `a.b["c"][0]`; None when it does not begin with a name."""
    path: list[str | int | None] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        path.append(node.attr if isinstance(node, ast.Attribute) else _key(node.slice))
        node = node.value
    if isinstance(node, ast.Name):
        return node, tuple(reversed(path))
    return None


def _key(node: ast.expr) -> str | int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _key(node.operand)
        return -inner if isinstance(inner, int) else None
    if isinstance(node, ast.Constant) and type(node.value) in (str, int):
        assert isinstance(node.value, str | int)
        return node.value
    return None


def spoken(node: ast.AST) -> str:
    """What a part of an expression is called in a message: `context.items[0]`."""
    chain = _chain(node)
    if chain is None or None in chain[1]:
        return "this value"
    parts = [chain[0].id]
    for key in chain[1]:
        parts.append(f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{key!r}]")
    return "".join(parts)


def is_function_name(name: str) -> bool:
    """Whether the name belongs to a function of the language."""
    return name in FUNCTIONS or name == "isinstance"
