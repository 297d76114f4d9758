from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from engine.node_type import Output
from engine.run.session import RunSession
from tests.engine.run.fakes import draw, registry_with
from tests.engine.run.trial import drive, workplace


def running(flow_id, other):
    flow = draw("s>r", r={"type": "execute_flow", "config": {"flow": other}})
    return flow.model_copy(update={"id": flow_id})


@pytest.mark.parametrize("chain", ["aa", "aba", "abca", "abb"])
def test_a_flow_that_would_run_itself_is_refused(chain, tmp_path):
    library = {one: running(one, next_) for one, next_ in pairwise(chain)}
    place = workplace(tmp_path, registry_with(), **library)

    session = asyncio.run(drive(RunSession.start(place, library["a"], {})))

    assert session.condition.status == "error"
    assert "would run itself again" in session.condition.error["message"]


def test_a_nested_run_that_nobody_waits_for_goes_by_itself(tmp_path):
    inner = draw("s>a").model_copy(update={"id": "inner"})
    config = {"flow": "inner", "wait": False}
    place = workplace(tmp_path, registry_with(), inner=inner)
    flow = draw("s>r", r={"type": "execute_flow", "config": config})
    session = asyncio.run(drive(RunSession.start(place, flow, {})))

    other = RunSession.open(place, session.condition.top.result()["run_id"])
    other.close()
    assert session.condition.status == other.condition.status == "finished"
    assert other.first.parent["run"] == session.condition.run_id


def test_a_stop_does_not_wait_for_a_nested_run_that_nobody_waits_for(tmp_path):
    inner = draw("s>w", w={"type": "wait", "config": {"seconds": 60}})
    inner = inner.model_copy(update={"id": "inner"})
    config = {"flow": "inner", "wait": False}
    place = workplace(tmp_path, registry_with(), inner=inner)
    wait = {"type": "wait", "config": {"seconds": 60}}
    flow = draw("s>r s>w", r={"type": "execute_flow", "config": config}, w=wait)

    async def scenario():
        async with RunSession.start(place, flow, {}) as session:
            task = asyncio.ensure_future(session.go())
            await place.clock.until_sleeping(2)
            session.runner.stop()
            await asyncio.wait_for(task, 5)
            return session

    assert asyncio.run(scenario()).condition.status == "stopped"


def test_a_stopped_nested_flow_goes_on_where_it_was(tmp_path):
    marks = []

    async def mark(_node, step):
        marks.append(step.node_id)
        return Output(step.input)

    inner = draw(
        "s>a a>w w>b",
        a={"type": "mark"},
        w={"type": "wait", "config": {"seconds": 60}},
        b={"type": "mark"},
    )
    inner = inner.model_copy(update={"id": "inner"})
    flow = draw("s>r r>x", r={"type": "execute_flow", "config": {"flow": "inner"}})
    place = workplace(tmp_path, registry_with(mark=mark), inner=inner)

    async def first():
        async with RunSession.start(place, flow, {}, run_id="outer") as session:
            task = asyncio.ensure_future(session.go())
            await place.clock.until_sleeping()
            session.runner.stop()
            await asyncio.wait_for(task, 5)
            assert session.condition.status == "stopped"

    async def second():
        async with RunSession.open(place, "outer") as session:
            session.resume()
            task = asyncio.ensure_future(session.go())
            await place.clock.until_sleeping()
            place.clock.advance(60)
            await task
            return session

    asyncio.run(first())
    assert asyncio.run(second()).condition.status == "finished"
    assert marks == ["a", "b"]
