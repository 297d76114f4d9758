from __future__ import annotations

import asyncio

import pytest

from engine.node_type import Output
from engine.run import events
from tests.engine.run.fakes import FakeClock, draw, node_type, registry_with
from tests.engine.run.trial import Trial, told, turns


def test_observers_see_every_event_in_the_order_of_the_journal():
    async def talks(_node, step):
        step.stream("a")
        step.stream("b")
        step.log("note")
        return Output(step.input)

    orders = []
    flow = draw(
        "s>t t>q q>w w>x",
        t={"type": "talks"},
        q={"type": "ask"},
        w={"type": "wait", "config": {"seconds": 0}},
    )
    run = Trial(flow, registry_with(talks=talks), observer=lambda e: orders.append(e.kind)).run()
    run.answer("yes")
    run.run()

    assert orders == [event.kind for event in run.events]
    assert orders == [
        "step_finished", "token", "token", "log", "step_finished", "pause_requested", "run_paused",
        "pause_answered", "step_finished", "step_started", "step_finished", "step_finished",
        "run_finished",
    ]  # fmt: skip
    kept = [record["kind"] for record in run.journal.records()]
    assert kept == ["run_started", *(kind for i, kind in enumerate(orders) if i != 2)]


def test_every_event_is_read_back_as_it_was_told():
    run = Trial(draw("s>a a>q", q={"type": "ask"})).run()
    run.answer("yes")
    run.run()

    read = [events.read_event(record) for record in run.journal.records()[1:]]
    assert [events.to_record(event) for event in read] == [
        {k: v for k, v in record.items() if k != "n"} for record in run.journal.records()[1:]
    ]
    assert [type(event) for event in read] == [type(event) for event in run.events]


def test_a_step_that_does_not_wait_makes_nothing_to_do_for_the_event_loop():
    flow = draw("s>a s>b a>j b>j j>x")
    scheduled = []

    async def scenario():
        run = Trial(flow)
        loop = asyncio.get_running_loop()
        plain_call, plain_create = loop.call_soon, loop.create_task
        loop.call_soon = lambda *args, **how: (scheduled.append(args), plain_call(*args, **how))[1]
        loop.create_task = lambda *args, **how: (
            scheduled.append(args), plain_create(*args, **how))[1]  # fmt: skip
        try:
            await run.go()
        finally:
            del loop.call_soon, loop.create_task
        return run

    run = asyncio.run(scenario())

    assert run.order == "s a b j x"
    assert scheduled == []


def test_twenty_branches_wait_at_the_same_time():
    names = [f"w{i}" for i in range(20)]
    flow = draw(
        " ".join(f"s>{n} {n}>j" for n in names),
        settings={"max_concurrency": 20},
        **{n: {"type": "wait", "config": {"seconds": 5}} for n in names},
    )
    run = Trial(flow)

    async def scenario():
        task = asyncio.ensure_future(run.go())
        await turns()
        assert run.clock.sleeping == 20
        run.clock.advance(5)
        await asyncio.wait_for(task, 5)

    asyncio.run(scenario())
    assert run.status == "finished"
    assert sorted(run.step("j")["inputs"]) == sorted(names)


def test_a_long_run_of_short_steps_lets_others_have_a_turn():
    flow = draw(
        "s>h h.continue_loop>b b>>h h.exit_loop>x",
        settings={"max_steps": 10**5, "max_iterations": 10**5},
        h={"type": "loop_condition", "config": {"condition": "loop_count < 1500"}},
    )
    run = Trial(flow)

    async def scenario():
        task = asyncio.ensure_future(run.go())
        had = 0
        while not task.done():
            await asyncio.sleep(0)
            had += 1
        return had

    assert asyncio.run(scenario()) >= 5
    assert run.status == "finished"


@pytest.mark.parametrize(
    ("node", "ways", "taken"),
    [
        ({"type": "give", "config": {"value": 1}}, "a>x", "x"),
        ({"type": "condition", "config": {"expression": "True"}}, "a.true>x a.false>y", "x"),
        ({"type": "human_input", "config": {"prompt": "?"}}, "a.proceed>x a.reject>y", "x"),
        ({"type": "loop_condition", "config": {"condition": "True"}},
         "a.continue_loop>y y>>a a.exit_loop>x", "x"),
        ({"type": "iteration", "config": {"items": [1]}}, "a>x", "x"),
        ({"type": "llm", "config": {}}, "a>x", "x"),
    ],
)  # fmt: skip
def test_a_disabled_node_hands_its_input_on(node, ways, taken):
    run = Trial(draw(f"s>v v>a {ways}", v={"type": "give", "config": {"value": [0]}},
                     a={**node, "disabled": True})).run()  # fmt: skip

    assert run.order == f"s v a {taken}"
    assert run.condition.top.result() == [0]


def test_a_pinned_output_stands_in_for_its_node():
    async def never(_node, _step):
        raise AssertionError("it is pinned")

    flow = draw("s>a a>x", pinned={"a": {"output": 0}}, a={"type": "never"})
    registry = registry_with(never=never)

    assert Trial(flow, registry).run().condition.top.result() == 0
    assert Trial(flow, registry, use_pins=False).run().status == "error"


@pytest.mark.parametrize(
    ("pin", "taken"),
    [({"output": {"result": False}}, "y"), ({"output": 1, "route": "true"}, "x")],
)
def test_a_pinned_decision_takes_its_route(pin, taken):
    condition = {"type": "condition", "config": {"expression": "True"}}
    run = Trial(draw("s>a a.true>x a.false>y", pinned={"a": pin}, a=condition)).run()

    assert run.order == f"s a {taken}"


def test_an_unknown_node_type_matters_only_when_it_is_reached():
    flow = draw("s>c c.true>a c.false>b", c=_condition("question == 'a'"), b={"type": "proeb"})

    assert Trial(flow, None, {"question": "a"}).run().status == "finished"
    run = Trial(flow, None, {"question": "b"}).run()
    assert run.status == "error"
    assert run.error["node"] == "b"
    assert run.error["message"] == "There is no node type 'proeb'."
    assert "'probe'" in run.error["hint"]
    assert told(run.again().condition) == told(run.condition)


def _condition(expression):
    return {"type": "condition", "config": {"expression": expression}}


@pytest.mark.parametrize(
    ("join", "times", "dropped"), [("all", 1, 0), ("any", 2, 0), ("first", 1, 1), ("collect", 1, 0)]
)
def test_each_join_policy_through_the_runner(join, times, dropped):
    flow = draw("s>a s>w a>j w>j", w={"type": "sleep", "config": {"value": 1}}, j={"join": join})
    run = Trial(flow)

    async def scenario():
        task = asyncio.ensure_future(run.go())
        await turns()
        assert ("j" in run.order) == (join in ("any", "first"))
        run.clock.advance(1)
        await asyncio.wait_for(task, 5)

    asyncio.run(scenario())
    assert run.status == "finished"
    assert run.order.split().count("j") == times
    assert len(run.report.get("dropped", [])) == dropped
    assert [e.edge for e in run.events if e.kind == "token_dropped"] == ["e3"] * dropped


@pytest.mark.parametrize("status", ["finished", "error"])
def test_a_stop_node_ends_the_whole_run(status):
    stop = {"type": "stop", "config": {"status": status, "message": "enough"}}
    flow = draw("s>w s>e w>x", w={"type": "sleep", "config": {"value": 9}}, e=stop)
    run = Trial(flow).run()

    assert run.status == status
    assert run.order == "s e"
    assert run.error.get("message") == (None if status == "finished" else "enough")


def test_a_step_that_gives_up_waiting_is_told_to_everyone():
    one = {"type": "give", "config": {"value": 1}}
    flow = draw(
        "s>a c>a b=>c a>b c=>b",
        a={**one, "join": "first"},
        b={**one, "join": "collect"},
        c=one,
    )
    run = Trial(flow).run()

    [warning] = run.report["warnings"]
    assert warning["node"] == "b"
    assert "'b' ran without waiting any longer" in warning["message"]
    assert [e.message for e in run.events if e.kind == "warning"] == [warning["message"]]
    assert run.again().report["warnings"] == run.report["warnings"]
    assert told(run.again().condition) == told(run.condition)


def test_events_bear_the_time_of_the_clock():
    run = Trial(draw("s>a"), clock=FakeClock(5.0)).run()

    assert [event.time for event in run.events] == [5.0, 5.0, 5.0]


def test_an_outside_effect_is_on_disk_before_it_happens():
    log = []

    async def sends(_node, _step):
        log.append("sent")
        return Output(1)

    run = Trial(
        draw("s>a", a={"type": "sends"}),
        registry_with(node_type("sends", sends, outside_effects=True)),
    )

    async def synced():
        log.append(f"on disk: {run.journal.records()[-1]['kind']}")

    run.journal.sync_async = synced
    run.run()

    assert log == ["on disk: step_started", "sent", "on disk: run_finished"]
