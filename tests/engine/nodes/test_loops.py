"""The nodes that go round: Repeat and Go back, each inside a small imitation of a loop."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import NodeError
from engine.node_type import LoopView
from engine.nodes.loop import Loop
from engine.nodes.loop_condition import LoopCondition
from tests.engine.nodes.fake_step import FakeStep, ran


def rounds(config, *, at_header, context=None, limit=50, max_iterations=10):
    """Goes round as the run does: the items of the rounds, how many there were, the exit."""
    state, items, body = {}, [], 0 if at_header else 1
    for visit in range(limit):
        loop = LoopView(round=visit, at_header=at_header, state=state, inside=True)
        step = FakeStep(loop=loop, state={"context": context or {}}, max_iterations=max_iterations)
        route = ran(LoopCondition, config, step)
        for change in route.changes:
            assert (change.entry, change.key, change.op) == ("loop_states", "node", "merge")
            state = {**state, **change.value}
        if route.key == "exit_loop":
            return items, body, route
        items.append(route.value["item"])
        body += 1
    pytest.fail("it never left")


def for_each(expression="context.names", **settings):
    return {"conditionType": "forEach", "listVariable": expression, **settings}


def loop_while(condition, kind="while", **settings):
    return {"conditionType": kind, "condition": condition, **settings}


def test_a_header_with_loop_count_below_three_runs_its_body_three_times():
    assert rounds(loop_while("loop_count < 3"), at_header=True)[1] == 3


def test_a_check_at_the_end_with_loop_count_below_three_runs_it_once_and_three_times():
    assert rounds(loop_while("loop_count < 3"), at_header=False)[1] == 4


def test_do_while_runs_its_body_once_in_any_case():
    assert rounds(loop_while("False", "doWhile"), at_header=True)[1] == 1
    assert rounds(loop_while("False", "doWhile"), at_header=False)[1] == 1
    assert rounds(loop_while("False"), at_header=True)[1] == 0


@given(st.integers(min_value=1, max_value=6), st.sampled_from(["while", "doWhile"]), st.booleans())
def test_there_are_never_more_rounds_than_the_limit(limit, kind, at_header):
    config = loop_while("True", kind, maxIterations=limit)

    _, body, route = rounds(config, at_header=at_header)

    assert body == limit
    assert f"The limit of {limit} round" in route.reason


def test_the_limit_of_the_flow_holds_where_the_node_sets_none():
    assert rounds(loop_while("True"), at_header=True, max_iterations=4)[1] == 4


@given(st.lists(st.sampled_from([0, False, "", [], {}, None, "x"]), max_size=5))
def test_for_each_goes_through_every_item_as_it_is(names):
    items, body, route = rounds(for_each(), at_header=True, context={"names": names})

    assert items == names
    assert [type(item) for item in items] == [type(name) for name in names]
    assert body == len(names)
    assert route.value["count"] == len(names)


def test_for_each_over_nothing_goes_straight_to_the_exit():
    _, body, route = rounds(for_each(), at_header=True, context={"names": []})

    assert body == 0
    assert route.reason == "The list is empty."


def test_for_each_at_the_end_of_a_loop_makes_as_many_rounds_as_items():
    assert rounds(for_each(), at_header=False, context={"names": [1, 2, 3]})[1] == 3


def test_for_each_keeps_the_limit():
    _, body, route = rounds(for_each(maxIterations=2), at_header=True, context={"names": [1, 2, 3]})

    assert body == 2
    assert "limit" in route.reason
    exact = rounds(for_each(maxIterations=3), at_header=True, context={"names": [1, 2, 3]})[2]
    assert exact.reason == "All 3 items are done."


def test_the_items_are_fixed_at_the_first_look_and_kept_once():
    loop = LoopView(round=0, at_header=True, inside=True)
    first = ran(
        LoopCondition, for_each(), FakeStep(loop=loop, state={"context": {"names": [1, 2]}})
    )
    kept = first.changes[0].value
    assert kept == {"loop_count": 0, "current_index": 0, "current_item": 1, "items": [1, 2]}

    loop = LoopView(round=1, at_header=True, state=kept, inside=True)
    second = ran(LoopCondition, for_each(), FakeStep(loop=loop, state={"context": {"names": []}}))

    assert second.value["item"] == 2
    assert second.value["index"] == 1
    assert "items" not in second.changes[0].value


def test_a_record_is_gone_through_by_name_and_value():
    items, _, _ = rounds(for_each(), at_header=True, context={"names": {"a": 0, "b": None}})

    assert items == [{"key": "a", "value": 0}, {"key": "b", "value": None}]


@pytest.mark.parametrize("value", [None, 3, "abc", True])
def test_what_has_no_items_is_an_error_in_words(value):
    with pytest.raises(NodeError, match="Field 'List': a list is needed here"):
        rounds(for_each(), at_header=True, context={"names": value})


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"conditionType": "forEach"}, "List: is missing"),
        ({"conditionType": "while"}, "Condition: is missing"),
        ({"condition": "True", "maxIterations": 0}, "At most: must be at least 1"),
    ],
)
def test_a_loop_that_cannot_know_when_to_leave_is_refused(config, told):
    with pytest.raises(NodeError, match=told):
        ran(LoopCondition, config)


def test_a_fault_in_the_condition_is_an_error_not_an_exit():
    with pytest.raises(NodeError, match="Condition"):
        rounds(loop_while("nothing_there > 1"), at_header=True)


def go_back(config, round_number, **settings):
    view = LoopView(round=round_number, inside=True)
    return ran(Loop, config, FakeStep(loop=view, **settings))


def test_go_back_makes_as_many_rounds_as_its_limit():
    keys = [go_back({"max_iterations": 3}, number).key for number in range(3)]

    assert keys == ["loop_back", "loop_back", "done"]
    assert go_back({"max_iterations": 1}, 0).key == "done"
    assert go_back({"max_iterations": None}, 1, max_iterations=2).key == "done"


def test_at_the_limit_the_fallback_message_is_said():
    route = go_back({"max_iterations": 2, "fallback_message": "Sorry {{ input }}"}, 1)
    assert route.value == {"count": 2, "content": "Sorry "}
    (change,) = route.changes
    assert change.value == {"role": "assistant", "content": "Sorry "}

    silent = go_back({"max_iterations": 2}, 1)
    assert silent.changes == ()
    assert silent.value == {"count": 2, "content": "The limit of 2 rounds is reached."}


def test_going_back_changes_its_variables():
    row = {"variable": "tries", "operation": "add", "value": 1}

    assert [tuple(c) for c in go_back({"updates": [row]}, 0).changes] == [
        ("context", "tries", "add", 1)
    ]
