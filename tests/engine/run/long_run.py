"""A run of more than sixty steps with a bit of everything, and programs that carry it on.

`python -c "from tests.engine.run.long_run import main; main()" HOME [RECORDS]` goes on with the run
in that home, answers what it asks, and kills itself right after so many journal records.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import engine.run.session as sessions
from engine.flow.document import Flow, Variable
from engine.node_type import Output
from engine.registry import NodeRegistry
from engine.run.history import read_history
from engine.run.requests import REPEAT
from engine.run.session import RunSession
from engine.store.journal import JournalWriter
from engine.store.run_files import has_begun
from tests.engine.run.fakes import draw, node_type, registry_with
from tests.engine.run.trial import workplace

RUN = "long"
MOST_PAUSES = 40


class HurriedClock:
    """Nobody waits: time jumps to when a sleeper wants to wake."""

    def __init__(self) -> None:
        self.time = 1_700_000_000.0

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += seconds
        await asyncio.sleep(0)


def long_flow() -> Flow:
    """Nested loops, a pause, a box that pauses, a split, a wait, a nested flow, a payment."""
    return draw(
        "s>h h.continue_loop>i i.continue_loop>b b>>i i.exit_loop>o o>>h h.exit_loop>q q>box "
        "box>g g>m m>n n>k k>w w>r r>pay pay>z in1>in2 in2>in3",
        variables=(
            Variable(name="seen", type="list", default=[], reducer="append"),
            Variable(name="rounds", type="integer", default=0, reducer="add"),
            Variable(name="said", default=None),
        ),
        h=_while("loop_count < 3"),
        i=_while("loop_count < 4"),
        b={"type": "mark", "save_as": "seen", "config": {"value": "b{{ loop_count }}"}},
        o={"type": "set_variables", "config": {"updates": [_add("rounds", 1)]}},
        q={"type": "ask", "save_as": "said", "config": {"value": "How many rounds?"}},
        box={"type": "iteration", "config": {"items": [10, 20, 30, 40], "concurrency": 2}},
        in1={"type": "mark", "parent": "box", "config": {"value": "{{ $iteration.item }}"}},
        in2={"type": "ask", "parent": "box", "config": {"value": "item {{ $iteration.index }}"}},
        in3={"type": "mark", "parent": "box", "config": {"value": "{{ input }}"}},
        g={"type": "split", "config": {"items": "{{ input }}"}},
        m={"type": "mark", "config": {"value": "{{ input }}!"}, "concurrency": 3},
        n={"type": "mark", "config": {"value": "{{ input }}?"}},
        k={"join": "collect"},
        w={"type": "wait", "config": {"seconds": 3600}},
        r={"type": "execute_flow", "config": {"flow": "inner"}},
        pay={"type": "pay"},
        z={"type": "give", "config": {"value": "{{ context.seen }} {{ input }}"}},
    )


def inner_flow() -> Flow:
    """What the long flow runs as one step: it marks, asks, and marks."""
    flow = draw(
        "s>ia ia>iq iq>ib",
        ia={"type": "mark", "config": {"value": "inner"}},
        iq={"type": "ask", "config": {"value": "inner question"}},
        ib={"type": "mark", "config": {"value": "{{ input }}"}},
    )
    return flow.model_copy(update={"id": "inner"})


def _while(condition: str) -> dict[str, Any]:
    return {"type": "loop_condition", "config": {"condition": condition, "maxIterations": 9}}


def _add(variable: str, value: int) -> dict[str, Any]:
    return {"variable": variable, "operation": "add", "value": value}


class Marks:
    """Which steps were really carried out: `(run, node, visit)` of each try."""

    def __init__(self) -> None:
        self.tries: list[tuple[str, str, int]] = []

    def registry(self) -> NodeRegistry:
        async def mark(node, step):
            self.tries.append((step.run_id, step.node_id, step.visit))
            await asyncio.sleep(0)
            return Output(node.value)

        async def pay(_node, step):
            self.tries.append((step.run_id, step.node_id, step.visit))
            await asyncio.sleep(0)
            return Output(f"paid for {step.input}")

        return registry_with(node_type("pay", pay, outside_effects=True), mark=mark)


@contextmanager
def after_each_record(told: Callable[[], None]) -> Iterator[None]:
    """Calls back right after each record of any journal that is opened meanwhile."""

    class Watched(JournalWriter):
        def append(self, record: Any) -> int:
            size = super().append(record)
            told()
            return size

    sessions.JournalWriter = Watched  # type: ignore[misc]
    try:
        yield
    finally:
        sessions.JournalWriter = JournalWriter  # type: ignore[misc]


async def carry_on(home: Path, marks: Marks) -> list[str]:
    """Begins the run or goes on with it, to its end; the questions of repetition that it asked."""
    place = workplace(home, marks.registry(), HurriedClock(), inner=inner_flow())
    repeated = []
    if has_begun(place.places.runs / RUN):
        session = RunSession.open(place, RUN)
    else:
        session = RunSession.start(place, long_flow(), {"question": "Go?"}, run_id=RUN)
    async with session:
        if session.condition.status in ("stopped", "error"):
            session.resume()
        for _ in range(MOST_PAUSES):
            if session.condition.status == "finished":
                return repeated
            if session.condition.status == "paused":
                repeated += answer_first(session)
            await session.go()
    raise AssertionError(f"it came to no end: {session.condition.error}")


def answer_first(session: RunSession) -> list[str]:
    """Answers one open request; what it was about if it was one about a repetition."""
    waiting = session.condition.open_requests().items()
    key, (_, request) = min(waiting, key=lambda each: (each[1][1].prompt, each[0]))
    if request.data.get(REPEAT):
        session.runner.answer(key, {"type": "proceed"})
        return [request.prompt]
    session.runner.answer(key, {"text": f"<{request.prompt}>"})
    return []


def outcome(home: Path) -> dict[str, Any]:
    """How the run ended: its output, state and steps, the nested run's included."""
    place = workplace(home, Marks().registry(), HurriedClock(), inner=inner_flow())
    found: dict[str, Any] = {}
    for folder in sorted(place.places.runs.iterdir()):
        steps = read_history(place.places, folder.name).steps()
        name = RUN if folder.name == RUN else "nested"
        assert name not in found, "there is one nested run"
        session = RunSession.open(place, folder.name)
        session.close()
        found[name] = {
            "status": session.condition.status,
            "output": session.condition.top.result(),
            "context": {k: _listed(v) for k, v in session.condition.state.context.items()},
            "steps": Counter(
                repr([step.get(key) for key in ("node", "visit", "path", "inputs", "output")])
                for step in steps
            ),
        }
    return found


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, list) or hasattr(value, "extended") else value


def finished_steps(home: Path) -> set[tuple[str, str, int]]:
    """The steps that the journals say are finished."""
    place = workplace(home, Marks().registry(), HurriedClock())
    return {
        (folder.name, step["node"], step["visit"])
        for folder in place.places.runs.iterdir()
        if has_begun(folder)
        for step in read_history(place.places, folder.name).steps()
    }


def main() -> None:
    """Goes on with the run, and dies after so many records."""
    left = [int(sys.argv[2])]

    def told() -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    with after_each_record(told):
        asyncio.run(carry_on(Path(sys.argv[1]), Marks()))
