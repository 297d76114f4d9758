from __future__ import annotations

import asyncio

import pytest

from engine.errors import RunError
from engine.run.session import RunSession
from tests.engine.run.fakes import draw, registry_with
from tests.engine.run.trial import Trial, drive, prompts, told, turns, workplace

ASK = {"type": "ask"}
APPROVE = {"type": "human_input", "config": {"prompt": "Fine?"}}


def two_questions():
    return draw("s>p s>q p>j q>j", p=ASK, q=ASK)


@pytest.mark.parametrize("first", ["p", "q"])
@pytest.mark.parametrize("restarted", [False, True])
def test_two_parallel_requests_are_answered_in_either_order(first, restarted):
    run = Trial(two_questions()).run()
    assert run.status == "paused"
    second = "q" if first == "p" else "p"

    run.answer(f"to {first}", run.request(first))
    run.run()
    assert run.status == "paused"
    run = run.again() if restarted else run
    run.answer(f"to {second}", run.request(second))
    run.run()

    assert run.status == "finished"
    assert run.step("j")["inputs"] == {"p": "to p", "q": "to q"}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_strands_that_wait_at_one_node_are_answered_in_any_order(order):
    flow = draw(
        "s>g g>q q>x x>k",
        g={"type": "split", "config": {"items": ["a", "b", "c"]}},
        q={"type": "ask", "config": {"value": "{{ input }}"}},
        k={"join": "collect"},
    )
    run = Trial(flow).run()
    assert sorted(run.requests.values()) == ["q#1: a", "q#2: b", "q#3: c"]

    for strand in order:
        run = run.again()
        run.answer("abc"[strand].upper(), run.request(f"q#{strand + 1}"))
        run.run()

    assert run.status == "finished"
    assert run.condition.top.result() == ["A", "B", "C"]


def test_a_loop_through_a_request_keeps_its_count_over_restarts():
    flow = draw(
        "s>q q>l l>>q l.done>x",
        q={"type": "ask", "config": {"value": "{{ loop.count }}"}},
        l={"type": "loop", "config": {"max_iterations": 3}},
    )
    run = Trial(flow).run()

    for number in range(3):
        assert list(run.requests.values()) == [f"q#{number + 1}: {number}"]
        run = run.again()
        run.answer("no")
        run = run.again().run()

    assert run.status == "finished"
    assert run.condition.visits["q"] == 3
    assert run.outputs("l") == [{"count": 3, "content": "The limit of 3 rounds is reached."}]


def test_a_second_answer_to_the_same_request_is_refused_before_and_after_a_restart():
    run = Trial(two_questions()).run()
    key = run.request("p")
    run.answer("once", key)

    for again in (run, run.run(), run.again()):
        with pytest.raises(RunError, match="was answered already"):
            again.answer("twice", key)
    assert "twice" not in str(told(run.condition))


def test_an_answer_to_a_request_that_does_not_wait_is_refused():
    run = Trial(two_questions()).run()

    with pytest.raises(RunError, match="No request 'nobody' waits"):
        run.answer("x", "nobody")
    with pytest.raises(RunError, match="2 requests wait in run 'r1': say which one"):
        run.answer("x")


def test_a_finished_run_takes_no_answer_to_what_it_left_open():
    flow = draw("s>q s>w w>e", q=ASK, e={"type": "stop", "config": {"status": "finished"}})
    run = Trial(flow).run()
    assert run.status == "finished"
    before = len(run.journal.lines)

    for again in (run, run.again()):
        with pytest.raises(RunError, match="Nothing in run 'r1' waits"):
            again.answer("late")
    assert run.report["requests"] == []
    assert len(run.journal.lines) == before


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"type": "maybe"}, 'must be one of "proceed", "reject"'),
        ({}, "'type' is missing"),
        ({"type": "proceed", "more": 1}, "'more' is not a part of it"),
        ({"type": 10**5000}, "does not fit the question"),
        ("proceed", "must be an object"),
        (None, "must be an object"),
        (10**5000, "must be an object"),
    ],
    ids=range(7),
)
def test_a_wrong_answer_is_refused_in_words_and_changes_nothing(wrong, words):
    run = Trial(draw("s>a a.proceed>x", a=APPROVE)).run()
    before, lines = told(run.condition), len(run.journal.lines)

    with pytest.raises(RunError, match=words) as refusal:
        run.runner.answer(None, wrong)

    assert '{"type": "proceed"}' in refusal.value.hint
    assert told(run.condition) == before
    assert len(run.journal.lines) == lines
    run.runner.answer(None, {"type": "proceed"})
    assert run.run().status == "finished"


def test_other_branches_go_on_while_one_waits():
    async def scenario():
        run = Trial(draw("s>q q>j s>w w>x x>j", q=ASK, w={"type": "sleep", "config": {"value": 5}}))
        task = asyncio.ensure_future(run.go())
        await turns()
        assert run.condition.open_requests()
        run.clock.advance(5)
        await turns()
        assert run.order == "s w x"
        assert task.done()
        return run

    assert asyncio.run(scenario()).status == "paused"


def test_an_answer_is_taken_while_other_branches_still_run():
    async def scenario():
        run = Trial(draw("s>q q>x s>w", q=ASK, w={"type": "sleep", "config": {"value": 5}}))
        task = asyncio.ensure_future(run.go())
        await turns()
        run.answer("now")
        await turns()
        assert run.order == "s q x"
        run.clock.advance(5)
        await asyncio.wait_for(task, 5)
        return run

    run = asyncio.run(scenario())
    assert run.status == "finished"
    assert "run_paused" not in [event.kind for event in run.events]


def test_an_answer_that_comes_while_the_pause_is_brought_to_disk_goes_on_at_once():
    run = Trial(draw("s>q q>x", q=ASK))

    async def answered_meanwhile():
        if run.status == "paused" and run.requests:
            run.answer("now")

    run.journal.sync_async = answered_meanwhile
    run.run()

    assert run.status == "finished"
    assert run.condition.top.result() == "now"


def test_a_stop_while_it_waits_leaves_the_question_open():
    async def scenario():
        run = Trial(draw("s>q q>x s>w", q=ASK, w={"type": "sleep", "config": {"value": 5}}))
        task = asyncio.ensure_future(run.go())
        await turns()
        run.runner.stop()
        await asyncio.wait_for(task, 5)
        assert run.status == "stopped"
        again = run.again()
        again.answer("later")
        again.resume()
        task = asyncio.ensure_future(again.go())
        await turns()
        again.clock.advance(5)
        await asyncio.wait_for(task, 5)
        return again

    run = asyncio.run(scenario())
    assert run.status == "finished"
    assert run.condition.top.result() == {"x": "later", "w": "w"}


def test_a_paused_run_is_not_resumed_without_an_answer(tmp_path):
    session = RunSession.start(workplace(tmp_path, registry_with()), draw("s>q", q=ASK), {})
    asyncio.run(drive(session))

    with pytest.raises(RunError, match="waits for an answer"):
        session.resume()


def test_a_pause_inside_an_iteration_leaves_other_items_running():
    flow = draw(
        "s>box box>x c.true>q c.false>o q>e o>e",
        box={"type": "iteration", "config": {"items": [1, 2, 3], "concurrency": 2}},
        c={"type": "condition", "parent": "box", "config": {"expression": "iteration.item == 1"}},
        q={**ASK, "parent": "box"},
        o={"type": "give", "parent": "box", "config": {"value": "{{ $iteration.item }}"}},
        e={"type": "probe", "parent": "box"},
    )
    run = Trial(flow).run()
    assert run.status == "paused"
    assert run.outputs("e") == [2, 3]
    assert run.report["requests"][0]["path"] == "box#0"

    run = run.again()
    run.answer("one")
    run = run.again().run()

    assert run.status == "finished"
    assert run.condition.top.result() == ["one", 2, 3]


def test_a_pause_inside_a_nested_flow_is_asked_by_the_parent_and_answered_once(tmp_path):
    child = draw("s>p s>q p>j q>j", p=ASK, q=ASK).model_copy(update={"id": "inner"})
    parent = draw("s>r r>x", r={"type": "execute_flow", "config": {"flow": "inner"}})
    place = workplace(tmp_path, registry_with(), inner=child)
    session = asyncio.run(drive(RunSession.start(place, parent, {}, run_id="parent")))
    assert session.condition.status == "paused"
    assert sorted(prompts(session).values()) == ["p#1: None", "q#1: None"]

    for beginning in ("q", "p"):
        session = RunSession.open(place, "parent")
        [key] = [k for k, prompt in prompts(session).items() if prompt.startswith(beginning)]
        session.runner.answer(key, {"text": beginning.upper()})
        with pytest.raises(RunError, match="was answered already"):
            session.runner.answer(key, {"text": "again"})
        asyncio.run(drive(session))

    assert session.condition.status == "finished"
    assert session.condition.top.result() == {"p": "P", "q": "Q"}
    assert len(list(place.places.runs.iterdir())) == 2


def test_a_run_keeps_its_own_document_when_the_flow_is_edited(tmp_path):
    inner = draw("s>q q>old", q=ASK).model_copy(update={"id": "inner"})
    edited = draw("s>new").model_copy(update={"id": "inner"})
    parent = draw("s>r r>x", r={"type": "execute_flow", "config": {"flow": "inner"}})
    place = workplace(tmp_path, registry_with(), inner=inner)
    asyncio.run(drive(RunSession.start(place, parent, {}, run_id="parent")))

    place = workplace(tmp_path, registry_with(), inner=edited)
    session = RunSession.open(place, "parent")
    session.runner.answer(None, {"text": "kept"})
    asyncio.run(drive(session))

    assert session.condition.status == "finished"
    assert session.condition.top.result() == "kept"
    assert session.condition.plan.flow == parent
