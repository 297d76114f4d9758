from __future__ import annotations

import pytest

from engine.errors import NodeError
from engine.node_type import Output, Pause, Request, SubRun
from engine.nodes.execute_flow import ExecuteFlow
from tests.engine.nodes.fake_step import FakeStep, answered, ran

DONE = SubRun("r1", "finished", output=0, messages=({"role": "assistant", "content": "hi"},))


def called(config, given=None, sub=DONE):
    step = FakeStep(given, sub_runs=[sub])
    return ran(ExecuteFlow, {"flow": "other", **config}, step), step


@pytest.mark.parametrize(
    ("config", "given", "run_input"),
    [
        ({}, "what I got", {"question": "what I got"}),
        ({}, {"a": 1}, {}),
        ({"input": "ask {{ input }}"}, "x", {"question": "ask x"}),
        ({"input": ""}, "x", {"question": ""}),
        ({"input": {"form": {"n": "{{ input }}"}}}, 0, {"form": {"n": 0}}),
        ({"input": {"context": {"n": 1}}}, "x", {"context": {"n": 1}, "question": "x"}),
        ({"input": {"question": "q"}}, "x", {"question": "q"}),
    ],
)
def test_the_other_flow_gets_its_input(config, given, run_input):
    _, step = called(config, given)

    assert step.flows_run == [("other", run_input, True)]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"qestion": "x"}, "did you mean 'question'"),
        ([1], "a text or a record"),
        (0, "not a number"),
    ],
)
def test_any_other_input_is_refused(given, told):
    with pytest.raises(NodeError, match=told):
        called({"input": given})


def test_what_comes_out_can_be_chosen():
    assert called({})[0] == Output(0)
    assert called({"return_as": "content"})[0] == Output("hi")
    assert called({"return_as": "object"})[0] == Output(
        {
            "run_id": "r1",
            "status": "finished",
            "output": 0,
            "messages": [{"role": "assistant", "content": "hi"}],
        }
    )


@pytest.mark.parametrize(
    ("output", "text"), [({"content": "c"}, "c"), ("t", "t"), ([1], "[1]"), (None, "")]
)
def test_the_text_of_a_silent_flow_is_its_output(output, text):
    sub = SubRun("r", "finished", output=output)

    assert called({"return_as": "content"}, sub=sub)[0] == Output(text)


def test_it_need_not_wait():
    result, step = called({"wait": False})

    assert result == Output({"run_id": "r1"})
    assert step.flows_run[0][2] is False


def test_questions_of_the_other_flow_appear_here_and_go_back_there():
    one, two = (Request("text", f"{each}?", id=each, data={"secret": 1}) for each in ("q1", "q2"))
    pause, _ = called({}, sub=SubRun("r1", "paused", requests=(one, two)))
    assert isinstance(pause, Pause)
    first, second = pause.requests
    assert (first.prompt, first.kind) == ("q1?", "text")
    assert (first.id, second.id) == ("r1/q1", "r1/q2")

    step = FakeStep(sub_runs=[SubRun("r1", "paused", requests=(two,)), DONE])
    left = answered(ExecuteFlow, {"flow": "other"}, first, {"text": "a"}, step)
    assert left.requests == (second,)
    done = answered(ExecuteFlow, {"flow": "other"}, second, {"text": "b"}, step)

    assert done == Output(0)
    assert step.answered == [("r1", "q1", {"text": "a"}), ("r1", "q2", {"text": "b"})]


@pytest.mark.parametrize(
    ("status", "told"), [("error", "ended in an error: boom"), ("stopped", "was stopped")]
)
def test_a_flow_that_did_not_finish_is_an_error(status, told):
    with pytest.raises(NodeError, match=told):
        called({}, sub=SubRun("r1", status, error="boom"))
