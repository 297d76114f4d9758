"""How long a run may go on."""

from __future__ import annotations

from typing import Any

from engine.run.condition import Condition

_RAISE = (
    "raise the limit: max_steps in the flow's settings, --max-steps N for this run, or the "
    "variable LOOPWRIGHT_MAX_STEPS"
)


def max_steps(condition: Condition) -> int:
    """The most steps that the run may take."""
    return int(condition.limits.get("max_steps") or condition.plan.flow.settings.max_steps)


def too_many_steps(condition: Condition) -> dict[str, Any]:
    """The error of a run that reached its limit; it names the loop that took the most rounds."""
    limit = max_steps(condition)
    message = f"The run reached its limit of {limit} step{'' if limit == 1 else 's'}."
    busiest = _busiest_loop(condition)
    if busiest:
        node, visits = busiest
        times = "once" if visits == 1 else f"{visits} times"
        message += f" The busiest loop begins at '{node}', which ran {times}."
    return {
        "message": message,
        "hint": f"Look at when that loop ends, or {_RAISE}." if busiest else f"You may {_RAISE}.",
        "kind": "max_steps",
        "node": busiest[0] if busiest else None,
    }


def _busiest_loop(condition: Condition) -> tuple[str, int] | None:
    levels = [condition.top.level, *(scope.level for scope in condition.scopes.values())]
    headers = {level.ids[header] for level in levels for header in level.structure.loops}
    if not headers:
        return None
    node = max(sorted(headers), key=lambda name: condition.visits.get(name, 0))
    return node, condition.visits.get(node, 0)
