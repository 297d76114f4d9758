from __future__ import annotations

import asyncio

import pytest

from engine.errors import NodeError
from engine.node_type import Output
from tests.engine.run.fakes import draw, registry_with
from tests.engine.run.trial import Trial, told, turns

INSIDE = {"parent": "box"}


def box(items, **config):
    return {"type": "iteration", "config": {"items": items, **config}}


def once(bad):
    """A node function that fails for each bad item once."""
    left = set(bad)

    async def run(_node, step):
        if step.input in left:
            left.discard(step.input)
            raise NodeError(f"{step.input} is bad.")
        return Output(step.input)

    return run


def test_an_item_that_fails_stops_the_box_and_the_run():
    flow = draw("s>box box>x", box=box([1, 2, 3]), k={"type": "once", **INSIDE})
    run = Trial(flow, registry_with(once=once([2]))).run()

    assert run.status == "error"
    assert run.order == "s k k box"
    assert run.error["message"] == "Item 2 of 3 failed: 2 is bad."


def test_a_resume_goes_on_with_the_item_that_failed():
    flow = draw("s>box box>x", box=box([1, 2, 3]), k={"type": "once", **INSIDE})
    run = Trial(flow, registry_with(once=once([2]))).run()

    again = run.again().resume().run()

    assert again.status == "finished"
    assert again.order == "k k box x"
    assert again.condition.top.result() == [1, 2, 3]


def test_a_box_that_goes_on_leaves_null_and_notes_the_error():
    flow = draw(
        "s>box box>x",
        box=box([1, 2, 3], on_item_error="continue", concurrency=2),
        k={"type": "once", **INSIDE},
    )
    run = Trial(flow, registry_with(once=once([1, 3]))).run()

    assert run.status == "finished"
    assert run.condition.top.result() == [None, 2, None]
    assert [each["index"] for each in run.step("box")["item_errors"]] == [0, 2]


@pytest.mark.parametrize("policy", ["continue", "branch"])
def test_the_policy_of_the_box_follows_a_failed_item(policy):
    flow = draw(
        "s>box box>x box.error>y",
        box={**box([1, 2]), "on_error": policy},
        k={"type": "once", **INSIDE},
    )
    run = Trial(flow, registry_with(once=once([1]))).run()

    assert run.status == "finished"
    assert run.order == f"s k box {'x' if policy == 'continue' else 'y'}"


def test_the_policy_of_a_node_comes_before_that_of_its_box():
    flow = draw("s>box", box=box([1, 2]), k={"type": "once", "on_error": "continue", **INSIDE})
    run = Trial(flow, registry_with(once=once([1]))).run()

    assert run.status == "finished"
    assert run.condition.top.result()[0]["error"]["message"] == "1 is bad."


def test_a_failing_item_calls_off_the_others():
    ended = []

    async def slow(_node, step):
        if step.input == 2:
            raise NodeError("2 is bad.")
        try:
            await step.sleep(100)
        finally:
            ended.append(step.input)

    flow = draw("s>box", box=box([1, 2, 3, 4], concurrency=3), k={"type": "slow", **INSIDE})
    run = Trial(flow, registry_with(slow=slow)).run()

    assert run.status == "error"
    assert ended == [1]
    assert run.order == "s k box"


def nested(inner_policy, outer_policy):
    flow = draw(
        "s>box box>x first>inner inner>last",
        box=box([1, 2], on_item_error=outer_policy),
        first={**INSIDE},
        inner={**box(["a", "b"], on_item_error=inner_policy), **INSIDE},
        last={**INSIDE},
        k={"type": "picks", "parent": "inner"},
    )

    runs = []

    async def picks(_node, step):
        runs.append(step.input)
        if len(runs) == 2:
            raise NodeError("bad")
        return Output(step.input)

    return Trial(flow, registry_with(picks=picks))


@pytest.mark.parametrize(
    ("inner", "outer", "result"),
    [
        ("continue", "stop", [["a", None], ["a", "b"]]),
        ("stop", "continue", [None, ["a", "b"]]),
    ],
)
def test_an_error_in_a_nested_box_goes_no_further_than_its_policy_says(inner, outer, result):
    run = nested(inner, outer).run()

    assert run.status == "finished"
    assert run.condition.top.result() == result
    assert told(run.again().condition) == told(run.condition)


def test_an_error_in_nested_boxes_is_resumed_where_it_happened():
    run = nested("stop", "stop").run()
    assert run.status == "error"
    assert run.error["message"] == "Item 1 of 2 failed: Item 2 of 2 failed: bad"

    again = run.again().resume().run()

    assert again.condition.top.result() == [["a", "b"], ["a", "b"]]
    assert again.order == "k inner last first k k inner last box x"


def test_a_step_that_a_failed_item_called_off_does_not_bar_its_node_in_the_next_round():
    async def first_fails(_node, step):
        if step.visit == 1:
            raise NodeError("bad")
        return Output(step.input)

    flow = draw(
        "s>h h.go>box box>>h h.stop>x st>slow st>bad",
        h={
            "type": "router",
            "config": {"routes": [{"condition": "loop_count < 2", "targetEdgeKey": "go"}],
                       "defaultRoute": "stop"},
        },
        box=box([1], on_item_error="continue"),
        st={**INSIDE},
        slow={"type": "sleep", "config": {"value": 5}, **INSIDE},
        bad={"type": "bad", **INSIDE},
    )  # fmt: skip
    run = Trial(flow, registry_with(bad=first_fails))

    async def scenario():
        task = asyncio.ensure_future(run.go())
        for _ in range(4):
            await turns()
            run.clock.advance(10)
        await asyncio.wait_for(task, 5)

    asyncio.run(scenario())

    assert run.order == "s h st bad box h st bad slow box h x"
    assert run.outputs("box") == [[None], [{"slow": "slow", "bad": 1}]]
