"""Where a flow begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from engine.errors import NodeError
from engine.fields import Labels, Name, PlainText, Row, ShowWhen
from engine.forms import FormFields, check_form
from engine.language.words import shown
from engine.node_type import Group, NodeMeta, NodeType, Output, StepContext


class Webhook(Row):
    """What a call from another program must look like."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = Field(
        default="POST", title="Method", description="The kind of web request that starts the flow."
    )
    content_type: PlainText = Field(
        default="application/json",
        title="Content type",
        description="The format of the request's body.",
    )
    required_params: tuple[Name, ...] = Field(
        default=(),
        title="Required parameters",
        description="Names that the request must carry, in its body or its address.",
    )


class Start(NodeType):
    """Begins the flow and hands on what the run was given.

    Choose how the flow is started. *Chat* takes a question, *form* shows a form whose answers are
    checked before anything runs, *webhook* is a call from another program, and *nothing* starts
    without any input. A flow has at most one Start node.

    Later nodes read the answers as `{{ question }}`, `{{ $form.name }}` or `{{ $webhook.body }}`.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="start",
        title="Start",
        group=Group.START,
        icon="mdi6.play-circle-outline",
        words=("begin", "input", "trigger", "question", "form", "webhook", "entry"),
        examples=(
            ("A question in the chat", {"input_mode": "chat"}),
            (
                "A form with two fields",
                {
                    "input_mode": "form",
                    "form_fields": [
                        {"name": "customer", "label": "Who writes?", "required": True},
                        {"name": "amount", "label": "Amount", "type": "number", "default": 0},
                    ],
                },
            ),
        ),
    )

    input_mode: Annotated[
        Literal["chat", "form", "webhook", "none"],
        Labels.of(
            chat="A question in the chat",
            form="A form",
            webhook="A call from another program",
            none="Nothing",
        ),
    ] = Field(default="chat", title="Starts with", description="What the run is given.")
    form_fields: Annotated[FormFields, ShowWhen("input_mode", "form")] = Field(
        default=(), title="Form", description="The questions of the form, in order."
    )
    webhook: Annotated[Webhook, ShowWhen("input_mode", "webhook")] = Field(
        default=Webhook(), title="Web call", description="What the call must look like."
    )
    remember_context: bool = Field(
        default=False,
        title="Remember variables",
        description="The flow variables of one chat message are still there at the next.",
    )
    forget_history: Annotated[bool, ShowWhen("input_mode", "chat")] = Field(
        default=False,
        title="Forget the chat so far",
        description="Each chat message starts afresh, without the earlier ones.",
    )

    def summary(self) -> str:
        """What it starts with."""
        names = ", ".join(field.name for field in self.form_fields)
        return f"Form: {names}" if self.input_mode == "form" and names else ""

    async def run(self, step: StepContext) -> Output:
        """Checks what the run was given and hands it on."""
        given = step.run_input
        match self.input_mode:
            case "chat":
                return Output({"question": given.get("question", "")})
            case "form":
                return Output({"form": check_form(self.form_fields, given.get("form", {}))})
            case "webhook":
                return Output({"webhook": self._checked(given.get("webhook", {}))})
        return Output({})

    def _checked(self, call: Any) -> dict[str, Any]:
        if not isinstance(call, Mapping):
            raise NodeError(
                f"The web call must be an object with body, headers and query, not {shown(call)}.",
                'For example {"body": {}, "headers": {}, "query": {}}.',
            )
        whole = {"body": {}, "headers": {}, "query": {}, **call}
        holders = [part for part in (whole["body"], whole["query"]) if isinstance(part, Mapping)]
        for name in self.webhook.required_params:
            if not any(name in part for part in holders):
                raise NodeError(
                    f"The web call lacks the required parameter '{name}'.",
                    "Send it in the body or in the address.",
                )
        return whole
