"""From a model's full name to the provider that answers for it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import NodeError
from engine.language.words import nearest
from engine.models.pretend import PretendModels
from engine.models.provider import Message, ModelCall, ModelReply, OnText, Provider, Sleep


def _unheard(_text: str) -> None:
    """Nobody watches the text come."""


class ModelRouter:
    """Asks the model of a full name such as `pretend/echo`.

    Args:
        providers: Provider by the name before the slash, besides the pretend models.
        sleep: How the pretend models wait.
    """

    def __init__(
        self, providers: Mapping[str, Provider] | None = None, *, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._providers: dict[str, Provider] = {"pretend": PretendModels(sleep)}
        self._providers.update(providers or {})

    def model_names(self) -> tuple[str, ...]:
        """The full names of all models that there are."""
        return tuple(
            f"{name}/{model}"
            for name, provider in self._providers.items()
            for model in provider.model_names()
        )

    def knows(self, model: str) -> bool:
        """Whether a model of this full name can be asked."""
        name, _, rest = model.partition("/")
        return name in self._providers and self._providers[name].knows(rest)

    async def answer(
        self,
        model: str,
        messages: Sequence[Message],
        *,
        on_text: OnText = _unheard,
        attempt: int = 1,
        visit: int = 1,
        parameters: Mapping[str, Any] | None = None,
    ) -> ModelReply:
        """The model's answer to chat messages.

        Raises:
            NodeError: There is no such model, or it failed.
        """
        if not self.knows(model):
            raise self._unknown(model)
        name, _, rest = model.partition("/")
        call = ModelCall(rest, messages, on_text, attempt, visit, parameters or {})
        return await self._providers[name].answer(call)

    def _unknown(self, model: str) -> NodeError:
        names = self.model_names()
        near = nearest(model, names)
        question = f" Did you mean '{near}'?" if near else ""
        return NodeError(
            f"There is no model '{model}'.{question}",
            f"The models are {', '.join(names)}.",
            kind="unknown_model",
        )
