"""What a kind of model provider must offer, and what passes between it and a flow."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Message = Mapping[str, Any]
OnText = Callable[[str], None]
Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered: text, then tokens and cost where known."""

    text: str
    usage: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One question to a model.

    Args:
        model: Its name within the provider, for example `echo`.
        messages: Chat messages (`role`, `content`).
        on_text: Takes each piece of text as it comes.
        attempt: Which try of the step this is, 1 at first.
        visit: How often the step's node has run, this time included.
        parameters: Whatever else the node set, for example `temperature`.
    """

    model: str
    messages: Sequence[Message]
    on_text: OnText
    attempt: int = 1
    visit: int = 1
    parameters: Mapping[str, Any] = field(default_factory=dict)


class Provider(Protocol):
    """One kind of provider: the part of a model's name before the slash."""

    def model_names(self) -> Sequence[str]:
        """The models that it offers, without the provider's own name."""

    def knows(self, model: str) -> bool:
        """Whether it can be asked for this model."""

    async def answer(self, call: ModelCall) -> ModelReply:
        """The model's answer.

        Raises:
            NodeError: Kind `timeout`, `rate_limit` or `server` where a second try may help.
        """
