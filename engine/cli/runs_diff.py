"""Where two runs begin to differ: their steps laid side by side by node, visit and box item."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from engine.cli.json_output import print_json
from engine.cli.matching import same
from engine.cli.run_names import ways_past_damage, which_run
from engine.cli.surroundings import open_workplace
from engine.cli.terminal import Screen
from engine.run.history import read_history
from engine.run.workplace import Workplace

Step = Mapping[str, Any]
_FIELDS = ("status", "route", "inputs", "output", "error", "reason")
_SHOWN = 10


def diff_runs(arguments: argparse.Namespace) -> int:
    """Compares two runs; that they differ is no failure."""
    workplace = open_workplace()
    ids = [which_run(workplace.places, text) for text in (arguments.run, arguments.other)]
    one, other = (_steps(workplace, run_id, arguments.up_to_damage) for run_id in ids)
    found = differences(one, other)
    screen = Screen(cover=workplace.redact)
    record = {"runs": ids, "same": not found, "first": found[0] if found else None}
    if arguments.json:
        print_json(screen.cover({**record, "differences": found}))
        return 0
    _show(screen, ids, screen.cover(found), len(one))
    return 0


def _steps(workplace: Workplace, run_id: str, up_to_damage: bool) -> Sequence[Step]:
    with ways_past_damage(run_id):
        history = read_history(workplace.places, run_id, up_to_damage=up_to_damage)
    return history.steps()


def differences(one: Sequence[Step], other: Sequence[Step]) -> list[dict[str, Any]]:
    """Every step in which two runs differ, in the order of the first run.

    Each tells node, visit, path, the field that differs first, and both values; a step that only
    one of them has differs in `presence`.
    """
    theirs = {_key(step): step for step in other}
    found = []
    for step in one:
        pair = theirs.pop(_key(step), None)
        difference = _difference(step, pair)
        if difference is not None:
            found.append(difference)
    found.extend(_presence(step, None, step["step"]) for step in theirs.values())
    return found


def _key(step: Step) -> tuple[str, str, int]:
    return step.get("path", ""), step["node"], step["visit"]


def _difference(step: Step, pair: Step | None) -> dict[str, Any] | None:
    if pair is None:
        return _presence(step, step["step"], None)
    for field in _FIELDS:
        mine, theirs = step.get(field), pair.get(field)
        if not same(mine, theirs):
            numbers = (step["step"], pair["step"])
            return {**_place(step), "steps": numbers, "field": field, "one": mine, "other": theirs}
    return None


def _presence(step: Step, mine: int | None, theirs: int | None) -> dict[str, Any]:
    there = {"status": step["status"], "output": step["output"]}
    return {
        **_place(step),
        "steps": (mine, theirs),
        "field": "presence",
        "one": there if mine is not None else None,
        "other": there if theirs is not None else None,
    }


def _place(step: Step) -> dict[str, Any]:
    return {"node": step["node"], "visit": step["visit"], "path": step.get("path", "")}


def _show(screen: Screen, ids: Sequence[str], found: Sequence[Step], steps: int) -> None:
    if not found:
        screen.line(f"Both runs took the same {steps} steps, with the same values.")
        return
    for place, difference in enumerate(found[:_SHOWN]):
        head = "The first difference" if place == 0 else "Then"
        screen.line(f"{head}: {_where(screen, difference)}")
        for run_id, side in zip(ids, ("one", "other"), strict=True):
            value = difference[side]
            missing = difference["field"] == "presence" and value is None
            shown = "no such step" if missing else screen.short(value, screen.width - 34)
            screen.line(f"  {run_id}  {shown}")
    if len(found) > _SHOWN:
        screen.line(f"{len(found) - _SHOWN} more steps differ; --json lists them all.")


def _where(screen: Screen, difference: Step) -> str:
    path = f" in {difference['path']}" if difference["path"] else ""
    visit = f", visit {difference['visit']}" if difference["visit"] > 1 else ""
    field = "" if difference["field"] == "presence" else f": {difference['field']}"
    return screen.show(f"node '{difference['node']}'{visit}{path}{field}")
