"""Waits, then passes its input on."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from engine.errors import NodeError
from engine.fields import Seconds, Text
from engine.node_type import Group, NodeMeta, NodeType, Output, StepContext

_MOST_YEARS = 10
_MOST_SECONDS = _MOST_YEARS * 365 * 24 * 3600


class Wait(NodeType):
    """Waits, then passes its input on unchanged.

    Use it to stay under a service's rate limit, or to go on at a certain time. Stopping the run
    ends the wait at once. A run that is closed meanwhile waits on when it is opened again; the
    time that passed counts.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="wait",
        title="Wait",
        group=Group.DO,
        icon="mdi6.timer-sand",
        words=("delay", "sleep", "pause", "timer", "schedule", "until"),
        announces=True,
        examples=(
            ("Half a second", {"seconds": 0.5}),
            ("Until the next morning", {"until": "08:00"}),
        ),
    )

    seconds: Annotated[Seconds, Field(le=_MOST_SECONDS)] | None = Field(
        default=None, title="For", description="How long to wait. Leave it empty to use Until."
    )
    until: Text = Field(
        default="",
        title="Until",
        description=(
            "A time of day such as 08:30 (the next one), or a date with or without a time "
            "such as 2026-05-01 08:30. In local time unless it names a time zone."
        ),
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if self.seconds is None and not self.until:
            raise ValueError("give either a number of seconds or a time to wait until")
        if self.seconds is not None and self.until:
            raise ValueError("give a number of seconds or a time to wait until, not both")
        return self

    def summary(self) -> str:
        """How long."""
        return (
            f"until {self.until}" if self.until else f"{self.seconds:g} s" if self.seconds else ""
        )

    async def run(self, step: StepContext) -> Output:
        """Waits."""
        if self.seconds is not None:
            await step.sleep(self.seconds)
        else:
            await step.sleep_until(_moment(self.until.strip(), step.started_at))
        return Output(step.input)


def _moment(text: str, start: datetime) -> datetime:
    """The moment that a text names, seen from `start`."""
    try:
        # Without a colon, 2026 would be 20:26.
        clock = time.fromisoformat(text if ":" in text else "")
    except ValueError:
        return _dated_moment(text, start)
    zone = clock.tzinfo or start.tzinfo
    here = start.astimezone(zone)
    today = datetime.combine(here.date(), clock.replace(tzinfo=None), zone)
    return today if today > here else today + timedelta(days=1)


def _dated_moment(text: str, start: datetime) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise NodeError(
            f"Field 'Until': '{text}' is no time.",
            f"Write a time of day such as 08:30, or a date such as {start.date()} 08:30.",
        ) from None
    if moment.year > start.year + _MOST_YEARS:
        raise NodeError(
            f"Field 'Until': {text} is more than {_MOST_YEARS} years away.",
            "Write an earlier date.",
        )
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=start.tzinfo)
