from __future__ import annotations

import asyncio

import pytest

from engine.flow.file import flow_from_json
from engine.registry import default_registry
from engine.run.report import run_report
from engine.run.session import RunSession
from engine.run.workplace import Workplace
from engine.store.places import Places

FIELDS = [
    {"name": "name", "required": True},
    {"name": "guests", "type": "number", "default": 2},
    {"name": "vegetarian", "type": "boolean"},
]


def run(tmp_path, config, template, given, *, again=False):
    flow = flow_from_json(
        {
            "format": "loopwright.flow",
            "version": 1,
            "id": "f",
            "variables": [{"name": "said", "type": "string", "default": ""}],
            "nodes": [
                {"id": "start", "type": "start", "config": config},
                {"id": "say", "type": "direct_reply", "config": {"template": template}},
            ],
            "edges": [{"id": "e", "source": "start", "target": "say"}],
        },
        "test",
    )
    workplace = Workplace(Places.under(tmp_path), default_registry())

    async def go():
        async with RunSession.start(workplace, flow, given, run_id="one") as session:
            if not again:
                await session.go()
                return run_report(session.condition, [])
        async with RunSession.open(workplace, "one") as session:
            await session.go()
            return run_report(session.condition, [])

    return asyncio.run(go())


@pytest.mark.parametrize("again", [False, True])
def test_what_was_left_out_of_the_start_form_is_its_default(tmp_path, again):
    report = run(
        tmp_path,
        {"input_mode": "form", "form_fields": FIELDS},
        "{{ $form.name }}, {{ form.guests }}, {{ state.form.vegetarian | json }}",
        {"form": {"name": "Ada"}},
        again=again,
    )

    assert report["output"] == {"content": "Ada, 2, null"}


def test_an_answer_in_the_start_form_has_its_type_for_every_step(tmp_path):
    report = run(
        tmp_path,
        {"input_mode": "form", "form_fields": FIELDS},
        "{{ $form | json }}",
        {"form": {"name": "Ada", "guests": "4", "vegetarian": "yes"}},
    )

    assert report["output"] == {"content": '{"name": "Ada", "guests": 4, "vegetarian": true}'}


def test_a_form_that_does_not_fit_is_the_error_of_the_start_node(tmp_path):
    report = run(
        tmp_path, {"input_mode": "form", "form_fields": FIELDS}, "-", {"form": {"nam": "Ada"}}
    )

    assert report["status"] == "error"
    assert report["error"]["node"] == "start"
    assert "'name'" in report["error"]["message"]


def test_a_flow_that_asks_for_no_form_gets_what_it_was_given(tmp_path):
    report = run(tmp_path, {"input_mode": "chat"}, "{{ $form.x }}", {"form": {"x": "as it was"}})

    assert report["output"] == {"content": "as it was"}


def test_a_default_that_is_a_template_is_filled_in_by_the_start_node(tmp_path):
    field = {"name": "day", "default": "{{ $flow.id }}"}
    config = {"input_mode": "form", "form_fields": [field]}

    report = run(tmp_path, config, "{{ start.output.form.day }}", {"form": {}})

    assert report["output"] == {"content": "f"}


def test_save_as_of_a_model_keeps_the_text_and_not_the_whole_record(tmp_path):
    flow = flow_from_json(
        {
            "format": "loopwright.flow",
            "version": 1,
            "id": "f",
            "variables": [{"name": "said", "type": "string", "default": ""}],
            "nodes": [
                {
                    "id": "ask",
                    "type": "llm",
                    "config": {"model": "pretend/echo", "prompt": "Hello", "save_as": "said"},
                },
                {"id": "say", "type": "direct_reply", "config": {"template": "{{ context.said }}"}},
            ],
            "edges": [{"id": "e", "source": "ask", "target": "say"}],
        },
        "test",
    )
    workplace = Workplace(Places.under(tmp_path), default_registry())

    async def go():
        async with RunSession.start(workplace, flow, {}) as session:
            await session.go()
            return run_report(session.condition, [])

    assert asyncio.run(go())["output"] == {"content": "Hello"}
