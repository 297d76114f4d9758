from __future__ import annotations

import asyncio

import pytest

from engine.errors import NodeError
from engine.models.provider import ModelReply
from engine.models.router import ModelRouter
from engine.node_type import Change, Output, Pause
from engine.nodes.llm import AskModel
from tests.engine.nodes.fake_step import FakeStep, answered, ran

ECHO = {"model": "pretend/echo", "prompt": "{{ input }}"}
MOOD = [
    {"name": "mood", "type": "enum", "options": ["glad", "angry"], "description": "How it sounds."},
    {"name": "amount", "type": "number"},
]


def script(*answers, **config):
    return {"model": "pretend/script", "prompt": "Go", "script": list(answers), **config}


class Recorder:
    """A provider that says what it is told to and keeps what it was asked."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.calls = []

    def model_names(self):
        return ("one",)

    def knows(self, model):
        return model == "one"

    async def answer(self, call):
        self.calls.append(call)
        return ModelReply(self.replies.pop(0), {"input_tokens": 2, "cost": 0.5, "model": "one"})


def test_the_answer_comes_out_and_is_added_to_the_chat():
    step = FakeStep("Hello {{ there }}")

    result = ran(AskModel, ECHO, step)

    assert isinstance(result, Output)
    assert result.value["content"] == "Hello {{ there }}"
    assert result.changes == (
        Change("messages", "", "append", {"role": "assistant", "content": "Hello {{ there }}"}),
    )
    assert "".join(step.streamed) == "Hello {{ there }}"
    assert result.usage == result.value["usage"]


def test_the_text_is_not_shown_as_it_comes_when_told_so():
    step = FakeStep("Hello there")

    ran(AskModel, {**ECHO, "stream": False}, step)

    assert step.streamed == []


def test_what_the_model_reads_comes_in_order():
    step = FakeStep("now")
    config = {
        **ECHO,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
        "temperature": 0,
        "max_tokens": 9,
    }

    ran(AskModel, config, step)

    assert [(m["role"], m["content"]) for m in step.asked[0]] == [
        ("system", "Be brief."),
        ("user", "a"),
        ("assistant", "b"),
        ("user", "now"),
    ]
    assert step.parameters == [{"stream": True, "temperature": 0, "max_tokens": 9}]


CHAT = [{"role": "user", "content": str(number)} for number in range(5)]


@pytest.mark.parametrize(
    ("memory", "seen"),
    [
        ({"memory": "none"}, []),
        ({"memory": "all"}, ["0", "1", "2", "3", "4"]),
        ({"memory": "window", "window": 2}, ["3", "4"]),
        ({"memory": "summary", "window": 9}, ["0", "1", "2", "3", "4"]),
    ],
)
def test_memory_decides_what_the_model_sees_of_the_chat(memory, seen):
    step = FakeStep("now", state={"messages": CHAT[2:]}, run_input={"history": CHAT[:2]})

    ran(AskModel, {**ECHO, **memory}, step)

    assert [m["content"] for m in step.asked[-1]] == [*seen, "now"]


def test_a_summary_stands_for_the_older_messages():
    model = Recorder("In short.", "Answer.")
    step = FakeStep("now", state={"messages": CHAT}, models=ModelRouter({"own": model}))

    result = ran(
        AskModel, {"model": "own/one", "prompt": "now", "memory": "summary", "window": 1}, step
    )

    told = [m["content"] for m in model.calls[1].messages]
    assert told == ["What was said before, in short: In short.", "4", "now"]
    assert result.value["usage"] == {"input_tokens": 4, "cost": 1.0, "model": "one"}


@pytest.mark.parametrize(
    "text",
    [
        '{"mood": "glad", "amount": 0}',
        '```json\n{"mood": "glad", "amount": 0}\n```',
        'Here it is: {"mood": "glad", "amount": 0}',
        '{"mood": "glad", "amount": 0',
        "{'mood': 'glad', 'amount': 0,}",
        '{"mood": "glad", "amount": 0, "more": 1}',
    ],
)
def test_values_are_read_out_of_the_answer(text):
    step = FakeStep()

    result = ran(AskModel, script(text, output_fields=MOOD, save_as="seen"), step)

    assert result.value == {
        "content": text,
        "mood": "glad",
        "amount": 0,
        "usage": result.value["usage"],
    }
    assert result.updates == {"seen": {"mood": "glad", "amount": 0}}
    assert step.streamed == []
    assert "How it sounds." in step.asked[0][0]["content"]


def test_a_bad_answer_is_sent_back_once():
    model = Recorder('{"mood": "sad", "amount": 1}', '{"mood": "angry", "amount": 1}')
    config = {"model": "own/one", "prompt": "Go", "output_fields": MOOD}

    result = ran(AskModel, config, FakeStep(models=ModelRouter({"own": model})))

    assert result.value["mood"] == "angry"
    assert "mood: 'sad' is not one of" in model.calls[1].messages[-1]["content"]
    assert result.value["usage"]["input_tokens"] == 4


@pytest.mark.parametrize("answers", [("no json",), ('{"mood": "glad"}',), ("[1]",), ("",)])
def test_two_bad_answers_are_an_error_in_words(answers):
    with pytest.raises(NodeError, match="did not answer with the values asked for") as caught:
        ran(AskModel, script(*answers, output_fields=MOOD))

    assert caught.value.kind == "bad_answer"


def test_broken_json_of_the_faulty_model_is_an_error():
    with pytest.raises(NodeError, match="'mood' is a required property"):
        ran(AskModel, {"model": "pretend/faults:broken-json", "prompt": "x", "output_fields": MOOD})


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ([{"name": "content"}], "cannot be called 'content'"),
        ([{"name": "a"}, {"name": "a"}], "two values are called 'a'"),
        ([{"name": "a", "type": "enum"}], "no options"),
    ],
)
def test_values_that_cannot_be_asked_for_are_refused(fields, told):
    with pytest.raises(NodeError, match=told):
        ran(AskModel, script("x", output_fields=fields))


def test_a_schema_of_its_own_holds_for_a_list():
    fields = [{"name": "tags", "type": "list", "schema": {"items": {"type": "string"}}}]

    assert ran(AskModel, script('{"tags": ["a"]}', output_fields=fields)).value["tags"] == ["a"]
    with pytest.raises(NodeError, match=r"tags\.0: 1 is not of type 'string'"):
        ran(AskModel, script('{"tags": [1]}', output_fields=fields))


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"items": {"type": "nonsense"}}, "the JSON Schema of 'tags' is faulty"),
        ({"$ref": "http://localhost:9/x.json"}, "points at http://localhost:9/x.json"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused(schema, told):
    fields = [{"name": "tags", "type": "list", "schema": schema}]

    with pytest.raises(NodeError, match=told):
        ran(AskModel, script('{"tags": [1]}', output_fields=fields))


def test_the_script_says_one_text_per_visit_and_repeats_the_last():
    config = script("one", "two for {{ input }}")

    said = [ran(AskModel, config, FakeStep("{{ x }}", visit=n)).value["content"] for n in (1, 2, 3)]

    assert said == ["one", "two for {{ x }}", "two for {{ x }}"]


def test_an_empty_script_says_what_to_do():
    assert "field Script" in ran(AskModel, script()).value["content"]


def test_save_as_takes_the_text():
    assert ran(AskModel, {**ECHO, "save_as": "reply"}, FakeStep("")).updates == {"reply": ""}
    assert ran(AskModel, {**ECHO, "save_as": ""}, FakeStep("x")).updates == {}


def test_ask_me_waits_for_a_person_and_gives_what_is_typed():
    config = {"model": "pretend/ask-me", "prompt": "Your turn, {{ input }}", "save_as": "r"}

    pause = ran(AskModel, config, FakeStep("Ada"))

    assert isinstance(pause, Pause)
    (request,) = pause.requests
    assert (request.kind, request.prompt) == ("text", "Your turn, Ada")
    result = answered(AskModel, config, request, {"text": "{{ typed }}"})
    assert result.value["content"] == "{{ typed }}"
    assert result.updates == {"r": "{{ typed }}"}


def test_ask_me_asks_again_until_the_values_fit():
    config = {"model": "pretend/ask-me", "prompt": "?", "output_fields": MOOD}
    (request,) = ran(AskModel, config).requests

    again = answered(AskModel, config, request, {"text": "dunno"})
    assert isinstance(again, Pause)
    assert "Please try again" in again.requests[0].prompt

    done = answered(AskModel, config, request, {"text": '{"mood": "glad", "amount": 1}'})
    assert done.value["mood"] == "glad"


def test_an_unknown_model_names_those_there_are():
    with pytest.raises(NodeError, match="Did you mean 'pretend/echo'") as caught:
        ran(AskModel, {**ECHO, "model": "pretend/ecco"})

    assert "pretend/script" in caught.value.hint


def test_the_fields_that_are_needed_are_named():
    with pytest.raises(NodeError, match=r"Prompt: is missing. Model: is missing"):
        ran(AskModel, {})


def test_a_slow_model_can_be_cancelled():
    class Never:
        async def __call__(self, _seconds):
            await asyncio.Event().wait()

    step = FakeStep("some words", models=ModelRouter(sleep=Never()))

    async def cancelled():
        node = AskModel(model="pretend/faults:slow", prompt="some words")
        task = asyncio.ensure_future(node.run(step))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
