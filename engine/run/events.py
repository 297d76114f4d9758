"""What can happen in a run: the one typed stream that the journal keeps and observers read.

Events are slotted dataclasses, cheap to make at every step. `read_event` checks a record from
a journal with pydantic, which reads the same definitions.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, Literal

from engine.errors import JournalError

FrameItems = tuple[tuple[int, int, int], ...]


@dataclass(slots=True)
class Event:
    """Base of all events."""

    kind: ClassVar[str]


@dataclass(slots=True)
class RunStarted(Event):
    """The first event: everything the run needs, its own copy of the document included.

    `flow` is the document as JSON; `input` holds question, form, webhook, files, context;
    `limits` what the command line or the environment overrode.
    """

    kind: ClassVar[str] = "run_started"
    run_id: str
    flow: dict[str, Any]
    time: float
    input: dict[str, Any] = field(default_factory=dict)
    vars: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, Any] = field(default_factory=dict)
    use_pins: bool = True
    model: str | None = None
    flow_path: str | None = None
    parent: dict[str, Any] | None = None
    fork: dict[str, Any] | None = None
    version: int = 1


@dataclass(slots=True)
class StepStarted(Event):
    """A step that reaches outside, or waits, has begun."""

    kind: ClassVar[str] = "step_started"
    firing: int
    time: float


@dataclass(slots=True)
class TextStreamed(Event):
    """Text as it comes from a model; not needed for recovery."""

    kind: ClassVar[str] = "token"
    firing: int
    node: str
    text: str
    path: str = ""


@dataclass(slots=True)
class StepFinished(Event):
    """A step gave its result.

    `outputs` holds one value per token on each edge; `sent` the edges taken (numbers of the
    level's edges), `sent_each` those of each output where they differ; `missed` the pins that
    found nothing, by edge, in words.
    """

    kind: ClassVar[str] = "step_finished"
    firing: int
    step: int
    node: str
    visit: int
    inputs: dict[str, Any]
    outputs: list[Any]
    sent: list[int]
    time: float
    ms: float = 0.0
    path: str = ""
    frame: FrameItems = ()
    route: str | None = None
    reason: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    changes: list[Any] = field(default_factory=list)
    missed: dict[str, str] = field(default_factory=dict)
    usage: dict[str, Any] | None = None
    several: bool = False
    sent_each: list[list[int]] = field(default_factory=list)
    stop: dict[str, Any] | None = None
    errors: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class StepSkipped(Event):
    """A step could not run for want of an input; nothing is sent."""

    kind: ClassVar[str] = "step_skipped"
    firing: int
    step: int
    node: str
    visit: int
    reason: str
    time: float
    inputs: dict[str, Any] = field(default_factory=dict)
    path: str = ""
    frame: FrameItems = ()


@dataclass(slots=True)
class StepFailed(Event):
    """A step failed for good; `policy` says what follows, `sent` the edges that take the error."""

    kind: ClassVar[str] = "step_failed"
    firing: int
    step: int
    node: str
    visit: int
    error: dict[str, Any]
    policy: Literal["stop", "continue", "branch"]
    time: float
    ms: float = 0.0
    inputs: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    sent: list[int] = field(default_factory=list)
    path: str = ""
    frame: FrameItems = ()


@dataclass(slots=True)
class Retry(Event):
    """A try failed and another follows after `wait` seconds."""

    kind: ClassVar[str] = "retry"
    firing: int
    node: str
    attempt: int
    error: dict[str, Any]
    wait: float
    time: float
    path: str = ""


@dataclass(slots=True)
class PauseRequested(Event):
    """A step waits for a person."""

    kind: ClassVar[str] = "pause_requested"
    firing: int
    node: str
    requests: list[dict[str, Any]]
    time: float
    path: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    repeat: bool = False


@dataclass(slots=True)
class PauseAnswered(Event):
    """A person answered one request."""

    kind: ClassVar[str] = "pause_answered"
    firing: int
    request: str
    answer: dict[str, Any]
    time: float


@dataclass(slots=True)
class IterationStarted(Event):
    """A box begins to run its children once per item."""

    kind: ClassVar[str] = "iteration_started"
    firing: int
    node: str
    items: list[Any]
    concurrency: int
    on_item_error: Literal["stop", "continue"]
    time: float
    path: str = ""
    config: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class BoxTimedOut(Event):
    """A box took longer than its limit."""

    kind: ClassVar[str] = "box_timed_out"
    firing: int
    limit_s: float
    time: float


@dataclass(slots=True)
class ChildStarted(Event):
    """A step started a nested run; the same step goes on with the same nested run."""

    kind: ClassVar[str] = "child_started"
    firing: int
    run_id: str


@dataclass(slots=True)
class Warned(Event):
    """Something a person should know about how the run went."""

    kind: ClassVar[str] = "warning"
    message: str
    node: str | None = None
    edges: list[str] = field(default_factory=list)
    path: str = ""


@dataclass(slots=True)
class TokenDropped(Event):
    """A value came too late for a node that takes only the first."""

    kind: ClassVar[str] = "token_dropped"
    edge: str
    node: str
    value: Any
    path: str = ""


@dataclass(slots=True)
class Logged(Event):
    """A line that a node wrote for the log."""

    kind: ClassVar[str] = "log"
    firing: int
    node: str
    text: str
    level: Literal["info", "warning"] = "info"
    path: str = ""


@dataclass(slots=True)
class PastSteps(Event):
    """In a fork: the events of the steps before it, so that the new run tells its whole story."""

    kind: ClassVar[str] = "past_steps"
    events: list[dict[str, Any]]


@dataclass(slots=True)
class Edited(Event):
    """A person changed the run's condition: variables, or the newest output of nodes."""

    kind: ClassVar[str] = "edited"
    time: float
    context: dict[str, Any] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class RunResumed(Event):
    """The run goes on after a stop, an error or a crash."""

    kind: ClassVar[str] = "run_resumed"
    time: float
    limits: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class RunPaused(Event):
    """Nothing can run until a person answers."""

    kind: ClassVar[str] = "run_paused"
    time: float


@dataclass(slots=True)
class RunStopped(Event):
    """A person stopped the run; it can be resumed from here."""

    kind: ClassVar[str] = "run_stopped"
    time: float


@dataclass(slots=True)
class RunFinished(Event):
    """The end: `finished`, or `error` with what went wrong."""

    kind: ClassVar[str] = "run_finished"
    status: Literal["finished", "error"]
    time: float
    error: dict[str, Any] | None = None


@dataclass(slots=True)
class Snapshot(Event):
    """The whole condition, so that a resume need not read what came before."""

    kind: ClassVar[str] = "snapshot"
    condition: dict[str, Any]


EVENT_TYPES: tuple[type[Event], ...] = (
    RunStarted, StepStarted, TextStreamed, StepFinished, StepSkipped, StepFailed, Retry,
    PauseRequested, PauseAnswered, IterationStarted, BoxTimedOut, ChildStarted, Warned,
    TokenDropped, Logged, PastSteps, Edited, RunResumed, RunPaused, RunStopped, RunFinished,
    Snapshot,
)  # fmt: skip
_BY_KIND = {kind.kind: kind for kind in EVENT_TYPES}


def to_record(event: Event) -> dict[str, Any]:
    """The event as a JSON object; fields at their default are left out."""
    record: dict[str, Any] = {"kind": event.kind}
    for name, default in _defaults(event.kind):
        value = getattr(event, name)
        if value != default or default is MISSING:
            record[name] = value
    return record


@cache
def _defaults(kind: str) -> tuple[tuple[str, Any], ...]:
    return tuple(
        (f.name, f.default_factory() if f.default_factory is not MISSING else f.default)
        for f in fields(_BY_KIND[kind])
    )


def read_event(record: dict[str, Any]) -> Event:
    """The event that a journal record holds.

    Raises:
        JournalError: It is no event of this version.
    """
    from pydantic import ValidationError  # a run that only writes never needs it

    body = {key: value for key, value in record.items() if key not in {"n", "kind"}}
    kind = record.get("kind", "")
    if kind not in _BY_KIND:
        msg = f"The journal holds an event of the kind '{record.get('kind')}'."
        raise JournalError(msg, "It was written by a newer version; update to open this run.")
    try:
        event: Event = _reader(kind).validate_python(body)
    except ValidationError as error:
        msg = f"The journal holds a '{record.get('kind')}' event that does not make sense."
        raise JournalError(msg, "The run can be opened up to there.", str(error)) from None
    return event


@cache
def _reader(kind: str) -> Any:
    from pydantic import TypeAdapter  # a run that only writes never needs it

    return TypeAdapter(_BY_KIND[kind])


def journal_schema() -> dict[str, Any]:
    """The JSON Schema of every event, by kind."""
    return {kind: _reader(kind).json_schema() for kind in _BY_KIND}
