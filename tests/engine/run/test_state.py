from __future__ import annotations

import asyncio

import pytest

from engine.flow.document import Variable
from engine.node_type import Change, Output, Outputs, Route
from tests.engine.run.fakes import draw, registry_with
from tests.engine.run.trial import Trial, told, turns


def variable(reducer, default=None, kind="any"):
    return Variable(name="q", default=default, reducer=reducer, type=kind)


def saving(*values):
    """A node that gives these values in turn, and a flow that saves each in `q`."""
    nodes = {f"n{i}": _saves(value) for i, value in enumerate(values)}
    edges = " ".join(f"{'s' if not i else f'n{i - 1}'}>n{i}" for i in range(len(values)))
    return edges, nodes


def _saves(value):
    return {"type": "give", "config": {"value": value}, "save_as": "q"}


@pytest.mark.parametrize(
    ("reducer", "default", "values", "result"),
    [
        ("replace", 5, [1, None, 0], 0),
        ("append", [], [1, [2], None], [1, [2], None]),
        ("append", None, [1], [1]),
        ("extend", [0], [[1], [], [2, 3]], [0, 1, 2, 3]),
        ("add", 1, [2, 0.5], 3.5),
        ("add", "a", ["b", "c"], "abc"),
        ("add", [1], [2, [3]], [1, 2, 3]),
        ("merge", {"a": 1}, [{"b": 2}, {"a": 3}], {"a": 3, "b": 2}),
        ("min", 5, [7, 3, 4], 3),
        ("max", None, [-1, -5], -1),
        ("union", [1], [[1, True, 2], 2, "2"], [1, True, 2, "2"]),
    ],
)
def test_each_reducer_joins_what_is_there(reducer, default, values, result):
    edges, nodes = saving(*values)
    run = Trial(draw(edges, variables=(variable(reducer, default),), **nodes)).run()

    assert run.status == "finished", run.error
    assert run.report["context"]["q"] == result
    assert run.again().report["context"]["q"] == result


def test_parallel_appends_lose_nothing_and_stand_in_the_order_of_their_ends():
    names = [f"w{i}" for i in range(10)]

    async def late(node, step):
        await step.sleep(node.value)
        return Output(step.node_id)

    flow = draw(
        " ".join(f"s>{n}" for n in names),
        variables=(variable("append", []),),
        settings={"max_concurrency": 20},
        **{n: {"type": "late", "config": {"value": 10 - i}, "save_as": "q"}
           for i, n in enumerate(names)},
    )  # fmt: skip
    run = Trial(flow, registry_with(late=late))

    async def scenario():
        task = asyncio.ensure_future(run.go())
        for _ in range(10):
            await turns(20)
            run.clock.advance(1)
        await asyncio.wait_for(task, 5)

    asyncio.run(scenario())

    assert run.report["context"]["q"] == names[::-1]
    assert run.again().report["context"]["q"] == names[::-1]


def test_a_change_that_fails_changes_nothing():
    async def both(_node, _step):
        return Output(1, updates={"a": 1, "q": "no number"})

    flow = draw(
        "s>n",
        variables=(Variable(name="a", default=0), variable("add", 1)),
        n={"type": "both"},
    )
    run = Trial(flow, registry_with(both=both)).run()

    assert run.status == "error"
    assert run.report["context"] == {"a": 0, "q": 1}


def test_a_failed_step_leaves_growing_lists_as_they_were():
    async def appends(_node, step):
        return Output(step.visit, updates={"q": step.visit})

    flow = draw(
        "s>n n>x",
        variables=(variable("append", ["first"]),),
        edge_data={"n>x": {"condition": "output > 1 or nothing_there"}},
        n={"type": "appends"},
    )
    run = Trial(flow, registry_with(appends=appends)).run()
    assert run.status == "error"

    assert run.report["context"]["q"] == ["first"]
    again = run.again()
    assert again.report["context"]["q"] == ["first"]
    assert told(again.condition) == told(run.condition)


def test_a_view_that_a_step_took_does_not_change_under_it():
    seen = []

    async def looks(_node, step):
        view = step.state
        before = (dict(view["context"]), list(view["messages"]), dict(view["loop_states"]))
        await step.sleep(1)
        seen.append(before == (dict(view["context"]), list(view["messages"]),
                               dict(view["loop_states"])))  # fmt: skip
        return Output(1)

    flow = draw(
        "s>look s>n n>r r>h h.exit_loop>x",
        variables=(variable("append", []),),
        look={"type": "looks"},
        n=_saves(1),
        r={"type": "direct_reply", "config": {"template": "hello"}},
        h={"type": "loop_condition", "config": {"condition": "False"}},
    )
    run = Trial(flow, registry_with(looks=looks))

    async def scenario():
        task = asyncio.ensure_future(run.go())
        await turns()
        assert run.order == "s n r h x"
        run.clock.advance(1)
        await asyncio.wait_for(task, 5)

    asyncio.run(scenario())
    assert seen == [True]


def test_versions_of_the_state_share_and_do_not_leak():
    edges, nodes = saving(1, 2, 3)
    versions = []
    run = Trial(
        draw(edges, variables=(variable("append", []),), **nodes),
        observer=lambda _: versions.append(run.condition.state.context["q"]),
    )
    run.run()

    assert [list(version) for version in versions] == [[], [1], [1, 2], [1, 2, 3], [1, 2, 3]]


def test_updates_are_visible_to_the_conditions_of_edges():
    flow = draw(
        "s>n n>a n>b",
        variables=(variable("add", 1),),
        edge_data={"n>a": {"condition": "context.q == 3"}, "n>b": {"condition": "context.q == 1"}},
        n=_saves(2),
    )

    assert Trial(flow).run().order == "s n a"


@pytest.mark.parametrize(
    "condition",
    [
        "loop_states.h.current_index == loop_count",
        "loop_state.current_item == loop_count + 1",
        "state.loop_states.h.loop_count == loop_count",
        "route_decision == 'continue_loop'",
    ],
)
def test_the_decision_of_a_loop_is_visible_to_the_conditions_of_its_edges(condition):
    flow = draw(
        "s>h h.continue_loop>b b>>h h.exit_loop>x",
        edge_data={"h>b": {"condition": condition}},
        h=each("[1, 2]"),
    )
    run = Trial(flow).run()

    assert (run.status, run.order) == ("finished", "s h b h b h x")


def each(items, **config):
    return {"type": "loop_condition",
            "config": {"conditionType": "forEach", "listVariable": items, **config}}  # fmt: skip


def test_an_inner_loop_begins_afresh_at_each_entry_and_the_outer_one_goes_on():
    flow = draw(
        "s>h h.continue_loop>i i.continue_loop>b b>>i i.exit_loop>>h h.exit_loop>x",
        h=each("['a', 'b', 'c']"),
        i=each("range(2)"),
        b={
            "type": "give",
            "config": {"value": "{{ loop_states.h.current_item }}{{ loop.item }}{{ $loopCount }}"},
        },
    )
    run = Trial(flow).run()

    assert run.outputs("b") == ["a00", "a11", "b00", "b11", "c00", "c11"]
    assert [out["count"] for out in run.outputs("i")] == [0, 1, 2] * 3
    assert [out["count"] for out in run.outputs("h")] == [0, 1, 2, 3]


def test_the_loop_state_of_strands_that_go_round_at_once_does_not_mix():
    flow = draw(
        "s>g g>h h.continue_loop>b b>>h h.exit_loop>x",
        g={"type": "split", "config": {"items": [["a", "b"], ["c", "d", "e"], []]}},
        h={**each("input if loop_count == 0 else []"), "concurrency": 3},
        b={"type": "late", "concurrency": 3},
    )

    async def late(_node, step):
        item = step.loop.state.get("current_item") or step.evaluate("loop_state.current_item")
        await step.sleep(1 if item in "ab" else 2)
        return Output(item)

    run = Trial(flow, registry_with(late=late))

    async def scenario():
        task = asyncio.ensure_future(run.go())
        for _ in range(12):
            await turns(30)
            run.clock.advance(1)
        await asyncio.wait_for(task, 5)

    asyncio.run(scenario())

    assert run.status == "finished", run.error
    assert sorted(run.outputs("b")) == ["a", "b", "c", "d", "e"]
    assert sorted(out["count"] for out in run.outputs("x")) == [0, 2, 3]


def test_the_history_of_routes_is_kept_in_order():
    async def goes(_node, step):
        return Route(f"r{step.visit}", step.visit)

    flow = draw("s>a a.r1>b b.r1>c", a={"type": "goes"}, b={"type": "goes"})
    run = Trial(flow, registry_with(goes=goes)).run()

    assert list(run.condition.state.route_history) == ["r1", "r1"]
    assert run.condition.state.route_decision == "r1"


def test_a_message_with_the_id_of_another_takes_its_place():
    async def says(_node, _step):
        texts = [("1", "a"), ("2", "b"), ("1", "c"), (None, "d"), (None, "d")]
        made = [{"role": "user", "content": text} | ({"id": key} if key else {})
                for key, text in texts]  # fmt: skip
        return Output(1, changes=[Change("messages", "", "append", each) for each in made])

    run = Trial(draw("s>a", a={"type": "says"}), registry_with(says=says)).run()

    assert [m["content"] for m in run.report["messages"]] == ["c", "b", "d", "d"]
    assert run.again().report["messages"] == run.report["messages"]


def test_other_parts_of_the_state_join_in_their_own_way():
    async def writes(_node, step):
        number = step.visit
        changes = [
            Change("todos", "", "", [{"id": 1, "done": number > 1}, {"id": number + 1}]),
            Change("task_states", "t", "merge", {f"k{number}": number}),
            Change("task_results", "", "append", number),
            Change("parallel_results", "", "append", number),
            Change("node_contexts", "n", "merge", {"last": number}),
        ]
        return Output(number, changes=changes)

    flow = draw("s>g g>a", g={"type": "split", "config": {"items": [0, 0]}}, a={"type": "writes"})
    run = Trial(flow, registry_with(writes=writes)).run()

    for state in (run.condition.state, run.again().condition.state):
        assert list(state.todos) == [{"id": 1, "done": True}, {"id": 2}, {"id": 3}]
        assert state.task_states == {"t": {"k1": 1, "k2": 2}}
        assert list(state.task_results) == list(state.parallel_results) == [1, 2]
        assert state.node_contexts == {"n": {"last": 2}}


def test_save_as_takes_every_output_of_a_step_with_several():
    async def three(_node, _step):
        return Outputs([1, 2, 3])

    flow = draw("s>a", variables=(variable("append", []),), a={"type": "three", "save_as": "q"})

    assert Trial(flow, registry_with(three=three)).run().report["context"]["q"] == [1, 2, 3]
