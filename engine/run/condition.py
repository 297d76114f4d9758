"""The condition of a run: tokens, state and waiting steps, as the fold of its events leaves it."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from engine.node_type import Request
from engine.run.frames import TOP, Frame, agree, strands_of
from engine.run.plan import LevelPlan, Plan
from engine.run.state import RunState
from engine.run.waiting_room import WaitingRoom

_NOTHING: Mapping[str, Any] = MappingProxyType({})

RunStatus = Literal["running", "paused", "stopped", "finished", "error"]
FiringStatus = Literal["ready", "waiting", "iterating", "held", "failed"]


def _nothing() -> Mapping[str, Any]:
    return _NOTHING


@dataclass(slots=True)
class Box:
    """How far an iteration is: items, results by place, and how the next ones are opened.

    `prefix` begins the path of every item: `outer#0/inner`.
    """

    prefix: str
    items: list[Any]
    concurrency: int
    on_item_error: Literal["stop", "continue"]
    results: dict[int, Any] = field(default_factory=dict)
    errors: list[dict[str, Any]] = field(default_factory=list)
    opened: int = 0
    failure: dict[str, Any] | None = None

    @property
    def done(self) -> bool:
        """Whether every item has its result."""
        return len(self.results) == len(self.items)


@dataclass(slots=True)
class Firing:
    """One step on its way: claimed, running, waiting, or held until earlier ones have left.

    `requests` wait for an answer; `answers` have been given and wait for the node to take them.
    """

    id: int
    path: str
    node: int
    frame: Frame
    visit: int
    inputs: dict[str, Any]
    pins: dict[str, Any]
    status: FiringStatus = "ready"
    started: float | None = None
    attempts: int = 0
    requests: Mapping[str, Request] = field(default_factory=_nothing)
    answers: tuple[tuple[Request, dict[str, Any]], ...] = ()
    repeat: str | None = None
    child: str | None = None
    box: Box | None = None
    outputs: Sequence[Any] = ()
    sent: Sequence[int] = ()
    several: bool = False
    sent_each: Sequence[Sequence[int]] = ()
    config: Mapping[str, Any] = field(default_factory=_nothing)


class Scope:
    """One level of the run under way: the top, or one item of a box.

    Attributes:
        path: "" at the top; `iteration#3` or `outer#0/inner#2` inside boxes.
        room: Its tokens and activity.
        live: Steps that have not left yet.
        lines: Steps per node in the order in which they started.
        outputs: Newest outputs per node, by frame.
        ends: Outputs of steps that sent no token on, by node, in finishing order.
        owner: The firing of the box; None at the top.
        item: `$iteration` inside a box.
    """

    def __init__(
        self, path: str, level: LevelPlan, owner: int | None = None, item: Any = None
    ) -> None:
        self.path = path
        self.level = level
        self.room = WaitingRoom(level.layout)
        self.live = 0
        self.lines: dict[int, deque[Firing]] = {}
        self.outputs: dict[int, dict[Frame, Any]] = {}
        self.ends: dict[str, Any] = {}
        self.owner = owner
        self.item: dict[str, Any] | None = item

    def keep_output(self, node: int, frame: Frame, value: Any) -> None:
        """Remembers a node's newest output, and forgets those no step can ask for any more."""
        known = self.outputs.get(node)
        under_way = self.room.activity.by_frame
        if known is None or frame == TOP or (len(under_way) == 1 and frame in under_way):
            self.outputs[node] = {frame: value}
            return
        if frame in known:
            del known[frame]
        known[frame] = value
        if len(known) > 32 + 4 * len(under_way):
            self._forget_old(known)

    def _forget_old(self, known: dict[Frame, Any]) -> None:
        """Keeps what a step under way may ask for: its own round, else the newest of its strand."""
        activity = self.room.activity
        under_way = {strands_of(frame) for frame in activity.by_frame}
        newest: set[Frame] = set()
        for frame in reversed(list(known)):
            strand = strands_of(frame)
            is_newest = strand not in newest
            newest.add(strand)
            needed = is_newest and any(agree(strand, other) for other in under_way)
            if not needed and not activity.alive(frame):
                del known[frame]

    def newest_output(self, node: int, frame: Frame) -> tuple[bool, Any]:
        """Whether a step in this frame sees an output of the node, and which.

        Its own round comes first, then the newest of an earlier round; never another strand's.
        """
        known = self.outputs.get(node)
        if not known:
            return False, None
        if frame in known:
            return True, known[frame]
        for other in reversed(known):
            if agree(frame, other):
                return True, known[other]
        strand = strands_of(frame)
        for other in reversed(known):
            if agree(strand, strands_of(other)):
                return True, known[other]
        return False, None

    def result(self) -> Any:
        """The output of this level: of its one end, or of each end by node id."""
        if len(self.ends) == 1:
            return next(iter(self.ends.values()))
        return dict(self.ends) if self.ends else None


class Condition:
    """Everything that decides how a run goes on. Changed only by `engine.run.fold.apply`."""

    def __init__(self, plan: Plan, run_id: str, state: RunState) -> None:
        self.plan = plan
        self.run_id = run_id
        self.state = state
        self.run_input: dict[str, Any] = {}
        self.vars: dict[str, Any] = {}
        self.limits: dict[str, Any] = {}
        self.status: RunStatus = "running"
        self.error: dict[str, Any] | None = None
        self.stop: dict[str, Any] | None = None
        self.started_at = 0.0
        self.scopes: dict[str, Scope] = {"": Scope("", plan.level())}
        self.firings: dict[int, Firing] = {}
        self.next_firing = 1
        self.steps = 0
        self.visits: dict[str, int] = {}
        self.answered: set[str] = set()
        self.warnings: list[dict[str, Any]] = []
        self.unmatched: list[dict[str, Any]] = []
        self.dropped: list[dict[str, Any]] = []
        # Derived, for the runner: what became ready or void with the last event.
        self.fresh: list[int] = []
        self.cancelled: list[int] = []
        self.notices: list[dict[str, Any]] = []

    @property
    def top(self) -> Scope:
        """The top level."""
        return self.scopes[""]

    def node_id(self, firing: Firing) -> str:
        """The id of the node that a firing is of."""
        return self.scopes[firing.path].level.ids[firing.node]

    def open_requests(self) -> dict[str, tuple[Firing, Request]]:
        """Requests that wait for an answer, by id, oldest first; none once the run is finished."""
        if self.status == "finished":
            return {}
        return {
            key: (firing, request)
            for firing in self.firings.values()
            for key, request in firing.requests.items()
        }
