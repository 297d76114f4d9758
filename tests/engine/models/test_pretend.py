from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import NodeError
from engine.models.pretend import BROKEN_JSON, SLOW_PAUSE_S
from engine.models.router import ModelRouter

CHAT = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": "first"},
    {"role": "user", "content": "the last one"},
    {"role": "assistant", "content": "x"},
]


class Asker:
    def __init__(self):
        self.slept = []
        self.pieces = []
        self.router = ModelRouter(sleep=self.sleep)

    async def sleep(self, seconds):
        self.slept.append(seconds)

    def ask(self, model, messages=CHAT, **settings):
        answer = self.router.answer(model, messages, on_text=self.pieces.append, **settings)
        return asyncio.run(answer).text


@pytest.fixture
def asker():
    return Asker()


def test_echo_repeats_the_last_message_of_the_person(asker):
    assert asker.ask("pretend/echo") == "the last one"
    assert asker.ask("pretend/echo", [{"role": "user", "content": {"a": 0}}]) == '{"a": 0}'
    assert "no message" in asker.ask("pretend/echo", [])


@given(st.text())
def test_the_pieces_make_up_the_text(text):
    asker = Asker()

    answer = asker.ask("pretend/echo", [{"role": "user", "content": text}])

    assert answer == text
    assert "".join(asker.pieces) == text


def test_tokens_are_counted(asker):
    reply = asyncio.run(asker.router.answer("pretend/echo", CHAT))

    assert reply.usage == {"input_tokens": 6, "output_tokens": 3, "cost": 0}


@pytest.mark.parametrize(
    ("fault", "kind", "retry_after_s"),
    [("timeout", "timeout", None), ("429", "rate_limit", 1.0), ("500", "server", None)],
)
def test_faults_are_errors_of_their_kind(asker, fault, kind, retry_after_s):
    with pytest.raises(NodeError) as caught:
        asker.ask(f"pretend/faults:{fault}", attempt=7)

    assert (caught.value.kind, caught.value.retry_after_s) == (kind, retry_after_s)


@pytest.mark.parametrize("fault", ["timeout", "429", "500"])
def test_a_counted_fault_ends_after_so_many_tries(asker, fault):
    for attempt in (1, 2):
        with pytest.raises(NodeError):
            asker.ask(f"pretend/faults:{fault}x2", attempt=attempt)

    assert asker.ask(f"pretend/faults:{fault}x2", attempt=3) == "the last one"
    assert asker.ask(f"pretend/faults:{fault}:x2", attempt=3) == "the last one"


def test_broken_json_is_broken_until_its_count_is_over(asker):
    assert asker.ask("pretend/faults:broken-json") == BROKEN_JSON
    assert asker.ask("pretend/faults:broken-jsonx1", attempt=2) == "the last one"


def test_the_slow_model_waits_before_each_word(asker):
    assert asker.ask("pretend/faults:slow") == "the last one"
    assert asker.slept == [SLOW_PAUSE_S] * 3


def test_plain_faults_fail_in_three_ways_and_then_answer(asker):
    kinds = []
    for attempt in (1, 2, 3):
        with pytest.raises(NodeError) as caught:
            asker.ask("pretend/faults", attempt=attempt)
        kinds.append(caught.value.kind)

    assert kinds == ["timeout", "rate_limit", "server"]
    assert asker.ask("pretend/faults", attempt=4) == "the last one"


def test_the_script_goes_by_the_visit(asker):
    settings = {"parameters": {"script": ["", "b"]}}

    said = [asker.ask("pretend/script", visit=visit, **settings) for visit in (1, 2, 3)]

    assert said == ["", "b", "b"]


def test_a_person_cannot_be_asked_from_just_anywhere(asker):
    with pytest.raises(NodeError, match="nobody can be asked from here"):
        asker.ask("pretend/ask-me")


@pytest.mark.parametrize(
    "model",
    ["", "pretend", "pretend/", "echo", "pretend/faults:418", "pretend/faults:500x", "a/b/c"],
)
def test_an_unknown_model_names_those_there_are(asker, model):
    assert not asker.router.knows(model)
    with pytest.raises(NodeError, match="There is no model") as caught:
        asker.ask(model)

    assert caught.value.kind == "unknown_model"
    assert "pretend/echo" in caught.value.hint


def test_every_model_that_is_named_is_known(asker):
    assert len(asker.router.model_names()) == 9
    assert all(asker.router.knows(name) for name in asker.router.model_names())
