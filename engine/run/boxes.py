"""Iterations: a box runs its children once per item, so many at a time."""

from __future__ import annotations

from typing import Any

from engine.run import events
from engine.run.condition import Box, Condition, Firing, Scope
from engine.run.firing import begin
from engine.run.requests import REPEAT


def open_items(condition: Condition, firing: Firing, event: events.IterationStarted) -> None:
    """Begins an iteration: opens the first items."""
    firing.status = "iterating"
    prefix = _free_prefix(condition, firing)
    firing.box = Box(prefix, list(event.items), max(1, event.concurrency), event.on_item_error)
    _open_more(condition, firing)


def _free_prefix(condition: Condition, firing: Firing) -> str:
    """`box` or `outer#0/box`; told apart by firing when another step of the box is under way."""
    name = condition.node_id(firing)
    prefix = f"{firing.path}/{name}" if firing.path else name
    taken = any(f.box is not None and f.box.prefix == prefix for f in condition.firings.values())
    return f"{prefix}~{firing.id}" if taken else prefix


def _open_more(condition: Condition, firing: Firing) -> None:
    box = firing.box
    assert box is not None
    level = condition.plan.level(condition.node_id(firing))
    while box.opened < len(box.items) and box.opened - len(box.results) < box.concurrency:
        index = box.opened
        box.opened += 1
        if level.structure.starts:
            _open_item(condition, firing, box, index)
        else:
            box.results[index] = box.items[index]
    if box.done and firing.status == "iterating":
        _wake(condition, firing)


def _open_item(condition: Condition, firing: Firing, box: Box, index: int) -> None:
    name = condition.node_id(firing)
    total = len(box.items)
    item = {
        "index": index,
        "item": box.items[index],
        "is_first": index == 0,
        "is_last": index == total - 1,
        "total": total,
    }
    path = f"{box.prefix}#{index}"
    scope = Scope(path, condition.plan.level(name), owner=firing.id, item=item)
    condition.scopes[path] = scope
    for node in scope.level.structure.starts:
        begin(condition, scope, node, {name: box.items[index]})


def scope_is_over(condition: Condition, scope: Scope) -> None:
    """Nothing is left to do at this level; an item hands its result to its box."""
    if scope.owner is None:
        return
    firing = condition.firings[scope.owner]
    _item_done(condition, firing, scope, scope.result())


def _item_done(condition: Condition, firing: Firing, scope: Scope, result: Any) -> None:
    box = firing.box
    assert box is not None
    assert scope.item is not None
    _report_unmatched(condition, scope)
    box.results[scope.item["index"]] = result
    del condition.scopes[scope.path]
    _open_more(condition, firing)


def _report_unmatched(condition: Condition, scope: Scope) -> None:
    for token in scope.room.unmatched():
        edge = scope.level.structure.edges[token.edge].id
        notice = {
            "message": f"A value on edge '{edge}' was not used by any step ({scope.path}).",
            "node": None,
            "edges": [edge],
            "path": scope.path,
        }
        condition.warnings.append(notice)
        condition.notices.append(notice)


def item_failed(condition: Condition, scope: Scope, error: dict[str, Any]) -> None:
    """A step of an item failed for good: the item is null, or the whole box fails."""
    assert scope.owner is not None
    assert scope.item is not None
    firing = condition.firings[scope.owner]
    box = firing.box
    assert box is not None
    if box.on_item_error == "continue":
        box.errors.append({"index": scope.item["index"], "error": error})
        _drop_inside(condition, scope.path)
        _item_done(condition, firing, scope, None)
    elif box.failure is None:
        box.failure = {"index": scope.item["index"], "error": error}
        condition.cancelled.extend(f.id for f in _inside(condition, firing))
        _wake(condition, firing)


def fail_box(condition: Condition, firing: Firing, limit_s: float) -> None:
    """A box took too long: what its items still do is called off."""
    box = firing.box
    if box is None or box.failure is not None or firing.status != "iterating":
        return
    error = {
        "message": f"The items took longer than the limit of {limit_s:g} s together.",
        "hint": "Raise the limit on the box, or give it less to do.",
        "kind": "timeout",
    }
    box.failure = {"index": None, "error": error}
    condition.cancelled.extend(f.id for f in _inside(condition, firing))
    _wake(condition, firing)


def _wake(condition: Condition, firing: Firing) -> None:
    firing.status = "ready"
    condition.fresh.append(firing.id)


def close_box(condition: Condition, firing: Firing) -> None:
    """The box is over, whatever its items still do."""
    assert firing.box is not None
    for index in range(firing.box.opened):
        path = f"{firing.box.prefix}#{index}"
        if path in condition.scopes:
            _drop_inside(condition, path)
            del condition.scopes[path]
    firing.box = None


def _drop_inside(condition: Condition, path: str) -> None:
    """Forgets every step of a level and of the levels inside it."""
    for firing in [f for f in condition.firings.values() if _is_inside(f.path, path)]:
        del condition.firings[firing.id]
        condition.cancelled.append(firing.id)
    for inner in [p for p in condition.scopes if p != path and _is_inside(p, path)]:
        del condition.scopes[inner]


def _inside(condition: Condition, box_firing: Firing) -> list[Firing]:
    box = box_firing.box
    assert box is not None
    paths = [f"{box.prefix}#{index}" for index in range(box.opened)]
    return [
        firing
        for firing in condition.firings.values()
        if any(_is_inside(firing.path, path) for path in paths)
    ]


def _is_inside(path: str, outer: str) -> bool:
    return path == outer or path.startswith(outer + "/")


def reopen_failed(condition: Condition) -> None:
    """After an error the failed steps are ready again, and their boxes go on."""
    for firing in condition.firings.values():
        box = firing.box
        if box is not None and box.failure is not None:
            box.failure = None
            firing.status = "iterating"
        elif firing.status == "failed":
            firing.status = "ready"
            firing.attempts = 0
            # Whoever did not want it to run again is asked once more.
            firing.answers = tuple(a for a in firing.answers if not a[0].data.get(REPEAT))
