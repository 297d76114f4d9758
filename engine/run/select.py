"""Which edges a result takes, and why the others are not taken: a pure decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.errors import LanguageError, NodeError
from engine.flow.pins import Found, extract
from engine.run.names import StepNames
from engine.run.plan import EdgePlan, LevelPlan

ERROR_KEY = "error"
DEFAULT_KEY = "default"


@dataclass(slots=True)
class Taken:
    """The edges taken (numbers), pins that found nothing (edge id: why), and what to tell."""

    sent: list[int]
    each: list[list[int]] = field(default_factory=list)
    missed: dict[str, str] = field(default_factory=dict)
    reason: str = ""


def choose_edges(
    level: LevelPlan,
    node: int,
    route: str | None,
    output: Any,
    names: Callable[[], StepNames],
    else_key: Callable[[], str | None],
) -> Taken:
    """The edges that a result leaves on.

    Args:
        level: Where the node is.
        node: Its number.
        route: The route key; None for a plain output.
        output: What goes onto the edges.
        names: Gives the names after the step's updates, `output` among them.
        else_key: Gives the key that acts as else for a route that the node does not offer.

    Raises:
        NodeError: A condition on an edge cannot be evaluated.
    """
    taken = Taken([])
    keyed = _keyed(level, node, route, else_key, taken)
    for edge in keyed:
        if edge.feeds_tool or not _condition_holds(edge, names):
            continue
        why = _miss(edge, output)
        if why is None:
            taken.sent.append(edge.number)
        else:
            taken.missed[edge.edge.id] = why
    return taken


def sent_plainly(level: LevelPlan, node: int, route: str | None) -> list[int] | None:
    """The edges taken, where nothing but the route decides and it has been looked at before."""
    if route is None:
        return level.all_out[node] if level.plain_out[node] else None
    return level.simple_routes.get((node, route))


def merged(taken: Sequence[Taken]) -> Taken:
    """What several outputs of one step take together."""
    if len(taken) == 1:
        return taken[0]
    whole = Taken(sorted({edge for each in taken for edge in each.sent}))
    for each in taken:
        whole.missed.update(each.missed)
        whole.reason = each.reason or whole.reason
    if any(each.sent != whole.sent for each in taken):
        whole.each = [each.sent for each in taken]
    return whole


def _keyed(
    level: LevelPlan,
    node: int,
    route: str | None,
    else_key: Callable[[], str | None],
    taken: Taken,
) -> list[EdgePlan]:
    out = level.out[node]
    if route is None:
        return [edge for edge in out if edge.key != ERROR_KEY]
    if route == ERROR_KEY:
        return [edge for edge in out if edge.key == ERROR_KEY]
    found = [edge for edge in out if edge.key in (route, None)]
    if found and all(edge.condition is None and edge.source_pin is None for edge in found):
        level.simple_routes[node, route] = [e.number for e in found if not e.feeds_tool]
    if found or not out:
        return found
    for key in (DEFAULT_KEY, else_key()):
        instead = [edge for edge in out if key is not None and edge.key == key]
        if instead:
            taken.reason = f"No edge has the route '{route}', so '{key}' is taken."
            return instead
    taken.reason = f"No edge has the route '{route}': the path ends here."
    return []


def _condition_holds(edge: EdgePlan, names: Callable[[], StepNames]) -> bool:
    condition = edge.condition
    if condition is None:
        return True
    try:
        if isinstance(condition, LanguageError):
            raise condition
        return bool(condition.evaluate(names()))
    except LanguageError as error:
        msg = f"The condition on edge '{edge.edge.id}' cannot be evaluated: {error.message}"
        raise NodeError(msg, error.hint) from None


def _miss(edge: EdgePlan, output: Any) -> str | None:
    """Why the output lacks what the pin points at; None where it does not."""
    if edge.source_pin is None:
        return None
    found = extract(output, edge.source_pin)
    return None if isinstance(found, Found) else found.reason
