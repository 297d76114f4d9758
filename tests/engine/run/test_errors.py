from __future__ import annotations

import asyncio

import pytest

from engine.errors import NodeError
from engine.node_type import Output
from tests.engine.run.fakes import draw, node_type, registry_with
from tests.engine.run.trial import Trial, turns


def failing(times=1000, **error):
    """A node function that fails so often, then passes on."""
    left = [times]

    async def run(_node, step):
        left[0] -= 1
        if left[0] >= 0:
            raise NodeError("No luck.", "Try again.", **error)
        return Output(step.input)

    return run


def retried(trial, seconds=10_000.0):
    """Drives a run whose waits end whenever nothing else is left to do."""

    async def drive():
        task = asyncio.ensure_future(trial.go())
        for _ in range(200):
            await turns(12)
            if task.done():
                break
            trial.clock.advance(seconds)
        await asyncio.wait_for(task, 5)

    asyncio.run(drive())
    return trial


def test_stop_ends_the_run_and_calls_off_the_other_branches():
    ended = []

    async def slow(_node, step):
        try:
            await step.sleep(100)
        finally:
            ended.append(step.node_id)

    flow = draw("s>w s>a a>x w>x", w={"type": "slow"}, a={"type": "bad"})
    run = Trial(flow, registry_with(bad=failing(), slow=slow)).run()

    assert run.status == "error"
    assert run.order == "s a"
    assert ended == ["w"]
    assert run.error["node"] == "a"
    assert (run.error["message"], run.error["hint"]) == ("No luck.", "Try again.")


def test_continue_hands_the_error_on_as_the_output():
    flow = draw("s>a a>x", a={"type": "bad", "on_error": "continue"})
    run = Trial(flow, registry_with(bad=failing())).run()

    assert run.status == "finished"
    assert run.step("x")["inputs"]["a"]["error"]["message"] == "No luck."
    assert run.again().report["output"] == run.report["output"]


def test_branch_takes_the_error_edge_alone():
    flow = draw("s>a a>x a.error>y", a={"type": "bad", "on_error": "branch"})
    run = Trial(flow, registry_with(bad=failing())).run()

    assert run.order == "s a y"
    assert run.status == "finished"


def test_branch_without_an_error_edge_stops_and_says_why():
    flow = draw("s>a a>x", a={"type": "bad", "on_error": "branch"})
    run = Trial(flow, registry_with(bad=failing())).run()

    assert run.status == "error"
    assert "no edge has the route 'error'" in run.error["hint"]


def test_an_error_edge_is_not_taken_by_a_step_that_works():
    flow = draw("s>a a>x a.error>y", a={"on_error": "branch"})

    assert Trial(flow).run().order == "s a x"


def test_retries_wait_longer_each_time_and_jitter_stays_in_its_share():
    retry = {"attempts": 5, "wait": 2, "backoff": 3, "jitter": 0.5}
    flow = draw("s>a a>x", a={"type": "bad", "on_error": {"retry": retry}})
    run = retried(Trial(flow, registry_with(bad=failing(4))))

    assert run.order == "s a x"
    for got, plain in zip(run.clock.asked, (2, 6, 18, 54), strict=True):
        assert plain * 0.5 <= got <= plain * 1.5
    waits = [event.wait for event in run.events if event.kind == "retry"]
    assert waits == run.clock.asked


def test_the_policy_follows_when_no_try_is_left():
    policy = {"policy": "continue", "retry": {"attempts": 3, "wait": 1}}
    flow = draw("s>a a>x", a={"type": "bad", "on_error": policy})
    run = retried(Trial(flow, registry_with(bad=failing())))

    assert run.clock.asked == [1, 2]
    assert run.order == "s a x"


@pytest.mark.parametrize(("kind", "tries"), [("rate_limit", 3), ("server", 1)])
def test_only_the_kinds_that_are_named_are_tried_again(kind, tries):
    retry = {"attempts": 3, "wait": 1, "on": ["rate_limit"]}
    flow = draw("s>a", a={"type": "bad", "on_error": {"retry": retry}})
    run = retried(Trial(flow, registry_with(bad=failing(kind=kind))))

    assert len(run.clock.asked) == tries - 1
    assert run.error["kind"] == kind


def test_the_wait_that_the_other_side_asks_for_is_kept():
    retry = {"attempts": 2, "wait": 1}
    flow = draw("s>a", a={"type": "bad", "on_error": {"retry": retry}})

    for asked, waited in ((30.0, 30.0), (0.5, 1.0)):
        run = retried(Trial(flow, registry_with(bad=failing(1, retry_after_s=asked))))
        assert run.clock.asked == [waited]


def test_a_backoff_without_end_is_still_a_wait_that_ends():
    retry = {"attempts": 100, "wait": 1e10, "backoff": 1e10}
    flow = draw("s>a", a={"type": "bad", "on_error": {"retry": retry}})
    run = retried(Trial(flow, registry_with(bad=failing())), 1e8)

    assert run.status == "error"
    assert len(run.clock.asked) == 99
    assert max(run.clock.asked) <= 31 * 86_400


def test_a_node_that_takes_longer_than_its_limit_fails():
    async def forever(_node, _step):
        await asyncio.get_running_loop().create_future()

    flow = draw("s>a", a={"type": "forever", "timeout_s": 0.01})
    run = Trial(flow, registry_with(forever=forever)).run()

    assert run.error["kind"] == "timeout"
    assert run.error["message"] == "It took longer than its limit of 0.01 s."


def test_a_time_out_of_something_else_is_not_laid_to_the_limit():
    async def impatient(_node, _step):
        raise TimeoutError("the server")

    flow = draw("s>a", a={"type": "impatient", "timeout_s": 30})
    run = Trial(flow, registry_with(impatient=impatient)).run()

    assert run.error["kind"] == "timeout"
    assert "limit" not in run.error["message"]


def test_an_error_in_the_condition_of_an_edge_fails_the_step_before_it():
    flow = draw("s>a a>x", edge_data={"a>x": {"condition": "output.nme == 1"}}, a={"type": "give"})
    run = Trial(flow).run()

    assert run.error["node"] == "a"
    assert "The condition on edge 'e1' cannot be evaluated" in run.error["message"]


def test_the_conditions_behind_a_step_without_any_output_are_not_asked():
    split = {"type": "split", "config": {"items": []}}
    run = Trial(draw("s>a a>x", edge_data={"a>x": {"condition": "output.n > 1"}}, a=split)).run()

    assert (run.status, run.order) == ("finished", "s a")


def test_a_template_that_leads_nowhere_names_the_field_and_the_nearest_name():
    flow = draw("s>a", a={"type": "direct_reply", "config": {"template": "Dear {{ context.nme }}"}})
    run = Trial(flow, None, {"context": {"name": "Ada"}}).run()

    assert "Field 'Text'" in run.error["message"]
    assert "nme" in run.error["message"]
    assert "name" in run.error["message"] + run.error["hint"]


def test_a_resume_after_an_error_runs_the_failed_step_again():
    flow = draw("s>a a>x s>b b>x", a={"type": "bad"})
    run = Trial(flow, registry_with(bad=failing(1))).run()
    assert run.status == "error"

    again = run.again().resume().run()

    assert again.status == "finished"
    assert again.order.split().count("a") == 1
    assert "s" not in again.order.split()


def test_whoever_rejects_a_repetition_is_asked_again_after_a_resume():
    begun = []

    async def sends(_node, step):
        begun.append(step.visit)
        if len(begun) == 1:
            await step.sleep(1000)
        return Output("sent")

    async def cut_off(run):
        task = asyncio.ensure_future(run.go())
        await turns()
        task.cancel()
        await asyncio.wait([task])

    kind = node_type("sends", sends, outside_effects=True)
    run = Trial(draw("s>a", a={"type": "sends"}), registry_with(kind))
    asyncio.run(cut_off(run))

    run = run.again().run()
    assert "Shall it run again?" in next(iter(run.requests.values()))
    run.runner.answer(None, {"type": "reject"})
    run = run.run().again()
    assert run.error["kind"] == "not_repeated"
    run = run.resume().run()
    assert run.status == "paused"
    run.runner.answer(None, {"type": "proceed"})

    assert run.run().status == "finished"
    assert len(begun) == 2
