"""Asks a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from engine.errors import NodeError
from engine.fields import (
    Count,
    FieldKind,
    Labels,
    Language,
    LongText,
    Mark,
    ModelName,
    Row,
    ShowWhen,
    text_of,
)
from engine.models.pretend import ASK_ME, SCRIPT
from engine.node_tools import message
from engine.node_type import (
    Group,
    ModelReply,
    NodeMeta,
    NodeType,
    Output,
    Pause,
    Request,
    Result,
    StepContext,
)
from engine.structured_output import OutputFields, instruction, read_answer

Messages = list[dict[str, Any]]


class ChatMessage(Row):
    """One message before the question."""

    role: Annotated[
        Literal["system", "user", "assistant"],
        Labels.of(system="Instruction", user="Person", assistant="Model"),
    ] = Field(default="user", title="Who", description="Who says it.")
    content: LongText = Field(title="Text", description="What is said.")


class AskModel(NodeType):
    """Asks a language model and gives its answer.

    The *prompt* is the question; *system* tells the model who it is and how to answer. With
    *memory* it also sees what was said before in the chat. *Values* make it answer with a record
    whose parts later nodes can use one by one, for example `{{ ask.output.sentiment }}`.

    The pretend models need no key and no network: `pretend/echo` repeats the prompt,
    `pretend/script` says the texts of a list, `pretend/ask-me` asks you, `pretend/faults` fails.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="llm",
        title="Ask a model",
        group=Group.TALK,
        icon="mdi6.creation-outline",
        words=("llm", "ai", "gpt", "chat", "prompt", "model", "generate", "write", "extract"),
        examples=(
            (
                "Answer a question",
                {
                    "model": "pretend/echo",
                    "system": "You answer in one sentence.",
                    "prompt": "{{ question }}",
                },
            ),
            (
                "Read values out of a mail",
                {
                    "model": "pretend/script",
                    "prompt": "What does this mail say?\n\n{{ input }}",
                    "output_fields": [
                        {"name": "mood", "type": "enum", "options": ["glad", "angry"]},
                        {"name": "amount", "type": "number"},
                    ],
                    "script": ['{"mood": "angry", "amount": 12.5}'],
                },
            ),
        ),
    )

    prompt: LongText = Field(title="Prompt", description="What you ask the model.")
    model: ModelName = Field(
        title="Model", description="Provider and name, for example pretend/echo."
    )
    system: LongText = Field(
        default="", title="System", description="Who the model is and how it should answer."
    )
    messages: tuple[ChatMessage, ...] = Field(
        default=(),
        title="Messages before",
        description="A conversation that stands before the prompt, for example as a pattern.",
    )
    memory: Annotated[
        Literal["none", "all", "window", "summary"],
        Labels.of(
            none="Nothing",
            all="The whole chat",
            window="The last messages",
            summary="The last messages, and a summary of those before",
        ),
    ] = Field(default="none", title="Memory", description="What the model sees of the chat so far.")
    window: Annotated[Count, ShowWhen("memory", "window", "summary")] = Field(
        default=20, title="Last messages", description="How many messages of the chat it sees."
    )
    output_fields: OutputFields = Field(
        default=(),
        title="Values",
        description="The model answers with these values instead of free text.",
    )
    save_as: Annotated[str, FieldKind.VARIABLE, Language.PLAIN] | None = Field(
        default=None,
        title="Save as",
        description="A flow variable that takes the answer: the text, or the record of values.",
    )
    stream: Annotated[bool, Mark.ADVANCED] = Field(
        default=True, title="Show as it comes", description="Shows the text while it is written."
    )
    temperature: Annotated[float, Field(ge=0, le=2), Mark.ADVANCED] | None = Field(
        default=None,
        title="Temperature",
        description="0 is matter-of-fact, 1 and more is inventive; empty: the model's own.",
    )
    max_tokens: Annotated[Count, Mark.ADVANCED] | None = Field(
        default=None,
        title="Longest answer",
        description="In tokens, of which a word needs one to three; empty: the model's own.",
    )
    script: Annotated[tuple[LongText, ...], ShowWhen("model", SCRIPT), Mark.ADVANCED] = Field(
        default=(),
        title="Script",
        description="What the scripted model says, one text per visit; the last one repeats.",
    )

    def summary(self) -> str:
        """The model."""
        return self.model

    async def run(self, step: StepContext) -> Result:
        """Asks."""
        if self.model == ASK_ME:
            return self._ask_person(self.prompt)
        messages, usage = await self._conversation(step)
        reply = await self._ask(step, messages)
        usage = _added(usage, reply.usage)
        if not self.output_fields:
            return self._answer(reply.text, {}, usage)
        values, fault = read_answer(self.output_fields, reply.text)
        if fault:
            again = [*messages, *_complaint(reply.text, fault)]
            reply = await self._ask(step, again)
            usage = _added(usage, reply.usage)
            values, fault = read_answer(self.output_fields, reply.text)
        if fault:
            raise NodeError(
                f"The model '{self.model}' did not answer with the values asked for: {fault}.",
                "Say in the prompt what you want, or choose a larger model.",
                reply.text[:2000],
                kind="bad_answer",
            )
        return self._answer(reply.text, values, usage)

    async def resume(
        self, step: StepContext, request: Request, answer: Mapping[str, Any]
    ) -> Result:
        """Takes what the person typed as the model's answer."""
        del step, request
        text = answer["text"]
        if not self.output_fields:
            return self._answer(text, {}, {})
        values, fault = read_answer(self.output_fields, text)
        if fault:
            return self._ask_person(f"{self.prompt}\n\n(Please try again: {fault}.)")
        return self._answer(text, values, {})

    def _ask_person(self, prompt: str) -> Pause:
        if self.output_fields:
            prompt = f"{prompt}\n\n{instruction(self.output_fields)}"
        schema = {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
            "additionalProperties": False,
        }
        return Pause((Request("text", prompt, schema=schema),))

    async def _conversation(self, step: StepContext) -> tuple[Messages, Mapping[str, Any]]:
        """Everything that the model reads, and what it cost to put together."""
        told = [self.system] if self.system else []
        remembered, usage = await self._remembered(step)
        if self.output_fields:
            told.append(instruction(self.output_fields))
        system = [{"role": "system", "content": "\n\n".join(told)}] if told else []
        before = [{"role": each.role, "content": each.content} for each in self.messages]
        asked = {"role": "user", "content": self.prompt}
        return [*system, *remembered, *before, asked], usage

    async def _remembered(self, step: StepContext) -> tuple[Messages, Mapping[str, Any]]:
        if self.memory == "none":
            return [], {}
        earlier = step.run_input.get("history") or ()
        chat = [dict(each) for each in (*earlier, *step.state.get("messages", ()))]
        recent = chat if self.memory == "all" else chat[-self.window :]
        older = chat[: len(chat) - len(recent)]
        if self.memory != "summary" or not older:
            return recent, {}
        reply = await step.ask_model(self.model, _summary_task(older), stream=False)
        note = {"role": "system", "content": f"What was said before, in short: {reply.text}"}
        return [note, *recent], reply.usage

    async def _ask(self, step: StepContext, messages: Messages) -> ModelReply:
        given = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        parameters: dict[str, Any] = {k: v for k, v in given.items() if v is not None}
        if self.script:
            parameters["script"] = list(self.script)
        stream = self.stream and not self.output_fields
        return await step.ask_model(self.model, messages, stream=stream, **parameters)

    def _answer(self, text: str, values: Mapping[str, Any], usage: Mapping[str, Any]) -> Output:
        saved: Any = dict(values) if self.output_fields else text
        return Output(
            {"content": text, **values, "usage": dict(usage)},
            updates={self.save_as: saved} if self.save_as else {},
            changes=(message(text),),
            usage=usage,
        )


def _complaint(text: str, fault: str) -> Messages:
    return [
        {"role": "assistant", "content": text},
        {"role": "user", "content": f"That cannot be used: {fault}. Answer with the JSON alone."},
    ]


def _summary_task(chat: Sequence[Mapping[str, Any]]) -> Messages:
    lines = "\n".join(f"{each.get('role')}: {text_of(each.get('content'))}" for each in chat)
    task = f"Sum up this conversation in a few sentences. Keep names and numbers.\n\n{lines}"
    return [{"role": "user", "content": task}]


def _added(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Both usages together: numbers are added, other facts taken from the later one."""
    both = {**one, **other}
    for name in one.keys() & other.keys():
        if isinstance(one[name], int | float) and isinstance(other[name], int | float):
            both[name] = one[name] + other[name]
    return both
