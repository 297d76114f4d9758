"""The list of runs, and deleting some of them."""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engine.cli.json_output import print_json
from engine.cli.run_list import open_run_list
from engine.cli.run_names import which_run
from engine.cli.secret_cover import cover_of_secrets
from engine.cli.terminal import Screen
from engine.errors import RunError
from engine.run.family import needed_by, parts_of
from engine.store.places import Places, default_places
from engine.store.run_files import delete_run

if TYPE_CHECKING:
    from engine.store.run_index import RunEntry

_WIDE = 90
_LINE_WIDTH = 71
_TO_THE_SECOND = 15
_COLOURS = {"finished": "green", "error": "red", "damaged": "red", "paused": "cyan"}


def list_runs(arguments: argparse.Namespace) -> int:
    """Lists the newest runs."""
    places = default_places()
    entries = open_run_list(places).all() if places.runs.is_dir() else []
    wanted = [e for e in entries if arguments.status in (None, e.status)]
    shown = wanted[-arguments.count :][::-1]
    if arguments.json:
        print_json({"runs": [asdict(entry) for entry in shown], "total": len(wanted)})
        return 0
    screen = Screen(cover=cover_of_secrets())
    if not shown:
        screen.line("No runs yet. `loopwright run FLOW` begins one.")
        return 0
    if screen.width < _WIDE:
        known = [entry.run_id for entry in entries]
        for entry in shown:
            _show_narrow(screen, entry, _beginning(entry.run_id, known))
    else:
        names = max(len(_name(screen, entry)) for entry in shown)
        for entry in shown:
            _show(screen, entry, names)
    if len(wanted) > len(shown):
        screen.line(f"{len(wanted) - len(shown)} older ones: `loopwright runs list -n N`.")
    return 0


def _show(screen: Screen, entry: RunEntry, names: int) -> None:
    when = "" if entry.started is None else time.strftime("%Y-%m-%d %H:%M", _local(entry.started))
    name = screen.paint(_name(screen, entry).ljust(names), "bold")
    line = f"{entry.run_id}  {when:<16}  {_standing(screen, entry)}  {name}"
    facts = screen.show(_facts(entry)).replace("\n", " ")
    left = screen.width - _LINE_WIDTH - names
    if screen.is_terminal and len(facts) > left:
        screen.line(line.rstrip())
        screen.told(facts, "    ")
    else:
        screen.line(f"{line}  {screen.paint(facts, 'dim')}".rstrip())


def _show_narrow(screen: Screen, entry: RunEntry, beginning: str) -> None:
    """On few columns: as much of the run's name as tells it from the others; facts stand below."""
    left = max(8, screen.width - len(beginning) - 24)
    name = screen.paint(screen.short(entry.flow_name or entry.flow_id, left).strip('"'), "bold")
    screen.line(f"{beginning}  {_standing(screen, entry)}  {name}".rstrip())
    if facts := _facts(entry):
        screen.told(screen.show(facts), "    ")


def _standing(screen: Screen, entry: RunEntry) -> str:
    status = screen.paint(f"{entry.status:<8}", _COLOURS.get(entry.status, "yellow"))
    return f"{status}  {entry.steps:>4} step{' ' if entry.steps == 1 else 's'}"


def _beginning(run_id: str, known: list[str]) -> str:
    """The shortest beginning of a run's name that finds it, whole seconds at least."""
    others = [name for name in known if name != run_id]
    for length in range(_TO_THE_SECOND, len(run_id)):
        if not any(name.startswith(run_id[:length]) for name in others):
            return run_id[:length]
    return run_id


def _local(seconds: float) -> time.struct_time:
    return time.localtime(seconds)


def _name(screen: Screen, entry: RunEntry) -> str:
    return screen.short(entry.flow_name or entry.flow_id, 32).strip('"')


def _facts(entry: RunEntry) -> str:
    facts = []
    if entry.waiting:
        facts.append(f"{entry.waiting} question{'' if entry.waiting == 1 else 's'} waiting")
    if entry.forked_from:
        facts.append(f"fork of {entry.forked_from[0]} at {entry.forked_from[1]}")
    if entry.parent:
        facts.append(f"part of {entry.parent}")
    if entry.error:
        facts.append(entry.error if len(entry.error) <= 80 else f"{entry.error[:79]}…")
    return ", ".join(facts)


def _with_parts(places: Places, named: list[str]) -> list[str]:
    ids = [run for name in named for run in (*parts_of(places, name), name)]
    for run_id in named:
        parent = needed_by(places, run_id)
        if parent is not None and parent not in ids:
            msg = f"Run '{run_id}' is a part of run '{parent}', which waits for it."
            raise RunError(msg, "Delete that one: its parts go with it.")
    return list(dict.fromkeys(ids))


def delete_runs(arguments: argparse.Namespace) -> int:
    """Deletes runs for good, with the nested runs that they started.

    Nothing is deleted when one of them is not found, or when a run that stays needs one of them.
    """
    places = default_places()
    ids = _with_parts(places, [which_run(places, text) for text in arguments.runs])
    index = open_run_list(places)
    deleted: list[Any] = []
    for run_id in ids:
        delete_run(places.runs, run_id)
        index.remove(run_id)
        deleted.append(run_id)
        if not arguments.json:
            Screen().line(f"Deleted run {run_id}.")
    if arguments.json:
        print_json({"deleted": deleted})
    return 0
