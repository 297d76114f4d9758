from __future__ import annotations

import jsonschema
import pytest

from engine.errors import NodeError
from engine.node_type import Output, Pause, Route
from engine.nodes.human_input import HumanInput
from tests.engine.nodes.fake_step import FakeStep, answered, ran

APPROVE = {"prompt": "Send {{ input }}?"}
CHOOSE = {"prompt": "Which?", "mode": "choose", "options": ["Yes, all", "none"]}
TEXT = {"prompt": "Say something.", "mode": "text"}
FORM = {
    "prompt": "Fill in.",
    "mode": "form",
    "form_fields": [
        {"name": "who", "label": "Who", "required": True},
        {"name": "many", "type": "number", "default": 0},
    ],
}


def asked(config, step=None):
    result = ran(HumanInput, config, step)
    assert isinstance(result, Pause)
    (request,) = result.requests
    jsonschema.Draft202012Validator.check_schema(request.schema)
    return request


def fits(request, answer):
    return jsonschema.Draft202012Validator(request.schema).is_valid(answer)


def test_approval_asks_with_its_question_filled_in():
    request = asked(APPROVE, FakeStep("{{ x }}"))

    assert (request.kind, request.prompt) == ("approve", "Send {{ x }}?")
    assert request.options == ("proceed", "reject")
    assert request.feedback


@pytest.mark.parametrize("choice", ["proceed", "reject"])
def test_approval_takes_the_path_of_the_answer(choice):
    answer = {"type": choice, "feedback": "why {{ not }}"}
    request = asked(APPROVE)

    result = answered(HumanInput, APPROVE, request, answer)

    assert fits(request, answer)
    assert isinstance(result, Route)
    assert (result.key, result.value) == (choice, answer)


def test_a_remark_may_be_left_out_and_can_be_forbidden():
    request = asked(APPROVE)
    assert fits(request, {"type": "reject"})
    assert answered(HumanInput, APPROVE, request, {"type": "reject"}).value["feedback"] == ""

    silent = asked({**APPROVE, "feedback": False})
    assert not silent.feedback
    assert not fits(silent, {"type": "reject", "feedback": "x"})
    assert fits(silent, {"type": "reject", "feedback": ""})


@pytest.mark.parametrize(
    ("config", "answer"),
    [
        (APPROVE, {"type": "maybe"}),
        (APPROVE, {}),
        (APPROVE, {"type": "proceed", "more": 1}),
        (CHOOSE, {"choice": "some"}),
        (CHOOSE, {"type": "proceed"}),
        (TEXT, {"text": 5}),
        (FORM, {"form": {}}),
        (FORM, {"form": {"who": "x", "other": 1}}),
        (FORM, {"who": "x"}),
    ],
)
def test_an_answer_that_does_not_fit_is_seen_by_the_schema(config, answer):
    assert not fits(asked(config), answer)


def test_each_option_is_a_path_of_its_own():
    assert [h.key for h in HumanInput.model_validate(CHOOSE).handles()] == ["Yes, all", "none"]
    assert [h.key for h in HumanInput.model_validate(APPROVE).handles()] == ["proceed", "reject"]
    assert [h.key for h in HumanInput.model_validate(TEXT).handles()] == [None]

    result = answered(HumanInput, CHOOSE, asked(CHOOSE), {"choice": "none"})

    assert (result.key, result.value) == ("none", {"choice": "none"})


@pytest.mark.parametrize("text", ["", "0", "{{ x }} $& \\1 \"'"])
def test_a_text_comes_through_as_typed(text):
    request = asked(TEXT)
    assert fits(request, {"text": text})
    assert answered(HumanInput, TEXT, request, {"text": text}) == Output({"text": text})


def test_a_form_gets_its_defaults():
    request = asked(FORM)
    assert fits(request, {"form": {"who": ""}})

    result = answered(HumanInput, FORM, request, {"form": {"who": ""}})

    assert result == Output({"form": {"who": "", "many": 0}})


def test_a_model_writes_the_draft_and_it_is_kept_for_the_answer():
    config = {
        "prompt": "Is this right?",
        "draft_with_model": {"model": "pretend/echo", "prompt": "Write to {{ input }}"},
    }

    request = asked(config, FakeStep("Ada", state={"messages": [{"role": "user", "content": "x"}]}))

    assert request.prompt == "Is this right?\n\nWrite to Ada"
    assert request.data == {"draft": "Write to Ada"}
    later = FakeStep("Ada")
    result = answered(HumanInput, config, request, {"type": "proceed"}, later)
    assert result.value == {"type": "proceed", "feedback": "", "draft": "Write to Ada"}
    assert later.asked == []


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"prompt": "?", "mode": "choose"}, "at least one option"),
        ({"prompt": "?", "mode": "choose", "options": ["a", "a"]}, "two options are the same"),
        ({"prompt": "?", "mode": "choose", "options": [""]}, "must not be empty"),
        ({"prompt": "?", "mode": "form"}, "at least one field"),
        ({}, "Question: is missing"),
        ({"prompt": "?", "mode": "ask"}, "Kind of answer: must be one of"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused(config, told):
    with pytest.raises(NodeError, match=told):
        ran(HumanInput, config)
