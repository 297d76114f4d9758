"""Asks a person and waits for the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from engine.errors import NodeError
from engine.fields import Labels, LongText, ModelName, Name, Row, ShowWhen
from engine.forms import FormFields, check_form, form_schema
from engine.language.words import shown
from engine.node_type import (
    Group,
    Handle,
    NodeMeta,
    NodeType,
    Output,
    Pause,
    Request,
    RequestKind,
    Result,
    Route,
    StepContext,
)


class Draft(Row):
    """A text that a model writes first, for the person to look at."""

    model: ModelName = Field(title="Model", description="Which model writes the draft.")
    prompt: LongText = Field(title="Task", description="What the model is to write.")


class HumanInput(NodeType):
    """Asks a person and waits for the answer; other branches go on meanwhile.

    *Approve* has the paths *proceed* and *reject*, with a remark if you like. *Choose* has one
    path for each option. *Form* and *text* have one path, and later nodes read the answer. The
    program may be closed while it waits: the question is still there afterwards.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="human_input",
        title="Ask a person",
        group=Group.PEOPLE,
        icon="mdi6.account-question-outline",
        words=("human", "approve", "approval", "confirm", "review", "choose", "form", "question"),
        condition_like=True,
        disabled_route="proceed",
        examples=(
            ("Approve a text", {"prompt": "Shall this be sent?\n\n{{ input }}"}),
            (
                "Choose one of two",
                {"prompt": "Which language?", "mode": "choose", "options": ["English", "French"]},
            ),
            (
                "A form",
                {
                    "prompt": "Please add what is missing.",
                    "mode": "form",
                    "form_fields": [{"name": "phone", "label": "Telephone", "required": True}],
                },
            ),
        ),
    )

    prompt: LongText = Field(title="Question", description="What the person reads (Markdown).")
    mode: Annotated[
        Literal["approve", "choose", "form", "text"],
        Labels.of(
            approve="Approve or reject",
            choose="Choose one of several options",
            form="Fill in a form",
            text="Write a text",
        ),
    ] = Field(default="approve", title="Kind of answer", description="What is asked for.")
    options: Annotated[
        tuple[Annotated[Name, Field(min_length=1)], ...], ShowWhen("mode", "choose")
    ] = Field(default=(), title="Options", description="Each one is a path of its own.")
    form_fields: Annotated[FormFields, ShowWhen("mode", "form")] = Field(
        default=(), title="Form", description="The questions of the form, in order."
    )
    feedback: Annotated[bool, ShowWhen("mode", "approve")] = Field(
        default=True,
        title="Allow a remark",
        description="The person may say why; later nodes read it as feedback.",
    )
    draft_with_model: Annotated[Draft | None, ShowWhen("mode", "approve", "choose", "text")] = (
        Field(
            default=None,
            title="Draft by a model",
            description="A model writes a text first; the person reads it below the question.",
        )
    )

    @model_validator(mode="after")
    def _can_be_answered(self) -> Self:
        if self.mode == "choose" and not self.options:
            raise ValueError("Options: give at least one option to choose")
        if len(set(self.options)) < len(self.options):
            raise ValueError("Options: two options are the same")
        if self.mode == "form" and not self.form_fields:
            raise ValueError("Form: give the form at least one field")
        return self

    def handles(self) -> tuple[Handle, ...]:
        """By the kind of answer."""
        if self.mode == "approve":
            return (Handle("proceed", "Proceed"), Handle("reject", "Reject"))
        if self.mode == "choose":
            return tuple(Handle(option, option) for option in dict.fromkeys(self.options))
        return (Handle(None),)

    def summary(self) -> str:
        """The beginning of the question."""
        return self.prompt[:60]

    async def run(self, step: StepContext) -> Pause:
        """Asks."""
        draft = await self._draft(step)
        prompt = self.prompt if draft is None else f"{self.prompt}\n\n{draft}"
        kind: RequestKind = self.mode
        request = Request(
            kind=kind,
            prompt=prompt,
            options=self._allowed(),
            schema=self._schema(),
            feedback=self.feedback and self.mode == "approve",
            data={} if draft is None else {"draft": draft},
        )
        return Pause((request,))

    async def resume(
        self, step: StepContext, request: Request, answer: Mapping[str, Any]
    ) -> Result:
        """Takes the path of the answer."""
        del step
        draft = {"draft": request.data["draft"]} if "draft" in request.data else {}
        match self.mode:
            case "approve":
                key = self._one_of("type", answer, ("proceed", "reject"))
                value = {"type": key, "feedback": answer.get("feedback", ""), **draft}
                return Route(key, value, reason=f"The person chose to {key}.")
            case "choose":
                key = self._one_of("choice", answer, self.options)
                return Route(key, {"choice": key, **draft}, reason=f"The person chose '{key}'.")
            case "form":
                return Output({"form": check_form(self.form_fields, answer.get("form"))})
        return Output({"text": answer["text"], **draft})

    def _one_of(self, name: str, answer: Mapping[str, Any], allowed: tuple[str, ...]) -> str:
        given = answer.get(name)
        if given in allowed:
            return str(given)
        raise NodeError(
            f"The answer's '{name}' must be one of {', '.join(allowed)}, not {shown(given)}."
        )

    async def _draft(self, step: StepContext) -> str | None:
        if self.draft_with_model is None:
            return None
        task = {"role": "user", "content": self.draft_with_model.prompt}
        messages = [*step.state.get("messages", ()), task]
        return (await step.ask_model(self.draft_with_model.model, messages)).text

    def _allowed(self) -> tuple[str, ...]:
        if self.mode == "approve":
            return ("proceed", "reject")
        return self.options if self.mode == "choose" else ()

    def _schema(self) -> dict[str, Any]:
        """The JSON Schema of the whole answer."""
        remark = {"type": "string"} if self.feedback else {"const": ""}
        by_mode: dict[str, dict[str, Any]] = {
            "approve": {"type": {"enum": ["proceed", "reject"]}, "feedback": remark},
            "choose": {"choice": {"enum": list(self.options)}},
            "form": {"form": form_schema(self.form_fields)},
            "text": {"text": {"type": "string"}},
        }
        properties = by_mode[self.mode]
        return {
            "type": "object",
            "properties": properties,
            "required": [next(iter(properties))],
            "additionalProperties": False,
        }
