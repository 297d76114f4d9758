from __future__ import annotations

import asyncio

import pytest

from engine.errors import NodeError
from engine.node_type import Output, Outputs
from tests.engine.run.fakes import draw, registry_with
from tests.engine.run.trial import Trial, turns

INSIDE = {"parent": "box"}
AT_ONCE = {"retry": {"attempts": 3, "wait": 0}}


def box(items, **node):
    return {"type": "iteration", "config": {"items": items}, **node}


def failing(times):
    """A node function that fails so many times, whatever it receives."""
    left = [times]

    async def run(_node, step):
        if left[0]:
            left[0] -= 1
            raise NodeError("Not yet.")
        return Output(step.input)

    return run


def test_a_box_that_is_tried_again_begins_with_its_first_item():
    flow = draw("s>box box>x", box=box([1, 2], on_error=AT_ONCE), k={"type": "flaky", **INSIDE})
    run = Trial(flow, registry_with(flaky=failing(1))).run()

    assert run.status == "finished"
    assert run.order == "s k k k box x"
    assert run.condition.top.result() == [1, 2]


def test_a_box_is_tried_no_more_often_than_its_policy_says():
    flow = draw("s>box box>x", box=box([1, 2], on_error=AT_ONCE), k={"type": "flaky", **INSIDE})
    run = Trial(flow, registry_with(flaky=failing(5))).run()

    assert run.status == "error"
    assert run.order == "s k k k box"


def test_the_count_of_tries_is_kept_over_a_restart():
    tries = []

    async def run_it(_node, step):
        tries.append(step.attempt)
        raise NodeError("Never.")

    flow = draw("s>a", a={"type": "never", "on_error": {"retry": {"attempts": 3, "wait": 60}}})
    first = Trial(flow, registry_with(never=run_it))

    async def cut_off():
        task = asyncio.ensure_future(first.go())
        await turns()
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(cut_off())
    again = first.again()
    again.flow = flow

    async def go_on():
        task = asyncio.ensure_future(again.go())
        while not task.done():
            await turns()
            again.clock.advance(600)

    asyncio.run(go_on())

    assert tries == [1, 2, 3]


def test_a_box_that_takes_longer_than_its_limit_fails_with_a_time_out():
    flow = draw(
        "s>box box>x box.error>y",
        box=box([1, 2], timeout_s=5, on_error="branch"),
        k={"type": "long", **INSIDE},
    )

    async def long(_node, step):
        await step.sleep(100)
        return Output(step.input)

    run = Trial(flow, registry_with(long=long))

    async def go():
        task = asyncio.ensure_future(run.go())
        while not task.done():
            await turns()
            run.clock.advance(1)

    asyncio.run(go())

    assert run.status == "finished"
    assert run.order == "s box y"
    assert "longer than the limit of 5 s" in run.condition.top.result()["error"]["message"]


@pytest.mark.parametrize("made", [[1, 2, 3, 4], [2, 4], [1, 3]])
def test_each_of_several_outputs_takes_the_edges_whose_conditions_it_meets(made):
    async def several(_node, _step):
        return Outputs(made)

    flow = draw(
        "s>g g>even g>odd",
        edge_data={
            "g>even": {"condition": "output % 2 == 0"},
            "g>odd": {"condition": "output % 2 == 1"},
        },
        g={"type": "several"},
    )
    run = Trial(flow, registry_with(several=several)).run()

    assert run.order.split().count("even") == sum(1 for each in made if each % 2 == 0)
    assert run.order.split().count("odd") == sum(1 for each in made if each % 2)
    assert not run.condition.unmatched


def test_an_edge_condition_sees_the_new_output_under_its_own_nodes_name():
    flow = draw(
        "s>a a>b a>>a",
        edge_data={
            "a>b": {"condition": "a.output >= 3"},
            "a>a": {"condition": "a.output < 3"},
        },
        a={"type": "count"},
    )

    async def count(_node, step):
        return Output(step.visit)

    run = Trial(flow, registry_with(count=count)).run()

    assert run.order == "s a a a b"


def test_a_deciding_node_whose_error_flows_on_takes_its_last_way_out():
    flow = draw(
        "s>c c.true>t c.false>f",
        c={
            "type": "condition",
            "config": {"expression": "context.nothing > 1"},
            "on_error": "continue",
        },
    )
    run = Trial(flow).run()

    assert run.order == "s c f"
