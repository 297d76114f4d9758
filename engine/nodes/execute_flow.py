"""Runs another flow as one step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from engine.errors import NodeError
from engine.fields import AnyValue, FlowName, Labels, text_of
from engine.language.words import shown
from engine.node_tools import no_such
from engine.node_type import (
    Group,
    NodeMeta,
    NodeType,
    Output,
    Pause,
    Request,
    Result,
    StepContext,
    SubRun,
)

_INPUTS = ("question", "form", "webhook", "context", "files")


class ExecuteFlow(NodeType):
    """Runs another flow of the library, and goes on with what comes out of it.

    The other flow gets a run of its own that is linked to this one. Questions that it asks a
    person appear here. A flow cannot run itself, neither directly nor through others.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="execute_flow",
        title="Run another flow",
        group=Group.DO,
        icon="mdi6.sitemap-outline",
        words=("subflow", "nested", "call", "execute", "flow", "reuse", "module"),
        announces=True,
        examples=(
            ("With a question", {"flow": "Summarise a mail", "input": "{{ context.mail }}"}),
            (
                "With a form",
                {"flow": "Refund", "input": {"form": {"amount": "{{ context.amount }}"}}},
            ),
        ),
    )

    flow: FlowName = Field(title="Flow", description="The name or the file of the other flow.")
    input: AnyValue = Field(
        default=None,
        title="Input",
        description=(
            "A text is the other flow's question. A record may hold question, form, webhook, "
            "context (variables) and files. Empty: a text that this node received."
        ),
    )
    return_as: Annotated[
        Literal["output", "content", "object"],
        Labels.of(
            output="Its output",
            content="The text it said last",
            object="A record with output, messages, status and run",
        ),
    ] = Field(default="output", title="Gives", description="What comes out of this node.")
    wait: bool = Field(
        default=True,
        title="Wait for its end",
        description="Otherwise this flow goes on at once, and the other runs by itself.",
    )

    def summary(self) -> str:
        """Which flow."""
        return self.flow

    async def run(self, step: StepContext) -> Result:
        """Starts the other flow, or goes on with it after a restart."""
        sub = await step.run_flow(self.flow, self._run_input(step.input), wait=self.wait)
        if not self.wait:
            return Output({"run_id": sub.run_id})
        return self._result(sub)

    async def resume(
        self, step: StepContext, request: Request, answer: Mapping[str, Any]
    ) -> Result:
        """Hands a person's answer to the other flow."""
        data = request.data
        return self._result(await step.answer_flow(data["run_id"], data["request_id"], answer))

    def _run_input(self, received: Any) -> dict[str, Any]:
        given = self.input
        if isinstance(given, str):
            return {"question": given}
        if given is not None and not isinstance(given, Mapping):
            raise NodeError(
                f"Field 'Input': a text or a record is needed, not {shown(given)}.",
                f"A record may hold {', '.join(_INPUTS)}.",
            )
        whole = dict(given or {})
        for name in whole:
            if name not in _INPUTS:
                raise NodeError(
                    f"Field 'Input': {no_such(name, _INPUTS, 'input')}",
                    f"A record may hold {', '.join(_INPUTS)}.",
                )
        if isinstance(received, str):
            whole.setdefault("question", received)
        return whole

    def _result(self, sub: SubRun) -> Result:
        match sub.status:
            case "paused":
                return Pause(tuple(_passed_on(sub.run_id, each) for each in sub.requests))
            case "finished":
                return Output(self._value(sub))
            case "stopped":
                raise NodeError(
                    f"The flow '{self.flow}' was stopped before its end.",
                    f"Its run is {sub.run_id}: resume it there.",
                    kind="stopped",
                )
        raise NodeError(
            f"The flow '{self.flow}' ended in an error: {sub.error}",
            f"Its run is {sub.run_id}." if sub.run_id else "",
        )

    def _value(self, sub: SubRun) -> Any:
        if self.return_as == "output":
            return sub.output
        if self.return_as == "content":
            return _content(sub)
        return {
            "run_id": sub.run_id,
            "status": sub.status,
            "output": sub.output,
            "messages": [dict(each) for each in sub.messages],
        }


def _passed_on(run_id: str, request: Request) -> Request:
    """The other flow's question as one of this step; the same question keeps its id."""
    data = {"run_id": run_id, "request_id": request.id}
    return replace(request, id=f"{run_id}/{request.id}", data=data)


def _content(sub: SubRun) -> str:
    for message in reversed(sub.messages):
        if message.get("role") == "assistant":
            return text_of(message.get("content"))
    if isinstance(sub.output, Mapping) and "content" in sub.output:
        return text_of(sub.output["content"])
    return text_of(sub.output)
