"""A step outside any run: what a node sees is given, what it does is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from engine.errors import LanguageError, NodeError
from engine.fields import Language, texts_in
from engine.language.expression import parse_expression
from engine.language.scope import GivenNames
from engine.language.template import parse_template
from engine.models.router import ModelRouter
from engine.node_config import read_config, with_values
from engine.node_type import LoopView, ModelReply, NodeType, Request, StepContext, SubRun

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class FakeStep(StepContext):
    def __init__(
        self,
        given: Any = None,
        *,
        inputs: Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
        run_input: Mapping[str, Any] | None = None,
        loop: LoopView | None = None,
        visit: int = 1,
        attempt: int = 1,
        max_iterations: int = 10,
        names: Mapping[str, Any] | None = None,
        models: ModelRouter | None = None,
        sub_runs: Sequence[SubRun] = (),
        started_at: datetime = START,
    ) -> None:
        self.node_id = "node"
        self.label = "The node"
        self.visit = visit
        self.attempt = attempt
        self.inputs = inputs if inputs is not None else {"before": given}
        self.pins = {}
        self.run_id = "run"
        self._input = given
        self._state = {"context": {}, "messages": [], **(state or {})}
        self._run_input = run_input or {}
        self._loop = loop or LoopView()
        self._max_iterations = max_iterations
        self._names = names or {}
        self._models = models or ModelRouter(sleep=self.sleep)
        self._sub_runs = list(sub_runs)
        self._started_at = started_at
        self.slept: list[float] = []
        self.slept_until: list[datetime] = []
        self.streamed: list[str] = []
        self.logged: list[tuple[str, str]] = []
        self.asked: list[list[Mapping[str, Any]]] = []
        self.parameters: list[dict[str, Any]] = []
        self.flows_run: list[tuple[str, Mapping[str, Any], bool]] = []
        self.answered: list[tuple[str, str, Mapping[str, Any]]] = []

    @property
    def input(self) -> Any:
        return self._input

    @property
    def state(self) -> Mapping[str, Any]:
        return self._state

    @property
    def loop(self) -> LoopView:
        return self._loop

    @property
    def run_input(self) -> Mapping[str, Any]:
        return self._run_input

    @property
    def max_iterations(self) -> int:
        return self._max_iterations

    def names(self, extra: Mapping[str, Any] | None = None) -> GivenNames:
        return GivenNames(
            {
                **self._state["context"],
                **self._state,
                "state": self._state,
                "input": self._input,
                "inputs": self.inputs,
                "loop_count": self._loop.round,
                **self._names,
                **(extra or {}),
            }
        )

    def evaluate(
        self, expression: str, field: str = "", extra: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            return parse_expression(expression).evaluate(self.names(extra))
        except LanguageError as error:
            raise NodeError(f"Field '{field}': {error.message}", error.hint) from None

    def render(self, template: str, field: str = "", extra: Mapping[str, Any] | None = None) -> Any:
        try:
            return parse_template(template).render(self.names(extra))
        except LanguageError as error:
            raise NodeError(f"Field '{field}': {error.message}", error.hint) from None

    def now(self) -> datetime:
        return self._started_at

    @property
    def started_at(self) -> datetime:
        return self._started_at

    async def sleep_until(self, moment: datetime) -> None:
        self.slept_until.append(moment)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._started_at += timedelta(seconds=seconds)

    async def in_thread(self, function: Any, *args: Any) -> Any:
        return function(*args)

    def stream(self, text: str) -> None:
        self.streamed.append(text)

    def log(self, text: str, level: Literal["info", "warning"] = "info") -> None:
        self.logged.append((level, text))

    async def ask_model(
        self,
        model: str,
        messages: Sequence[Mapping[str, Any]],
        *,
        stream: bool = True,
        **parameters: Any,
    ) -> ModelReply:
        self.asked.append([dict(each) for each in messages])
        self.parameters.append({"stream": stream, **parameters})
        return await self._models.answer(
            model,
            messages,
            on_text=self.stream if stream else lambda _text: None,
            attempt=self.attempt,
            visit=self.visit,
            parameters=parameters,
        )

    async def run_flow(
        self, flow: str, run_input: Mapping[str, Any], *, wait: bool = True
    ) -> SubRun:
        self.flows_run.append((flow, run_input, wait))
        return self._sub_runs.pop(0)

    async def answer_flow(self, run_id: str, request_id: str, answer: Mapping[str, Any]) -> SubRun:
        self.answered.append((run_id, request_id, answer))
        return self._sub_runs.pop(0)


def filled_in(node_type: type[NodeType], config: Mapping[str, Any], step: FakeStep) -> NodeType:
    """The node with its templates filled in, as it reaches `run`."""
    texts = [t for t in texts_in(node_type, config) if t.language is Language.TEMPLATE]
    values = {t.path: step.render(t.text, t.title) for t in texts}
    return read_config(node_type, with_values(config, values))


async def run_node(node_type: type[NodeType], config: Mapping[str, Any], step: FakeStep) -> Any:
    """What the node gives."""
    return await filled_in(node_type, config, step).run(step)


def ran(node_type: type[NodeType], config: Mapping[str, Any], step: FakeStep | None = None) -> Any:
    """The same, from a test that does not await."""
    return asyncio.run(run_node(node_type, config, step or FakeStep()))


def answered(
    node_type: type[NodeType],
    config: Mapping[str, Any],
    request: Request,
    answer: Any,
    step: FakeStep | None = None,
) -> Any:
    """What the node gives when a person answered."""
    step = step or FakeStep()
    return asyncio.run(filled_in(node_type, config, step).resume(step, request, answer))
