"""What a node type gave, looked at before anything of it is recorded.

Node types are written by many people; what a journal could not give back must not get into it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import NodeError
from engine.node_type import Iterate, Output, Outputs, Pause, Request, Route, Stop


def check_result(result: object) -> None:
    """Passes a result whose parts are of the kinds that they must be.

    Raises:
        NodeError: It is no result, or a part of it is something else.
    """
    match result:
        case Output() | Route() | Outputs():
            _check_changes(result)
        case Iterate():
            _must(_is_list(result.items), "items", "a list", result.items)
            _must(type(result.concurrency) is int, "concurrency", "a number", result.concurrency)
            known = result.on_item_error in ("stop", "continue")
            _must(known, "on_item_error", "'stop' or 'continue'", result.on_item_error)
        case Pause():
            asked = _is_list(result.requests) and all(
                isinstance(each, Request) for each in result.requests
            )
            _must(asked, "requests", "a list of Request", result.requests)
        case Stop():
            known = result.status in ("finished", "error")
            _must(known, "status", "'finished' or 'error'", result.status)
            _must(isinstance(result.message, str), "message", "text", result.message)
        case _:
            msg = f"The node gave a {type(result).__name__} instead of a result."
            hint = "A node's run must return Output, Route, Outputs, Pause, Iterate or Stop."
            raise NodeError(msg, hint)


def _check_changes(result: Output | Route | Outputs) -> None:
    if isinstance(result, Route):
        _must(isinstance(result.key, str), "key", "text", result.key)
        _must(isinstance(result.reason, str), "reason", "text", result.reason)
    elif isinstance(result, Outputs):
        _must(_is_list(result.values), "values", "a list", result.values)
    named = isinstance(result.updates, Mapping) and all(
        isinstance(name, str) for name in result.updates
    )
    _must(named, "updates", "variables by name", result.updates)
    told = _is_list(result.changes) and all(_is_change(each) for each in result.changes)
    _must(told, "changes", "a list of Change", result.changes)


def _is_change(change: Any) -> bool:
    return (
        isinstance(change, tuple)
        and len(change) == 4
        and all(isinstance(part, str) for part in change[:3])
    )


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _must(holds: bool, part: str, wanted: str, got: object) -> None:
    if not holds:
        msg = f"The `{part}` of what the node gave must be {wanted}, not {type(got).__name__}."
        raise NodeError(msg, "This is a fault of the node type.")
