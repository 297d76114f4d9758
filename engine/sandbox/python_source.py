"""Python code made ready for its box: its value is kept, and its lines stay where they are."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache

from engine.errors import NodeError
from engine.sandbox.faults import fault

LAST = "_loopwright_last"
RETURNED = "_loopwright_returned"

_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)


@lru_cache(maxsize=256)
def ready(code: str) -> str:
    """The code, with the value of its last line and of every `return` kept under a name.

    Raises:
        NodeError: The code is not valid Python.
    """
    code = code.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    body = _parsed(code).body
    changes: list[tuple[ast.Expr | ast.Return, str]] = []
    changes += [(each, RETURNED) for each in _returns(body)]
    if body and isinstance(body[-1], ast.Expr):
        changes.append((body[-1], LAST))
    lines = [line.encode() for line in code.split("\n")]
    # From the end, so that the places of the others stay right.
    for statement, name in reversed(changes):
        _keep(lines, statement, name)
    return b"\n".join(lines).decode()


def _parsed(code: str) -> ast.Module:
    try:
        code.encode()
        with warnings.catch_warnings():
            # A doubtful escape such as "\d" is no reason to stop.
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except UnicodeEncodeError:
        raise fault(code, None, "it holds half a character (a lone surrogate)") from None
    except SyntaxError as error:
        raise _syntax_fault(code, error) from None
    except (RecursionError, MemoryError):
        raise fault(code, None, "it is nested too deeply to be read") from None
    except ValueError as error:
        raise fault(code, None, str(error)) from None


def _syntax_fault(code: str, error: SyntaxError) -> NodeError:
    column = f" (at character {error.offset})" if error.offset else ""
    return fault(
        code,
        error.lineno,
        f"this is not valid Python: {error.msg}{column}",
        "Look at this line and the one before it: a missing bracket, quote or colon?",
    )


def _returns(statements: Iterable[ast.AST]) -> Iterator[ast.Return]:
    """The `return`s of the code itself, in order; not those of functions in it."""
    for each in statements:
        if isinstance(each, ast.Return):
            yield each
        elif not isinstance(each, _NESTED):
            yield from _returns(ast.iter_child_nodes(each))


def _keep(lines: list[bytes], statement: ast.Expr | ast.Return, name: str) -> None:
    """Changes `x` to `name = (x)`, and `return x` to `name = (x); return`."""
    assert statement.end_lineno is not None
    assert statement.end_col_offset is not None
    start, end = statement.lineno - 1, statement.end_lineno - 1
    is_return = isinstance(statement, ast.Return)
    if is_return and statement.value is None:
        return
    closing = b"); return" if is_return else b")"
    last = lines[end]
    lines[end] = last[: statement.end_col_offset] + closing + last[statement.end_col_offset :]
    first, column = lines[start], statement.col_offset
    rest = column + len(b"return") if is_return else column
    lines[start] = first[:column] + f"{name} = (".encode() + first[rest:]
