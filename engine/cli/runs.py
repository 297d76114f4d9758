"""`loopwright runs`: what ran, and what happened in it."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from engine.cli.parsing import add_json_option, count, whole_number
from engine.cli.run_names import RUN_HELP

_LISTED = 20


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments of `runs`; without any it lists the newest runs."""
    parser.set_defaults(view="list", count=_LISTED, status=None)
    add_json_option(parser)
    views = parser.add_subparsers(metavar="list|show|steps|state|diff|delete", dest="view")
    listing = _view(views, "list", "the newest runs")
    listing.add_argument("-n", "--count", type=count, default=_LISTED, help="how many")
    listing.add_argument("--status", choices=_STATUSES, help="only those of this status")
    _with_run(_view(views, "show", "how a run stands"))
    _with_run(_view(views, "steps", "every step of a run, with what came in and what came out"))
    state = _with_run(_view(views, "state", "variables, messages and waiting values after a step"))
    state.add_argument("--at", metavar="STEP", type=whole_number, help="the newest when left out")
    diff = _with_run(_view(views, "diff", "where two runs begin to differ"))
    diff.add_argument("other", metavar="RUN", help="the other run")
    delete = _view(views, "delete", "delete runs for good")
    delete.add_argument("runs", metavar="RUN", nargs="+", help=RUN_HELP)


_STATUSES = ("running", "paused", "stopped", "finished", "error", "damaged")


def _view(
    views: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str
) -> argparse.ArgumentParser:
    parser = views.add_parser(name, help=summary, description=f"{summary.capitalize()}.")
    # Its default must not undo a --json that stands before the name.
    parser.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object"
    )
    return parser


def _with_run(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("run", metavar="RUN", help=RUN_HELP)
    if parser.prog.endswith((" show", " steps", " state", " diff")):
        parser.add_argument(
            "--up-to-damage",
            action="store_true",
            help="read a damaged run as far as it is whole",
        )
    return parser


def carry_out(arguments: argparse.Namespace) -> int:
    """Shows or deletes runs."""
    view = arguments.view or "list"
    return _view_function(view)(arguments)


def _view_function(view: str) -> Callable[[argparse.Namespace], int]:
    # Late: listing runs needs no interpreter, showing one no TinyDB.
    if view == "list":
        from engine.cli.runs_list import list_runs

        return list_runs
    if view == "delete":
        from engine.cli.runs_list import delete_runs

        return delete_runs
    if view == "diff":
        from engine.cli.runs_diff import diff_runs

        return diff_runs
    from engine.cli import runs_show

    views: dict[str, Callable[[argparse.Namespace], int]] = {
        "show": runs_show.show_run,
        "steps": runs_show.show_steps,
        "state": runs_show.show_state,
    }
    return views[view]
