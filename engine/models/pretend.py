"""Models that need no key, no network and no patience: for building and testing flows."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from engine.errors import NodeError
from engine.models.provider import Message, ModelCall, ModelReply, Sleep

ASK_ME = "pretend/ask-me"
SCRIPT = "pretend/script"
NO_SCRIPT = "This is the scripted model. Write its answers into the field Script of this node."
NO_MESSAGE = "(there was no message to echo)"
BROKEN_JSON = '{"answer": "this JSON is cut off", "numbers": [1, 2,'
SLOW_PAUSE_S = 0.2
RETRY_AFTER_S = 1.0

_FAULT = re.compile(r"faults(?::(timeout|429|500|broken-json|slow)(?::?x(\d{1,6}))?)?")
_IN_TURN = ("timeout", "429", "500")
_FAULT_NAMES = ("timeout", "429", "500", "broken-json", "slow")


class PretendModels:
    """The provider `pretend`.

    `echo` repeats the last message of the person, `script` says the texts of a list one by one,
    `ask-me` is a person, and `faults` fails: `faults:timeout`, `faults:429`, `faults:500`,
    `faults:broken-json` and `faults:slow` each time, `faults:500x2` on the first two tries only,
    and plain `faults` in the first three ways, then it echoes.
    """

    def __init__(self, sleep: Sleep) -> None:
        self._sleep = sleep

    def model_names(self) -> Sequence[str]:
        """The models, each kind of fault on its own."""
        return ("echo", "script", "ask-me", "faults", *(f"faults:{each}" for each in _FAULT_NAMES))

    def knows(self, model: str) -> bool:
        """Whether there is such a model; every count behind a fault is one."""
        return model in self.model_names() or _FAULT.fullmatch(model) is not None

    async def answer(self, call: ModelCall) -> ModelReply:
        """The answer, in pieces of a word each to whoever watches.

        Raises:
            NodeError: The fault that was asked for, or a person would have to answer.
        """
        if call.model == "ask-me":
            raise NodeError(
                "The model 'pretend/ask-me' is a person, and nobody can be asked from here.",
                "Only an Ask a model node can use it. Choose another pretend model.",
            )
        if call.model == "script":
            return await self._say(call, _scripted(call))
        fault = _fault_now(call)
        if fault in _IN_TURN:
            raise _error(fault)
        text = BROKEN_JSON if fault == "broken-json" else _last_user_text(call.messages)
        return await self._say(call, text, SLOW_PAUSE_S if fault == "slow" else 0.0)

    async def _say(self, call: ModelCall, text: str, pause_s: float = 0.0) -> ModelReply:
        for piece in re.findall(r"\s*\S+\s*$|\s*\S+|\s+", text):
            if pause_s:
                await self._sleep(pause_s)
            call.on_text(piece)
        asked = sum(len(_text(message.get("content")).split()) for message in call.messages)
        usage = {"input_tokens": asked, "output_tokens": len(text.split()), "cost": 0}
        return ModelReply(text, usage)


def _scripted(call: ModelCall) -> str:
    script = call.parameters.get("script") or ()
    if not script:
        return NO_SCRIPT
    return _text(script[min(call.visit - 1, len(script) - 1)])


def _fault_now(call: ModelCall) -> str:
    """The fault of this try; empty when it answers."""
    found = _FAULT.fullmatch(call.model)
    if found is None:
        return ""
    kind, count = found.groups()
    if kind is None:
        return _IN_TURN[call.attempt - 1] if call.attempt <= len(_IN_TURN) else ""
    return kind if count is None or call.attempt <= int(count) else ""


def _error(fault: str) -> NodeError:
    hint = "This fault is pretended: set On error to retry, or choose another model."
    if fault == "timeout":
        return NodeError("The model did not answer in time.", hint, kind="timeout")
    if fault == "429":
        return NodeError(
            "The model's provider takes no more requests for the moment (429).",
            hint,
            kind="rate_limit",
            retry_after_s=RETRY_AFTER_S,
        )
    return NodeError("The model's provider had a fault of its own (500).", hint, kind="server")


def _last_user_text(messages: Sequence[Message]) -> str:
    for message in reversed(messages):
        if message.get("role") == "user":
            return _text(message.get("content"))
    return NO_MESSAGE


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return json.dumps(content, ensure_ascii=False, default=str)
