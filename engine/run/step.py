"""What a running node sees of its run: the one `StepContext` there is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from engine.errors import LanguageError, NodeError
from engine.language.expression import parse_expression
from engine.language.template import parse_template
from engine.node_type import LoopView, ModelReply, StepContext, SubRun
from engine.run import events
from engine.run.condition import Condition, Firing, Scope
from engine.run.loop_scope import innermost, loop_state
from engine.run.names import StepNames, input_of
from engine.run.services import Services

Emit = Callable[[events.Event], None]


class RunningStep(StepContext):
    """One try of one step."""

    def __init__(
        self, condition: Condition, firing: Firing, services: Services, emit: Emit, attempt: int = 1
    ) -> None:
        self._condition = condition
        self._firing = firing
        self._services = services
        self._emit = emit
        self.attempt = attempt
        self._names: StepNames | None = None

    # ---- what it received and the run ------------------------------------------------------

    @property
    def names(self) -> StepNames:
        """The names that its fields can use."""
        if self._names is None:
            self._names = StepNames(self._condition, self._firing, self._services.moment_text)
        return self._names

    @property
    def _scope(self) -> Scope:
        return self._condition.scopes[self._firing.path]

    @property
    def node_id(self) -> str:  # type: ignore[override]
        """The id of the node."""
        return self._scope.level.ids[self._firing.node]

    @property
    def visit(self) -> int:  # type: ignore[override]
        """How often the node has run, this time included."""
        return self._firing.visit

    @property
    def inputs(self) -> Mapping[str, Any]:  # type: ignore[override]
        """What it received, by source."""
        return self._firing.inputs

    @property
    def pins(self) -> Mapping[str, Any]:  # type: ignore[override]
        """What came over pins, as one object."""
        return self._firing.pins

    @property
    def label(self) -> str:  # type: ignore[override]
        """What a person calls the node."""
        return self._scope.level.structure.nodes[self._firing.node].title

    @property
    def run_id(self) -> str:  # type: ignore[override]
        """The id of the run."""
        return self._condition.run_id

    @property
    def input(self) -> Any:
        """What it received."""
        return input_of(self._condition, self._firing)

    @property
    def state(self) -> Mapping[str, Any]:
        """The run state by entry name."""
        return self.names.state

    @property
    def run_input(self) -> Mapping[str, Any]:
        """What the run was given."""
        return self._condition.run_input

    @property
    def loop(self) -> LoopView:
        """The innermost loop."""
        found = innermost(self._scope, self._firing.node, self._firing.frame)
        if found is None:
            state = loop_state(self._condition.state, self.node_id, 0)
            return LoopView(state=state)
        header, entry, number = found
        return LoopView(
            round=number,
            at_header=header == self._firing.node,
            state=loop_state(self._condition.state, self.node_id, entry),
            inside=True,
        )

    @property
    def max_iterations(self) -> int:
        """The limit for a loop whose node sets none of its own."""
        limit = self._condition.limits.get("max_iterations")
        return int(limit or self._condition.plan.flow.settings.max_iterations)

    # ---- the language ----------------------------------------------------------------------

    def evaluate(
        self, expression: str, field: str = "", extra: Mapping[str, Any] | None = None
    ) -> Any:
        """The value of an expression."""
        names = self._names or self.names
        if extra:
            names = names.with_extra(extra)
        try:
            return parse_expression(expression).evaluate(names)
        except LanguageError as error:
            raise _in_field(error, field) from None

    def render(self, template: str, field: str = "", extra: Mapping[str, Any] | None = None) -> Any:
        """A template filled in."""
        names = self.names.with_extra(extra) if extra else self.names
        try:
            return parse_template(template).render(names)
        except LanguageError as error:
            raise _in_field(error, field) from None

    # ---- time ------------------------------------------------------------------------------

    def now(self) -> datetime:
        """The clock, with the local time zone."""
        return self._services.moment()

    @property
    def started_at(self) -> datetime:
        """When it first started."""
        started = self._firing.started
        if started is None:
            return self.now()
        return datetime.fromtimestamp(started).astimezone()

    async def sleep_until(self, moment: datetime) -> None:
        """Waits until then."""
        left = moment.timestamp() - self._services.clock.now()
        if left > 0:
            await self._services.clock.sleep(left)

    async def sleep(self, seconds: float) -> None:
        """Waits `seconds` since the step first started."""
        started = self._firing.started
        now = self._services.clock.now()
        left = seconds if started is None else started + seconds - now
        if left > 0:
            await self._services.clock.sleep(left)

    async def in_thread(self, function: Callable[..., Any], *args: Any) -> Any:
        """Runs a blocking function beside the event loop."""
        return await asyncio.to_thread(function, *args)

    # ---- telling ---------------------------------------------------------------------------

    def stream(self, text: str) -> None:
        """Shows a piece of text as it comes."""
        if text:
            firing = self._firing
            self._emit(events.TextStreamed(firing.id, self.node_id, str(text), firing.path))

    def log(self, text: str, level: Literal["info", "warning"] = "info") -> None:
        """A line for the log of the run."""
        firing = self._firing
        self._emit(events.Logged(firing.id, self.node_id, str(text), level, firing.path))

    # ---- outside ---------------------------------------------------------------------------

    async def ask_model(
        self,
        model: str,
        messages: Sequence[Mapping[str, Any]],
        *,
        stream: bool = True,
        **parameters: Any,
    ) -> ModelReply:
        """A model's answer."""
        heard = self.stream if stream else _unheard
        return await self._services.models.answer(
            model,
            messages,
            on_text=heard,
            attempt=self.attempt,
            visit=self.visit,
            parameters=parameters,
        )

    async def run_flow(
        self, flow: str, run_input: Mapping[str, Any], *, wait: bool = True
    ) -> SubRun:
        """Runs another flow; the same step always goes on with the same nested run."""
        nested = self._services.nested
        run_id = self._firing.child
        if run_id is None:
            run_id = nested.new_id()
            self._emit(events.ChildStarted(self._firing.id, run_id))
        return await nested.start(run_id, flow, run_input, wait=wait)

    async def answer_flow(self, run_id: str, request_id: str, answer: Mapping[str, Any]) -> SubRun:
        """Hands an answer to a request of a nested run."""
        return await self._services.nested.answer(run_id, request_id, answer)


def _unheard(_text: str) -> None:
    """Takes text that nobody wants to see come."""


def _in_field(error: LanguageError, field: str) -> NodeError:
    where = f"Field '{field}': " if field else ""
    return NodeError(f"{where}{error.message}", error.hint)
