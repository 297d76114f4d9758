"""A clock that only the test moves, a journal in memory, small node types, and runs of them."""

from __future__ import annotations

import asyncio
import inspect
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, ClassVar

from engine.fields import AnyValue
from engine.flow.document import Flow, FlowSettings, Node, Variable
from engine.flow.file import flow_data
from engine.node_type import Group, NodeMeta, NodeType, Output, Pause, Request
from engine.registry import NodeRegistry
from engine.run import events
from engine.run.flow_finder import FlowFinder
from engine.run.fold import apply, begin_condition
from engine.run.report import StepList, node_types, run_report
from engine.run.runner import Runner
from engine.run.services import Services
from engine.run.session import RunSession
from engine.run.snapshot import restore, take
from engine.run.workplace import Workplace
from engine.store.codec import decode, encode
from engine.store.places import Places
from tests.engine.run.sketch import sketch

TURNS = 60


class FakeClock:
    """Time that stands still until the test moves it."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.time = now
        self.asked: list[float] = []
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.asked.append(seconds)
        future = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.time + seconds, future))
        await future

    @property
    def sleeping(self) -> int:
        """How many wait now."""
        self._sleepers = [each for each in self._sleepers if not each[1].done()]
        return len(self._sleepers)

    def advance(self, seconds: float) -> None:
        self.time += seconds
        for until, future in list(self._sleepers):
            if until <= self.time and not future.done():
                future.set_result(None)


class ListJournal:
    """Lines in memory, encoded as those on disk are."""

    def __init__(self, lines: list[bytes] | None = None) -> None:
        self.lines = lines or []

    def append(self, record: dict[str, Any]) -> int:
        self.lines.append(encode(record))
        return len(self.lines[-1]) + 9

    async def sync_async(self) -> None:
        """Memory is always in memory."""

    @property
    def size(self) -> int:
        return sum(len(line) + 9 for line in self.lines)

    def records(self) -> list[dict[str, Any]]:
        return [decode(line) for line in self.lines]


class Acting(NodeType):
    """Does what a function of the test does."""

    meta: ClassVar[NodeMeta] = NodeMeta("acting", "Acting", Group.DO, "mdi6.cog")
    value: AnyValue = None


def node_type(
    type_id: str, run: Any, resume: Any = None, base: type[NodeType] = Acting, **meta: Any
) -> type[NodeType]:
    """A node type whose `run` is that function of (node, step)."""
    parts: dict[str, Any] = {
        "__doc__": "Made by a test.",
        "__module__": __name__,
        "__annotations__": {"meta": "ClassVar[NodeMeta]"},
        "meta": NodeMeta(type_id, type_id.title(), Group.DO, "mdi6.cog", **meta),
        "run": _generator(run) if inspect.isasyncgenfunction(run) else _coroutine(run),
    }
    if resume is not None:
        parts["resume"] = resume
    return type(type_id.title(), (base,), parts)


def _coroutine(run: Any) -> Any:
    async def run_it(self, step):
        return await run(self, step)

    return run_it


def _generator(run: Any) -> Any:
    async def run_it(self, step):
        async for each in run(self, step):
            yield each

    return run_it


async def _pass_on(_node: Any, step: Any) -> Output:
    return Output(step.input)


async def _give(node: Any, _step: Any) -> Output:
    return Output(node.value)


async def _ask(node: Any, step: Any) -> Pause:
    prompt = f"{step.node_id}#{step.visit}: {node.value}"
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    return Pause((Request("text", prompt, schema=schema),))


async def _take_text(_self: Any, _step: Any, _request: Request, answer: Any) -> Output:
    return Output(answer["text"])


async def _sleep(node: Any, step: Any) -> Output:
    await step.sleep(node.value)
    return Output(step.node_id)


def registry_with(*types: type[NodeType], **runs: Callable[..., Awaitable[Any]]) -> NodeRegistry:
    """The built-in types, `probe` (passes on), `give`, `ask`, `sleep`, and those of the test."""
    registry = NodeRegistry()
    made = [node_type(type_id, run) for type_id, run in runs.items()]
    plain = {"probe": _pass_on, "give": _give, "sleep": _sleep}
    made += [node_type(type_id, run) for type_id, run in plain.items() if type_id not in runs]
    made.append(node_type("ask", _ask, _take_text))
    for each in (*types, *made):
        registry.register(each)
    return registry


def draw(
    edges: str,
    variables: tuple[Variable, ...] = (),
    settings: dict[str, Any] | None = None,
    edge_data: dict[str, dict[str, Any]] | None = None,
    pinned: dict[str, Any] | None = None,
    **nodes: dict[str, Any],
) -> Flow:
    """As `sketch`, with variables, settings, more about edges (by `source>target`), lone nodes."""
    words = edges.split()
    named = {n for word in words for n in _ends(word)}
    flow = sketch(edges, **{name: node for name, node in nodes.items() if name in named})
    lone = [Node(id=name, **node) for name, node in nodes.items() if name not in named]
    more = edge_data or {}
    drawn = [
        edge.model_copy(
            update={"data": edge.data.model_copy(update=more.get(f"{edge.source}>{edge.target}"))}
        )
        for edge in flow.edges
    ]
    return Flow(
        id="drawn",
        nodes=(*flow.nodes, *lone),
        edges=tuple(drawn),
        variables=variables,
        settings=FlowSettings(**(settings or {})),
        pinned=pinned or {},
    )


def _ends(word: str) -> tuple[str, str]:
    source, target = word.replace(">>", ">").replace("=>", ">").split(">")
    return source.split(".")[0], target.split(":")[0]


class Trial:
    """A run in memory: driven, looked at, and begun again from its journal."""

    def __init__(
        self,
        flow: Flow,
        registry: NodeRegistry | None = None,
        run_input: dict[str, Any] | None = None,
        *,
        limits: dict[str, Any] | None = None,
        lines: list[bytes] | None = None,
        clock: FakeClock | None = None,
        nested: Any = None,
        **started: Any,
    ) -> None:
        self.flow, self.registry = flow, registry or registry_with()
        self.clock = clock or FakeClock()
        self.journal = ListJournal(list(lines) if lines else None)
        if lines:
            self.condition = condition_of(self.journal.records(), self.registry)
        else:
            first = events.RunStarted(
                "r1",
                flow_data(flow),
                self.clock.now(),
                run_input or {},
                {},
                limits or {},
                **started,
            )
            self.journal.append(events.to_record(first))
            self.condition = begin_condition(first, self.registry)
        self.events: list[events.Event] = []
        self.list = StepList(node_types(self.condition))
        services = Services(clock=self.clock, journal=self.journal, chance=random.Random(1))
        if nested is not None:
            services.nested = nested
        self.runner = Runner(self.condition, services, (self.events.append, self.list))

    async def go(self) -> Trial:
        await self.runner.run()
        return self

    def run(self) -> Trial:
        """Drives it to its end or pause, with no time going by."""
        return asyncio.run(self.go())

    def resume(self, **limits: Any) -> Trial:
        self.runner.emit(events.RunResumed(self.clock.now(), limits))
        return self

    def answer(self, text: str, request: str | None = None) -> str:
        return self.runner.answer(request, {"text": text})

    def again(self, lines: int | None = None) -> Trial:
        """The same run in a program that knows its journal alone, perhaps cut after some lines."""
        kept = self.journal.lines[:lines]
        return Trial(self.flow, self.registry, lines=kept, clock=FakeClock(self.clock.time))

    @property
    def report(self) -> dict[str, Any]:
        return run_report(self.condition, self.list.steps)

    @property
    def status(self) -> str:
        return self.condition.status

    @property
    def error(self) -> dict[str, Any]:
        return self.condition.error or {}

    @property
    def order(self) -> str:
        """The nodes in the order in which their steps ended."""
        return " ".join(step["node"] for step in self.list.steps)

    def outputs(self, node: str) -> list[Any]:
        return [step["output"] for step in self.list.steps if step["node"] == node]

    def step(self, node: str) -> dict[str, Any]:
        return next(step for step in self.list.steps if step["node"] == node)

    @property
    def requests(self) -> dict[str, str]:
        """Prompts of the open requests, by id."""
        return {key: r.prompt for key, (_, r) in self.condition.open_requests().items()}

    def request(self, beginning: str) -> str:
        """The id of the request whose prompt begins so."""
        [found] = [key for key, prompt in self.requests.items() if prompt.startswith(beginning)]
        return found


def condition_of(records: list[dict[str, Any]], registry: NodeRegistry) -> Any:
    """What a journal leaves, by way of its last snapshot."""
    read = [events.read_event(record) for record in records]
    first = read[0]
    assert isinstance(first, events.RunStarted)
    places = [i for i, event in enumerate(read) if isinstance(event, events.Snapshot)]
    condition = begin_condition(first, registry)
    if places:
        condition = restore(read[places[-1]].condition, first, registry)
    for event in read[places[-1] + 1 if places else 1 :]:
        apply(condition, event)
    condition.notices.clear()
    condition.cancelled.clear()
    return condition


def told(condition: Any) -> Any:
    """The condition as a journal would give it back."""
    return decode(encode(take(condition)))


async def turns(count: int = TURNS) -> None:
    """Lets everything that can happen without time going by happen."""
    for _ in range(count):
        await asyncio.sleep(0)


def workplace(home: Path, registry: NodeRegistry, clock: Any = None, **library: Flow) -> Workplace:
    """A place on disk for runs, with a library of flows by name."""
    return Workplace(
        places=Places.under(home),
        registry=registry,
        clock=clock or FakeClock(),
        flows=FlowFinder(library.get),
    )


async def drive(session: RunSession) -> RunSession:
    """Goes on with a run as far as it comes, and lets go of it."""
    async with session:
        await session.go()
    return session


def prompts(session: RunSession) -> dict[str, str]:
    """Prompts of the open requests, by id."""
    return {key: r.prompt for key, (_, r) in session.condition.open_requests().items()}
