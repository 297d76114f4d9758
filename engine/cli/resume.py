"""`loopwright resume`: an answer to a waiting question, or on after a stop, an error or a crash."""

from __future__ import annotations

import argparse
from typing import Any

from engine.cli.answers import ANSWER_EXAMPLE, read_answers
from engine.cli.conduct import add_run_options, asker_for, conduct, limits_of, screen_for
from engine.cli.run_list import mark_running
from engine.cli.run_names import RUN_HELP, ways_past_damage, which_run
from engine.cli.surroundings import open_workplace
from engine.cli.values import read_value
from engine.errors import UsageError
from engine.run.family import refuse_part
from engine.run.history import read_history
from engine.run.requests import check_answer
from engine.run.session import RunSession


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments of `resume`."""
    parser.add_argument("run", metavar="RUN", help=RUN_HELP)
    parser.add_argument("--answer", metavar="JSON", help="the answer to the question that waits")
    parser.add_argument(
        "--request", metavar="ID", help="which question is answered, when several wait"
    )
    parser.add_argument(
        "--up-to-damage",
        action="store_true",
        help="go on with a damaged run from its last whole record",
    )
    add_run_options(parser)


def carry_out(arguments: argparse.Namespace) -> int:
    """Goes on with a run."""
    if arguments.request is not None and arguments.answer is None:
        raise UsageError("--request needs --answer.", ANSWER_EXAMPLE)
    answer = _answer(arguments.answer)
    workplace = open_workplace()
    run_id = which_run(workplace.places, arguments.run)
    refuse_part(workplace.places, run_id)
    with ways_past_damage(run_id):
        session = RunSession.open(workplace, run_id, up_to_damage=arguments.up_to_damage)
    try:
        answers = read_answers(arguments.answers, session.condition.plan.flow, workplace.registry)
        history = read_history(workplace.places, run_id, up_to_damage=True)
        _make_ready(session, arguments, answer)
    except BaseException:
        session.close()
        raise
    mark_running(workplace.places, run_id)
    return conduct(session, arguments, answers, history)


def _answer(text: str | None) -> Any:
    return None if text is None else read_value(text, "--answer", ANSWER_EXAMPLE)


def _make_ready(session: RunSession, arguments: argparse.Namespace, answer: Any) -> None:
    """Brings the run into a state in which it can go on.

    Raises:
        RunError: It cannot; nothing was changed.
    """
    condition, limits = session.condition, limits_of(arguments)
    if arguments.answer is not None:
        # Checked first: an answer that does not fit must not wake the run.
        check_answer(condition, arguments.request, answer)
        if condition.status != "paused" or limits:
            session.resume(limits)
        session.runner.answer(arguments.request, answer)
        return
    asks = arguments.answers is not None or asker_for(arguments, screen_for(session.workplace))
    if condition.status == "paused" and asks and not limits:
        return
    session.resume(limits)
