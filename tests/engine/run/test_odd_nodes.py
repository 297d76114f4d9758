from __future__ import annotations

import asyncio

import pytest

from engine.node_type import Change, Iterate, Output, Outputs, Pause, Route, Stop
from tests.engine.run.fakes import draw, registry_with
from tests.engine.run.trial import Trial, told


@pytest.mark.parametrize(
    "fault", [ZeroDivisionError("x"), KeyError("x"), RecursionError("x"), SystemExit(3), OSError()]
)
def test_a_node_that_fails_in_any_way_does_not_end_the_program(fault):
    async def broken(_node, _step):
        raise fault

    run = Trial(draw("s>a a>x", a={"type": "broken"}), registry_with(broken=broken)).run()

    assert run.status == "error"
    assert type(fault).__name__ in run.error["message"]
    assert "test_odd_nodes.py" in run.error["detail"]


def test_a_node_that_breaks_off_by_itself_has_failed():
    async def gone(_node, _step):
        raise asyncio.CancelledError

    run = Trial(draw("s>a", a={"type": "gone"}), registry_with(gone=gone)).run()

    assert run.error["message"] == "It broke off by itself."


@pytest.mark.parametrize(
    "result",
    [
        5,
        Route(True, 1),
        Route(None, 1),
        Output(1, updates={1: 2}),
        Output(1, changes=[("context", "a")]),
        Output(1, changes=[Change("nowhere", "a", "", 1)]),
        Output(object()),
        Output({1, object}),
        Outputs(None),
        Iterate(None),
        Iterate([1], "3"),
        Iterate([1], 1, "maybe"),
        Pause(()),
        Pause(("what?",)),
        Stop("maybe"),
    ],
    ids=lambda result: type(result).__name__,
)
def test_what_is_no_result_fails_the_step_and_leaves_a_journal_that_opens(result):
    async def odd(_node, _step):
        return result

    run = Trial(draw("s>a a>x", a={"type": "odd"}), registry_with(odd=odd)).run()

    assert run.status == "error"
    assert run.error["node"] == "a"
    assert told(run.again().condition) == told(run.condition)


def test_what_a_node_logs_is_kept_as_text_whatever_it_is():
    async def talks(_node, step):
        step.log(5)
        step.log("\ud800")
        step.stream(5)
        step.stream("\ud800")
        return Output(1)

    run = Trial(draw("s>a", a={"type": "talks"}), registry_with(talks=talks)).run()

    assert run.status == "finished"
    kept = [r["text"] for r in run.journal.records() if r["kind"] in ("log", "token")]
    assert kept == ["5", "\ud800", "5\ud800"]
    assert run.again().status == "finished"
