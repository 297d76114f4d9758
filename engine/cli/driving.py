"""Drives a run as far as it comes: runs, answers, asks, and goes on."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from engine.cli.answers import Answers, misfit, next_answer
from engine.cli.asking import Asker
from engine.cli.interrupts import Interrupts
from engine.errors import RunError
from engine.run.session import RunSession


@dataclass
class Desk:
    """Who answers the questions of a run.

    Args:
        answers: Answers given beforehand.
        asker: Asks the person at the terminal; None when nobody is there.
    """

    answers: Answers = field(default_factory=lambda: Answers({}))
    asker: Asker | None = None
    warnings: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, session: RunSession) -> bool:
        """Answers one request of a paused run, and tells whether it did.

        Raises:
            EOFError: The person wants to answer later.
        """
        return self._from_answers(session) or self._from_person(session)

    def _from_answers(self, session: RunSession) -> bool:
        while found := next_answer(session.condition, self.answers):
            key, node, answer = found
            try:
                session.runner.answer(key, answer)
            except RunError as fault:
                self.warnings.append(misfit(node, fault))
                continue
            return True
        return False

    def _from_person(self, session: RunSession) -> bool:
        waiting = session.condition.open_requests()
        if self.asker is None or not waiting:
            return False
        key, (firing, request) = next(iter(waiting.items()))
        node = session.condition.node_id(firing)
        title = session.condition.plan.flow.node_by_id[node].title
        while True:
            answer = self.asker.answer(request, title)
            try:
                session.runner.answer(key, answer)
            except RunError as fault:
                self.asker.tell(f"{fault.message} {fault.hint}")
                continue
            return True


def drive(session: RunSession, desk: Desk) -> Interrupts:
    """Runs, answers and runs on, until the end or until nobody answers."""
    interrupts = Interrupts(session.runner.stop)
    with interrupts, asyncio.Runner() as loop:
        while True:
            if session.condition.status == "running":
                loop.run(interrupts.watch(session.go))
            if session.condition.status != "paused" or interrupts.came:
                return interrupts
            interrupts.is_asking = True
            try:
                if not desk.answer(session):
                    return interrupts
            except EOFError:
                return interrupts
            except KeyboardInterrupt:
                return interrupts
            finally:
                interrupts.is_asking = False
