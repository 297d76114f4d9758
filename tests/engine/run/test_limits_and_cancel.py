from __future__ import annotations

import asyncio
import time

import pytest

from engine.node_type import Output
from engine.run.services import SystemClock
from engine.run.session import RunSession
from tests.engine.run.fakes import draw, registry_with
from tests.engine.run.trial import Trial, told, turns, workplace

WITHIN_S = 0.1


def loop_of(kind, **config):
    return {"type": kind, "config": config}


def test_too_many_steps_end_the_run_and_name_the_busiest_loop():
    flow = draw(
        "s>h h.continue_loop>i i.continue_loop>b b>>i i.exit_loop>>h h.exit_loop>x",
        settings={"max_steps": 40, "max_iterations": 1000},
        h=loop_of("loop_condition", condition="True"),
        i=loop_of("loop_condition", condition="loop_count < 3"),
    )
    run = Trial(flow).run()

    assert run.status == "error"
    assert run.condition.steps == 40
    assert run.error["kind"] == "max_steps"
    assert "limit of 40 steps" in run.error["message"]
    assert f"'i', which ran {run.condition.visits['i']} times" in run.error["message"]


def test_a_run_of_just_as_many_steps_as_allowed_finishes():
    run = Trial(draw("s>a a>b"), limits={"max_steps": 3}).run()

    assert (run.status, run.order) == ("finished", "s a b")


def test_a_run_that_reached_its_limit_goes_on_with_a_larger_one():
    run = Trial(draw("s>a a>b b>c"), limits={"max_steps": 2}).run()
    assert run.status == "error"

    assert run.again().resume().run().status == "error"
    again = run.again().resume(max_steps=10).run()

    assert (again.status, again.order) == ("finished", "b c")


@pytest.mark.parametrize("limits", [{}, {"max_iterations": 4}])
def test_max_iterations_takes_the_exit(limits):
    flow = draw(
        "s>h h.continue_loop>b b>>h h.exit_loop>x",
        settings={"max_iterations": 2},
        h=loop_of("loop_condition", condition="True"),
    )
    run = Trial(flow, limits=limits).run()

    assert run.status == "finished"
    assert run.condition.visits["b"] == limits.get("max_iterations", 2)
    assert "limit" in run.outputs("h")[-1]["reason"]


def test_a_concurrency_of_one_runs_strictly_one_at_a_time():
    under_way = [0, 0]

    async def counts(_node, step):
        under_way[0] += 1
        under_way[1] = max(under_way)
        await step.sleep(1)
        under_way[0] -= 1
        return Output(step.node_id)

    flow = draw(
        "s>a s>b s>c a>j b>j c>j",
        settings={"max_concurrency": 1},
        **{name: {"type": "counts"} for name in "abc"},
    )

    assert passing(Trial(flow, registry_with(counts=counts))).order == "s a b c j"
    assert under_way == [0, 1]


@pytest.mark.parametrize(("allowed", "waits"), [(1, 6), (2, 3), (6, 1)])
def test_a_node_runs_as_often_at_once_as_it_allows(allowed, waits):
    flow = draw(
        "s>g g>w w>x",
        g={"type": "split", "config": {"items": [0] * 6}},
        w={"type": "sleep", "config": {"value": 1}, "concurrency": allowed},
    )
    run = Trial(flow)
    begun = run.clock.time

    passing(run)

    assert run.clock.time - begun == waits
    assert run.order.split().count("x") == 6


def passing(run, seconds=1):
    """Drives a run; time goes by whenever all of its steps wait."""

    async def drive():
        task = asyncio.ensure_future(run.go())
        await turns()
        while not task.done():
            assert run.clock.sleeping
            run.clock.advance(seconds)
            await turns()
        await task

    asyncio.run(drive())
    return run


async def later_ends_first(_node, step):
    await step.sleep(10 - step.input)
    return Output(step.input)


def test_outputs_of_overlapping_steps_leave_in_the_order_of_their_starts():
    flow = draw(
        "s>a s>b s>c a>m b>m c>m m>x",
        m={"type": "late", "join": "any", "concurrency": 3},
        **{n: {"type": "give", "config": {"value": i}} for i, n in enumerate("abc")},
    )
    run = passing(Trial(flow, registry_with(late=later_ends_first)))

    assert run.outputs("m") == [2, 1, 0]
    assert run.outputs("x") == [0, 1, 2]


def test_results_that_are_held_survive_a_restart():
    flow = draw(
        "s>a s>b a>m b>m m>x",
        m={"type": "late", "join": "any", "concurrency": 3},
        **{n: {"type": "give", "config": {"value": i}} for i, n in enumerate("ab")},
    )
    run = Trial(flow, registry_with(late=later_ends_first))

    async def scenario():
        task = asyncio.ensure_future(run.go())
        await turns()
        run.clock.advance(9)
        await turns()
        run.runner.stop()
        await asyncio.wait_for(task, 5)

    asyncio.run(scenario())
    assert run.outputs("m") == [1]
    assert "x" not in run.order

    again = passing(run.again().resume())

    assert again.outputs("m") == [0]
    assert again.outputs("x") == [0, 1]


# Cancelling, by the real clock.


async def stopped(run, when):
    """Stops a run once `when` says so; how long that took, in seconds."""
    go = run.go
    task = asyncio.ensure_future(go())
    end = time.monotonic() + 20
    while not when():
        assert time.monotonic() < end, "it never came so far"
        assert not task.done(), "it was over before it could be stopped"
        await asyncio.sleep(0.002)
    begun = time.perf_counter()
    run.runner.stop()
    await task
    return time.perf_counter() - begun


BUSY = "n = 0\nwhile True:\n    n += 1"
BUSY_JS = "let n = 0; while (true) { n += 1 }"
LONG_WAIT = {"type": "wait", "config": {"seconds": 60}}
STREAM = {
    "type": "llm",
    "config": {"model": "pretend/faults:slow", "prompt": "word " * 500},
}


@pytest.mark.parametrize(
    "node",
    [
        LONG_WAIT,
        STREAM,
        {"type": "function", "config": {"function_code": BUSY}},
        {"type": "function", "config": {"function_code": BUSY_JS, "language": "javascript"}},
        {"type": "execute_flow", "config": {"flow": "inner"}},
    ],
    ids=["wait", "model", "python", "javascript", "nested"],
)
def test_a_stop_takes_no_more_than_a_tenth_of_a_second(node, tmp_path):
    inner = draw("s>w", w=LONG_WAIT).model_copy(update={"id": "inner"})
    flow = draw("s>a a>x", a=node)

    def once(number):
        place = workplace(tmp_path / str(number), registry_with(), SystemClock(), inner=inner)
        session = RunSession.start(place, flow, {})
        begun = time.monotonic()

        async def scenario():
            async with session:
                return await stopped(
                    session,
                    lambda: session.condition.steps and time.monotonic() > begun + 0.3,
                )

        took = asyncio.run(scenario())
        assert session.condition.status == "stopped"
        assert [f.status for f in session.condition.firings.values()] == ["ready"]
        return took

    # A busy machine may be late once.
    assert any(once(number) < WITHIN_S for number in range(3))


def test_a_node_that_will_not_be_cancelled_does_not_hang_the_stop_nor_spoil_the_next_go():
    gates = []

    async def stubborn(_node, step):
        gates.append(asyncio.Event())
        gate, number = gates[-1], len(gates)
        while not gate.is_set():
            try:
                await gate.wait()
            except asyncio.CancelledError:
                continue
        return Output(number)

    run = Trial(draw("s>a a>x", a={"type": "stubborn"}), registry_with(stubborn=stubborn))

    async def scenario():
        task = asyncio.ensure_future(run.go())
        await turns()
        begun = time.perf_counter()
        run.runner.stop()
        await asyncio.wait_for(task, 5)
        took = time.perf_counter() - begun
        assert run.status == "stopped"

        task = asyncio.ensure_future(run.resume().go())
        await turns()
        gates[0].set()
        await turns()
        assert not task.done()
        gates[1].set()
        await asyncio.wait_for(task, 5)
        return took

    assert asyncio.run(scenario()) < 0.5
    assert run.status == "finished"
    assert run.outputs("a") == [2]
    assert told(run.again().condition) == told(run.condition)
