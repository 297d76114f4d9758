"""A clock that only the test moves, a journal in memory, small node types, and flows of them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from engine.fields import AnyValue
from engine.flow.document import Flow, FlowSettings, Node, Variable
from engine.node_type import Group, NodeMeta, NodeType, Output, Pause, Request
from engine.registry import NodeRegistry
from engine.store.codec import decode, encode
from tests.engine.run.sketch import sketch


class FakeClock:
    """Time that stands still until the test moves it."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.time = now
        self.asked: list[float] = []
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []
        self._one_more = asyncio.Event()

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.asked.append(seconds)
        future = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.time + seconds, future))
        self._one_more.set()
        await future

    async def until_sleeping(self, count: int = 1) -> None:
        """Returns once so many wait."""
        while self.sleeping < count:
            self._one_more = asyncio.Event()
            await self._one_more.wait()

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
