"""Nested runs: a step that runs another flow, with a record of its own, over restarts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, Self

from engine.errors import LoopwrightError, RunError
from engine.flow.document import Flow
from engine.node_type import SubRun
from engine.run import events
from engine.run.condition import Condition
from engine.run.runner import Runner
from engine.run.workplace import RunOptions, Workplace
from engine.store.run_files import has_begun, new_run_id

MAX_DEPTH = 20


class Session(Protocol):
    """A run that is open for writing."""

    workplace: Workplace
    condition: Condition
    first: events.RunStarted
    runner: Runner

    async def go(self) -> None:
        """Runs as far as it comes."""

    def resume(self) -> None:
        """Makes it ready to go on."""

    def close(self) -> None:
        """Lets go of it."""

    async def __aenter__(self) -> Self:
        """The session itself."""

    async def __aexit__(self, *_: object) -> None:
        """Closes it."""


class Sessions(Protocol):
    """Where nested runs are started and opened."""

    def start(
        self, flow: Flow, run_input: Mapping[str, Any], options: RunOptions, run_id: str
    ) -> Session:
        """A new run."""

    def open(self, run_id: str) -> Session:
        """A run that has begun."""


class StoredRuns:
    """Runs the nested runs of one run; each lies beside it on disk."""

    def __init__(self, parent: Session, sessions: Sessions) -> None:
        self._parent = parent
        self._sessions = sessions
        self._beside: set[asyncio.Task[SubRun]] = set()

    def new_id(self) -> str:
        """The id of a nested run that is about to start."""
        return new_run_id()

    async def start(
        self, run_id: str, flow: str, run_input: Mapping[str, Any], *, wait: bool = True
    ) -> SubRun:
        """Starts a nested run, or goes on with it if it has begun."""
        try:
            session = self._open(run_id, flow, run_input)
        except LoopwrightError as error:
            return SubRun(run_id, "error", error=str(error))
        if wait:
            return await _driven(session)
        task = asyncio.ensure_future(_driven(session))
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)
        return SubRun(run_id, "finished")

    async def answer(self, run_id: str, request_id: str, answer: Mapping[str, Any]) -> SubRun:
        """Hands an answer to a request of a nested run, once, and goes on with it."""
        try:
            session = self._sessions.open(run_id)
        except LoopwrightError as error:
            return SubRun(run_id, "error", error=str(error))
        try:
            if request_id not in session.condition.answered:
                session.runner.answer(request_id, answer)
        except BaseException:
            session.close()
            raise
        return await _driven(session)

    async def settle(self) -> None:
        """Waits for the nested runs that no step waits for; stops them when the run was stopped."""
        if self._parent.condition.status == "stopped":
            for task in self._beside:
                task.cancel()
        for made in await asyncio.gather(*self._beside, return_exceptions=True):
            if isinstance(made, SubRun):
                self._tell_of_error(made)
            elif not isinstance(made, asyncio.CancelledError):
                raise made

    def _tell_of_error(self, made: SubRun) -> None:
        """A nested run that nobody waited for has failed: the run that started it says so."""
        if made.status == "error":
            message = f"The nested run '{made.run_id}' ended with an error: {made.error}"
            self._parent.runner.emit(events.Warned(message))

    def _open(self, run_id: str, flow: str, run_input: Mapping[str, Any]) -> Session:
        parent = self._parent
        workplace = parent.workplace
        if has_begun(workplace.places.runs / run_id):
            return self._sessions.open(run_id)
        path = parent.first.flow_path
        document, file = workplace.flows.find(flow, Path(path) if path else None)
        chain = [*(parent.first.parent or {}).get("flows", ()), parent.first.flow["id"]]
        if document.id in chain:
            msg = f"The flow '{document.name or flow}' would run itself again without end."
            raise RunError(msg, "A flow cannot run itself, directly or through others.")
        if len(chain) >= MAX_DEPTH:
            msg = f"Flows are nested more than {MAX_DEPTH} deep."
            raise RunError(msg, "Let fewer flows run one inside another.")
        options = RunOptions(
            limits=parent.first.limits,
            use_pins=parent.first.use_pins,
            model=parent.first.model,
            flow_path=file,
            parent={"run": parent.condition.run_id, "flows": chain},
        )
        return self._sessions.start(document, run_input, options, run_id)


async def _driven(session: Session) -> SubRun:
    """Runs a nested run as far as it comes, and says how it stands."""
    async with session:
        condition = session.condition
        if condition.status in ("stopped", "error"):
            session.resume()
        if condition.status != "finished":
            await session.go()
        return standing(session)


def standing(session: Session) -> SubRun:
    """How a nested run stands."""
    condition = session.condition
    status = condition.status
    assert status != "running", "a run that was driven has come to an end or a pause"
    error = condition.error
    return SubRun(
        run_id=condition.run_id,
        status=status,
        output=condition.top.result(),
        error=_error_text(error) if error else "",
        requests=[request for _, request in condition.open_requests().values()],
        messages=list(condition.state.messages),
    )


def _error_text(error: Mapping[str, Any]) -> str:
    where = f"{error['label']}: " if error.get("label") else ""
    return f"{where}{error['message']} {error.get('hint', '')}".strip()
