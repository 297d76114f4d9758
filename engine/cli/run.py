"""`loopwright run`: a flow from its beginning to its end, a question or an error."""

from __future__ import annotations

import argparse
import os
from typing import Any

from engine.cli.answers import read_answers
from engine.cli.conduct import add_run_options, asker_for, conduct, limits_of, screen_for
from engine.cli.flow_source import FoundFlow, find_flow, refuse_invalid
from engine.cli.run_input import asks_for_form, check_input, form_fields, read_input, start_of
from engine.cli.surroundings import open_workplace, read_settings
from engine.errors import UsageError
from engine.flow.document import Flow
from engine.run.session import RunSession
from engine.run.workplace import RunOptions, Workplace, limits_from_environment

_NOTES = """
The input is an object with any of
  question   what is asked in a chat
  form       answers to the form of the Start node
  webhook    body, headers, query
  context    first values of variables
  files      paths

exit codes: 0 finished, 2 usage or invalid flow, 3 the run ended in an error, 4 it waits for an
answer, 5 stopped, 130 interrupted.

In JSON output a number that JSON has no form for is written as text: "NaN", "Infinity".
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments of `run`."""
    parser.epilog = _NOTES
    parser.add_argument("flow", metavar="FLOW", help="a *.flow.json file, or a flow of the library")
    parser.add_argument("--input", metavar="JSON|@FILE", help="what the run starts with")
    parser.add_argument("--question", metavar="TEXT", help="short for an input with a question")
    parser.add_argument(
        "--set",
        metavar="NODE.FIELD=VALUE",
        action="append",
        default=[],
        help="another setting for this run; may be given several times",
    )
    parser.add_argument("--model", metavar="MODEL", help="one model in the place of all others")
    parser.add_argument("--no-pins", action="store_true", help="run nodes with a pinned output too")
    add_run_options(parser)


def carry_out(arguments: argparse.Namespace) -> int:
    """Runs a flow."""
    workplace = open_workplace()
    found = prepared_flow(arguments, workplace)
    answers = read_answers(arguments.answers, found.flow, workplace.registry)
    given = read_input(arguments.input, arguments.question)
    given = _with_what_a_person_says(given, arguments, found.flow, workplace)
    run_input = check_input(given, found.flow, workplace.registry)
    options = RunOptions(
        limits={**_usual_limits(found.flow, workplace), **limits_of(arguments)},
        use_pins=not arguments.no_pins,
        model=arguments.model,
        flow_path=found.path,
    )
    session = RunSession.start(workplace, found.flow, run_input, options)
    return conduct(session, arguments, answers)


def prepared_flow(arguments: argparse.Namespace, workplace: Workplace) -> FoundFlow:
    """The flow with the settings of this call, if it can run.

    Raises:
        UsageError: There is no such flow, setting or model.
        InvalidFlowError: It has mistakes.
    """
    found = find_flow(arguments.flow, workplace)
    if arguments.set:
        from engine.cli.overrides import with_overrides

        changed = with_overrides(found.flow, arguments.set, workplace.registry)
        found = FoundFlow(changed, found.path)
    if arguments.model is not None:
        _check_model(arguments.model)
    refuse_invalid(found, workplace)
    return found


def _check_model(model: str) -> None:
    from engine.flow.faults import nearest
    from engine.models.router import ModelRouter

    models = ModelRouter()
    if not models.knows(model):
        names = models.model_names()
        hint = nearest(model, names) or f"The models are {', '.join(names)}."
        raise UsageError(f"--model: there is no model '{model}'.", hint)


def _with_what_a_person_says(
    given: dict[str, Any], arguments: argparse.Namespace, flow: Flow, workplace: Workplace
) -> dict[str, Any]:
    """The input; where nothing was given and somebody sits there, what they type."""
    asker = asker_for(arguments, screen_for(workplace))
    if given or asker is None:
        return given
    start = start_of(flow, workplace.registry)
    try:
        if asks_for_form(start):
            from engine.forms import form_schema

            return {"form": asker.form(form_schema(form_fields(start)))}
        if getattr(start, "input_mode", "") == "chat" and _reads_question(flow):
            return {"question": asker.question()}
    except EOFError:
        msg = "The flow was not started: it needs these answers first."
        raise UsageError(msg, "Give them with --input.") from None
    return given


def _reads_question(flow: Flow) -> bool:
    return any("question" in str(node.config) for node in flow.nodes)


def _usual_limits(flow: Flow, workplace: Workplace) -> dict[str, Any]:
    """The person's own limits, where the flow sets none."""
    settings = read_settings(workplace.places)
    if settings is None:
        return {}
    # The flow's own limits and those of the environment count more.
    own = {*flow.settings.model_fields_set, *limits_from_environment(os.environ)}
    limits = {
        "max_steps": settings.limits.max_steps,
        "max_iterations": settings.limits.max_iterations,
    }
    return {name: n for name, n in limits.items() if n is not None and name not in own}
