from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from engine.errors import NodeError
from engine.node_type import Output, Stop
from engine.nodes.start import Start
from engine.nodes.stop import StopHere
from engine.nodes.wait import Wait
from tests.engine.nodes.fake_step import FakeStep, ran

FORM = {
    "input_mode": "form",
    "form_fields": [
        {"name": "email", "label": "Your address", "required": True},
        {"name": "n", "type": "number", "default": 1},
    ],
}


def started(config, **run_input):
    return ran(Start, config, FakeStep(run_input=run_input))


@pytest.mark.parametrize("question", ["", "0", "{{ x }} $&"])
def test_a_chat_hands_on_its_question(question):
    assert started({}, question=question) == Output({"question": question})


def test_a_form_is_checked_and_its_gaps_filled():
    assert started(FORM, form={"email": "", "n": "3"}).value == {"form": {"email": "", "n": 3}}
    with pytest.raises(NodeError, match=r'"Your address" \(email\) is missing'):
        started(FORM)
    with pytest.raises(NodeError, match="Did you mean 'email'"):
        started(FORM, form={"emial": "x", "email": "y"})


def test_a_web_call_must_carry_what_is_required():
    config = {"input_mode": "webhook", "webhook": {"required_params": ["id", "q"]}}

    value = started(config, webhook={"body": {"id": None}, "query": {"q": ""}}).value

    assert value == {"webhook": {"body": {"id": None}, "headers": {}, "query": {"q": ""}}}
    with pytest.raises(NodeError, match="required parameter 'q'"):
        started(config, webhook={"body": {"id": 1}})
    with pytest.raises(NodeError, match="must be an object"):
        started(config, webhook="text")


def test_nothing_starts_with_nothing():
    assert started({"input_mode": "none"}, question="x") == Output({})


def test_settings_of_another_mode_do_no_harm():
    config = {"input_mode": "chat", "form_fields": "broken", "webhook": 3}

    assert started(config, question="q").value == {"question": "q"}


@pytest.mark.parametrize("given", [0, None, {"a": []}])
def test_a_wait_passes_its_input_on(given):
    step = FakeStep(given)

    assert ran(Wait, {"seconds": 2}, step) == Output(given)
    assert step.slept == [2.0]


NOON = datetime(2026, 3, 1, 12, 0, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("until", "moment"),
    [
        ("13:30", NOON + timedelta(minutes=90)),
        ("12:00", NOON + timedelta(days=1)),
        ("11:59:30", NOON + timedelta(days=1, seconds=-30)),
        ("11:30+00:00", NOON + timedelta(minutes=30)),
        ("2026-03-02", NOON + timedelta(hours=12)),
        ("2026-03-01 12:00", NOON),
        ("2026-03-01T12:00:00+00:00", NOON + timedelta(hours=1)),
        ("2020-01-01", datetime(2020, 1, 1, tzinfo=NOON.tzinfo)),
    ],
)
def test_a_wait_until_a_time_is_in_local_time(until, moment):
    step = FakeStep(started_at=NOON)

    ran(Wait, {"until": until}, step)

    assert step.slept_until == [moment]


def test_a_time_of_day_may_come_from_a_template():
    step = FakeStep("13:00", started_at=datetime(2026, 3, 1, 12, tzinfo=UTC))

    ran(Wait, {"until": "{{ input }}"}, step)

    assert step.slept_until[0].hour == 13


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"until": "25:00"}, "'25:00' is no time"),
        ({"until": "2026"}, "'2026' is no time"),
        ({"until": "9999-12-31T23:59:59-14:00"}, "more than 10 years away"),
        ({"until": "soon"}, "'soon' is no time"),
        ({}, "either a number of seconds or a time"),
        ({"seconds": 0, "until": "13:00"}, "not both"),
        ({"seconds": -1}, "For: must be at least 0"),
        ({"seconds": float("nan")}, "For: must be"),
        ({"seconds": float("inf")}, "For: must be"),
        ({"seconds": 1e300}, "For: must be at most 315,360,000"),
        ({"seconds": "long"}, "For: must be a number"),
    ],
)
def test_a_wait_without_an_end_is_refused(config, told):
    with pytest.raises(NodeError, match=told):
        ran(Wait, config)


def test_zero_seconds_are_a_wait():
    assert ran(Wait, {"seconds": 0}, FakeStep("x")) == Output("x")


def test_stop_ends_the_run_with_what_it_received():
    assert ran(StopHere, {}, FakeStep(0)) == Stop("finished", "", 0)
    config = {"status": "error", "message": "No {{ input }}"}
    assert ran(StopHere, config, FakeStep("x")) == Stop("error", "No x", "x")
    assert "The node" in ran(StopHere, {"status": "error"}).message
    assert StopHere().handles() == ()
