"""What a node type is, what it may give back, and what it sees of the run.

A node type is one file in `engine/nodes/`: a frozen pydantic model whose fields are the node's
configuration (see `engine.fields` for their kinds) and whose docstring is its help page.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from engine.flow.document import JoinPolicy
from engine.models.provider import ModelReply as ModelReply


class Group(StrEnum):
    """The palette's groups, in a non-programmer's words."""

    START = "Start and stop"
    TALK = "Talk"
    DECIDE = "Decide"
    LOOP = "Loop"
    PEOPLE = "People"
    DO = "Do"
    DATA = "Data"


@dataclass(frozen=True, slots=True)
class Handle:
    """One named way out of a node; `key` is the route key of its edges, None for the plain one."""

    key: str | None
    label: str = ""

    @property
    def id(self) -> str:
        """The handle's id on the canvas, for example `true_handle`."""
        return f"{self.key}_handle" if self.key else "out"


@dataclass(frozen=True, slots=True)
class NodeMeta:
    """What the palette, the canvas and the interpreter know of a type without its configuration.

    Args:
        type_id: Stable name in flow files; never changes.
        title: Palette name.
        group: Palette group.
        icon: Icon name (Material Design Icons, `mdi6.*`).
        words: Other words a person may search for.
        outside_effects: Running it twice does something twice outside the flow; on resume the
            person is asked before it runs again.
        announces: Its start is written to the journal (outside effects, agents, waits).
        condition_like: It chooses one of its handles; its last handle acts as else.
        loops: It decides whether a loop goes round again.
        disabled_route: The route key that a disabled node of this type takes.
        unlabelled: The route keys that its unlabelled edges stand for: a back edge, a forward one.
        has_children: It is a box that holds other nodes.
        examples: Small configurations with a title, shown in the help.
    """

    type_id: str
    title: str
    group: Group
    icon: str
    words: tuple[str, ...] = ()
    outside_effects: bool = False
    announces: bool = False
    condition_like: bool = False
    loops: bool = False
    disabled_route: str | None = None
    unlabelled: tuple[str, str] | None = None
    has_children: bool = False
    examples: tuple[tuple[str, dict[str, Any]], ...] = ()


class Change(NamedTuple):
    """One change to the run's state, applied when the step finishes.

    `entry` is a name of run state (`context`, `messages`, `loop_states`, `task_states`,
    `task_results`, `parallel_results`, `node_contexts`, `todos`); `key` the variable or node in
    it, empty for the entry itself; `op` a reducer name, `remove`, or "" for the declared reducer.
    """

    entry: str
    key: str
    op: str
    value: Any


@dataclass(slots=True)
class Output:
    """A value for the outgoing edges; `updates` are flow variables, each joined by its reducer."""

    value: Any
    updates: Mapping[str, Any] = field(default_factory=dict)
    changes: Sequence[Change] = ()
    usage: Mapping[str, Any] | None = None


@dataclass(slots=True)
class Route:
    """As Output, onto the edges whose route key is `key` and onto edges without one.

    `reason` is the decision in words, shown beside the edges that were not taken.
    """

    key: str
    value: Any
    updates: Mapping[str, Any] = field(default_factory=dict)
    changes: Sequence[Change] = ()
    usage: Mapping[str, Any] | None = None
    reason: str = ""


@dataclass(slots=True)
class Outputs:
    """Several values, each one more token on each outgoing edge."""

    values: Sequence[Any]
    updates: Mapping[str, Any] = field(default_factory=dict)
    changes: Sequence[Change] = ()
    usage: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Iterate:
    """Runs the node's children once per item; the results in item order become its output."""

    items: Sequence[Any]
    concurrency: int = 1
    on_item_error: Literal["stop", "continue"] = "stop"


@dataclass(frozen=True, slots=True)
class Stop:
    """Ends the whole run."""

    status: Literal["finished", "error"]
    message: str = ""
    value: Any = None


RequestKind = Literal["approve", "choose", "form", "text", "tool_approval"]


@dataclass(frozen=True, slots=True)
class Request:
    """A question to a person.

    Args:
        kind: What sort of answer is wanted.
        prompt: Markdown, already resolved.
        options: The allowed choices for `choose`; the allowed `type`s for `approve`.
        schema: JSON Schema of the whole answer object.
        feedback: Whether a remark may be added.
        data: What the node needs when the answer comes; kept in the journal.
        id: Given by the run.
    """

    kind: RequestKind
    prompt: str
    options: tuple[str, ...] = ()
    schema: Mapping[str, Any] = field(default_factory=dict)
    feedback: bool = False
    data: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True, slots=True)
class Pause:
    """The step waits for a person; each answer goes to the node's `resume`.

    A request that keeps the `id` of an earlier one of this step stays the same question.
    """

    requests: Sequence[Request]


Result = Output | Route | Outputs | Iterate | Stop | Pause


@dataclass(frozen=True, slots=True)
class LoopView:
    """The innermost loop that a step is in.

    Args:
        round: Number of the current round, 0 in the first.
        at_header: Whether this node is where the loop begins.
        state: This node's own loop state in this entry (`items`, `current_item`, ...).
        inside: Whether the node lies in a loop at all.
    """

    round: int = 0
    at_header: bool = False
    state: Mapping[str, Any] = field(default_factory=dict)
    inside: bool = False


@dataclass(frozen=True, slots=True)
class SubRun:
    """How a nested run stands: its output when finished, its open requests when paused."""

    run_id: str
    status: Literal["finished", "paused", "error", "stopped"]
    output: Any = None
    error: str = ""
    requests: Sequence[Request] = ()
    messages: Sequence[Mapping[str, Any]] = ()


class StepContext(ABC):
    """What a running node sees: what it received, the run read-only, and its ways outside.

    Values are shared with the run: treat them as read-only.
    """

    node_id: str
    label: str
    visit: int
    attempt: int
    inputs: Mapping[str, Any]
    pins: Mapping[str, Any]
    run_id: str

    @property
    @abstractmethod
    def input(self) -> Any:
        """The one value received; several by source node; at a start what the run was given."""

    @property
    @abstractmethod
    def state(self) -> Mapping[str, Any]:
        """The run state by entry name (`context`, `messages`, `loop_states`, `form`, ...)."""

    @property
    @abstractmethod
    def loop(self) -> LoopView:
        """The innermost loop."""

    @property
    @abstractmethod
    def run_input(self) -> Mapping[str, Any]:
        """`question`, `form`, `webhook`, `files` as the run got them."""

    @property
    @abstractmethod
    def max_iterations(self) -> int:
        """The limit for a loop whose node sets none of its own."""

    @abstractmethod
    def evaluate(
        self, expression: str, field: str = "", extra: Mapping[str, Any] | None = None
    ) -> Any:
        """The value of an expression.

        Raises:
            NodeError: It names `field`, the fault and the nearest name.
        """

    @abstractmethod
    def render(self, template: str, field: str = "", extra: Mapping[str, Any] | None = None) -> Any:
        """A template filled in. Only for text that was not a field: fields arrive resolved."""

    @abstractmethod
    def now(self) -> datetime:
        """The clock, with the local time zone."""

    @property
    @abstractmethod
    def started_at(self) -> datetime:
        """When this step first started, also after a restart of the program."""

    @abstractmethod
    async def sleep_until(self, moment: datetime) -> None:
        """Waits; ends at once when the run is stopped. A moment in the past returns at once."""

    @abstractmethod
    async def sleep(self, seconds: float) -> None:
        """Waits `seconds` since the step first started, also over a restart."""

    @abstractmethod
    async def in_thread(self, function: Any, *args: Any) -> Any:
        """Runs a blocking function beside the event loop."""

    @abstractmethod
    def stream(self, text: str) -> None:
        """Shows a piece of text as it comes."""

    @abstractmethod
    def log(self, text: str, level: Literal["info", "warning"] = "info") -> None:
        """A line for the log of the run."""

    @abstractmethod
    def ask_model(
        self,
        model: str,
        messages: Sequence[Mapping[str, Any]],
        *,
        stream: bool = True,
        **parameters: Any,
    ) -> Awaitable[ModelReply]:
        """A model's answer to chat messages (`role`, `content`)."""

    @abstractmethod
    def run_flow(
        self, flow: str, run_input: Mapping[str, Any], *, wait: bool = True
    ) -> Awaitable[SubRun]:
        """Runs another flow of the library as a nested run with a record of its own.

        The same step always gets the same nested run: after a restart it goes on.
        """

    @abstractmethod
    def answer_flow(
        self, run_id: str, request_id: str, answer: Mapping[str, Any]
    ) -> Awaitable[SubRun]:
        """Hands an answer to a request of a nested run."""


class NodeType(BaseModel):
    """Base of every node type: the fields are the configuration, the docstring the help page."""

    model_config = ConfigDict(frozen=True, extra="ignore", arbitrary_types_allowed=False)
    meta: ClassVar[NodeMeta]

    def handles(self) -> tuple[Handle, ...]:
        """The ways out, in order; the `error` handle of `on_error: branch` is added for all."""
        return (Handle(None),)

    def join(self, drawn: JoinPolicy) -> JoinPolicy:
        """The join policy in force, given the one set on the node."""
        return drawn

    def summary(self) -> str:
        """One line about the settings, for the canvas; may be empty."""
        return ""

    async def run(self, step: StepContext) -> Result | AsyncIterator[Output]:
        """One step. An async generator gives several outputs.

        Raises:
            NodeError: The work cannot be done; the node's error policy decides what follows.
        """
        raise NodeTypeIncomplete(type(self).__name__, "run")

    async def resume(
        self, step: StepContext, request: Request, answer: Mapping[str, Any]
    ) -> Result:
        """Goes on after an answer to `request`; it has been checked against the schema."""
        raise NodeTypeIncomplete(type(self).__name__, "resume")


class NodeTypeIncomplete(TypeError):  # noqa: N818 - reads as a statement about the type
    """A node type lacks a method that it needs: a fault of the type, not of the flow."""

    def __init__(self, type_name: str, method: str) -> None:
        super().__init__(f"The node type {type_name} has no method '{method}'.")
