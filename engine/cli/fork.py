"""`loopwright fork`: a new run that begins where another stood after one of its steps."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from engine.cli.answers import read_answers
from engine.cli.conduct import add_run_options, conduct, limits_of
from engine.cli.flow_source import FoundFlow, find_flow, refuse_invalid
from engine.cli.parsing import whole_number
from engine.cli.run_names import (
    RUN_HELP,
    refuse_steps_of_deleted,
    ways_past_damage,
    which_run,
)
from engine.cli.surroundings import open_workplace
from engine.cli.values import json_or_text, read_value
from engine.errors import RunError, UsageError
from engine.run.forking import fork
from engine.run.history import read_history
from engine.run.workplace import Workplace

_STATE_EXAMPLE = """For example --set-state '{"score": 90}'."""
_OUTPUT_EXAMPLE = """For example --set-output fetch='{"status": 200}'."""


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments of `fork`."""
    parser.add_argument("run", metavar="RUN", help=RUN_HELP)
    parser.add_argument(
        "--at",
        metavar="STEP",
        type=whole_number,
        required=True,
        help="after which step the new run begins; 0 is the beginning",
    )
    parser.add_argument("--set-state", metavar="JSON|@FILE", help="variables to change, by name")
    parser.add_argument(
        "--set-output",
        metavar="NODE=VALUE",
        action="append",
        default=[],
        help="another newest output of a node; may be given several times",
    )
    parser.add_argument("--flow", metavar="FLOW", help="a changed flow to go on with")
    add_run_options(parser)


def carry_out(arguments: argparse.Namespace) -> int:
    """Begins a new run from an old condition, and lets it go on."""
    state = _state(arguments.set_state)
    outputs = _outputs(arguments.set_output)
    workplace = open_workplace()
    run_id = which_run(workplace.places, arguments.run)
    found = _other_flow(arguments.flow, workplace)
    with ways_past_damage(run_id):
        history = read_history(workplace.places, run_id)
        refuse_steps_of_deleted(workplace.places, history, arguments.at)
        flow, path = (None, None) if found is None else (found.flow, found.path)
        try:
            session = fork(workplace, run_id, arguments.at, state, outputs, flow, path)
        except RunError as fault:
            hint = f"`loopwright runs state {run_id}` shows its variables and outputs."
            fault.hint = fault.hint or hint
            raise
    try:
        answers = read_answers(arguments.answers, session.condition.plan.flow, workplace.registry)
        history = read_history(workplace.places, session.condition.run_id)
        if arguments.max_steps is not None:
            session.resume(limits_of(arguments))
    except BaseException:
        session.close()
        raise
    return conduct(session, arguments, answers, history)


def _state(text: str | None) -> Mapping[str, Any]:
    if text is None:
        return {}
    given = read_value(text, "--set-state", _STATE_EXAMPLE)
    if not isinstance(given, Mapping):
        raise UsageError("--set-state must be an object of variables and values.", _STATE_EXAMPLE)
    return given


def _outputs(texts: Sequence[str]) -> dict[str, Any]:
    outputs = {}
    for text in texts:
        node, sign, value = text.partition("=")
        if not sign or not node:
            msg = f"--set-output: '{text[:60]}' is not of the form NODE=VALUE."
            raise UsageError(msg, _OUTPUT_EXAMPLE)
        outputs[node] = json_or_text(value)
    return outputs


def _other_flow(text: str | None, workplace: Workplace) -> FoundFlow | None:
    if text is None:
        return None
    found = find_flow(text, workplace)
    refuse_invalid(found, workplace)
    return found
