"""What a run reaches outside itself through: clock, sleep, chance, models, nested runs, journal."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from engine.node_type import SubRun

if TYPE_CHECKING:
    from engine.models.router import ModelRouter


class Clock(Protocol):
    """Time as a run sees it."""

    def now(self) -> float:
        """Seconds since 1970."""

    async def sleep(self, seconds: float) -> None:
        """Waits."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Waits; never returns before the time is over."""
        end = time.monotonic() + seconds
        # A timer may wake a little early; this is no waiting for an event.
        while (left := end - time.monotonic()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(left)


class Journal(Protocol):
    """Where events are written, each whole."""

    def append(self, record: dict[str, Any]) -> int:
        """Writes one record; the bytes it took."""

    async def sync_async(self) -> None:
        """Returns when everything written is on disk."""


class NestedRuns(Protocol):
    """Runs other flows as nested runs with records of their own."""

    def new_id(self) -> str:
        """The id of a nested run that is about to start."""

    async def start(
        self, run_id: str, flow: str, run_input: Mapping[str, Any], *, wait: bool = True
    ) -> SubRun:
        """Starts a nested run, or goes on with it if it exists."""

    async def answer(self, run_id: str, request_id: str, answer: Mapping[str, Any]) -> SubRun:
        """Hands an answer to a request of a nested run."""


class NoNestedRuns:
    """Where no library of flows is at hand."""

    def new_id(self) -> str:
        """The id of a nested run that is about to start."""
        return "nested"

    async def start(
        self, run_id: str, flow: str, run_input: Mapping[str, Any], *, wait: bool = True
    ) -> SubRun:
        """Refuses."""
        del run_id, run_input, wait
        return SubRun("", "error", error=f"There is no library here to find the flow '{flow}' in.")

    async def answer(self, run_id: str, request_id: str, answer: Mapping[str, Any]) -> SubRun:
        """Refuses."""
        del request_id, answer
        return SubRun(run_id, "error", error="There is no nested run here.")


@dataclass
class Services:
    """The ways outside of one run; tests give fakes.

    `journal_bytes` is what the journal holds since its last snapshot, `snapshot_bytes` what that
    took: a run that is opened again goes on with them.
    """

    clock: Clock = field(default_factory=SystemClock)
    journal: Journal | None = None
    nested: NestedRuns = field(default_factory=NoNestedRuns)
    chance: random.Random = field(default_factory=random.Random)
    model_router: ModelRouter | None = None
    redact: Callable[[Any], Any] | None = None
    journal_bytes: int = 0
    snapshot_bytes: int = 0

    @cached_property
    def models(self) -> ModelRouter:
        """Models by name."""
        from engine.models.router import ModelRouter  # most flows of a test ask no model

        return self.model_router or ModelRouter(sleep=self.clock.sleep)

    def moment_text(self) -> str:
        """The clock as ISO 8601 text."""
        return self.moment().isoformat(timespec="seconds")

    def moment(self) -> datetime:
        """The clock as date and time, with the local time zone."""
        return datetime.fromtimestamp(self.clock.now()).astimezone()
