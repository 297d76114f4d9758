from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given

from tests.engine.run.blocks import (
    Aside,
    Choice,
    Exit,
    ForEach,
    Fork,
    Leaf,
    Repeat,
    Spread,
    Step,
    While,
    blocks_in,
)
from tests.engine.run.drawing import flow_of
from tests.engine.run.lineage import picked, result_of
from tests.engine.run.oracle import TooLarge, expected_of
from tests.engine.run.sketch import visits
from tests.engine.run.smaller import is_sound, smallest
from tests.engine.run.structured import random_tree, trees

A, B, C = Step("a"), Step("b"), Step("c")


def told(tree):
    """Each step as `node(inputs)`, in the order of the model."""
    return [
        f"{visit.node_id}({','.join(_short(value) for value in visit.inputs.values())})"
        for visit in expected_of(tree).visits
    ]


def _short(value):
    if isinstance(value, list):
        return "[" + " ".join(_short(each) for each in value) + "]"
    return value["from"].split("(")[0] + value["from"][-2:].replace("))", "").replace("()", "")


def counts(*tree):
    return Counter(visit.node_id for visit in expected_of(tree).visits)


def inputs_of(tree, node):
    return [
        {source: _from(value) for source, value in visit.inputs.items()}
        for visit in expected_of(tree).visits
        if visit.node_id == node
    ]


def _from(value):
    return [_from(each) for each in value] if isinstance(value, list) else value["from"]


def test_a_sequence_hands_each_value_on():
    assert inputs_of((A, B), "z") == [{"b": "b(a(s()))"}]


def test_the_ends_of_a_flow_are_the_values_that_nobody_receives():
    tree = (Step("a", leaf=Leaf((B,))), C)

    ends = expected_of(tree).ends

    assert [end["from"] for end in ends] == ["b(a(s()))", "z(c(a(s())))"]


@pytest.mark.parametrize(("routes", "came"), [(("t", "f"), "a"), (("f", "t"), "c")])
def test_a_choice_runs_one_branch_and_an_empty_one_is_an_edge(routes, came):
    tree = (Choice("c", "item", routes, (("t", (A,)), ("f", ()))),)

    [inputs] = inputs_of(tree, "z")

    assert list(inputs) == [came]


def test_what_stands_behind_a_fork_runs_once_with_all_branches():
    tree = (Fork("f", ((A,), (B, C), ())), Step("j"))

    assert inputs_of(tree, "j") == [{"a": "a(f(s()))", "c": "c(b(f(s())))", "f": "f(s())"}]


def test_a_while_loop_decides_once_more_than_its_body_runs():
    assert counts(While("h", ("go", "go", "stop"), (A,))) == visits("s h*3 a*2 z")


def test_a_repeat_loop_runs_its_body_before_it_decides():
    assert counts(Repeat("r", ("go", "go", "stop"), (A,))) == visits("s (a r)*3 z")
    assert counts(Repeat("r", ("stop",), (A,))) == visits("s a r z")


def test_a_repeat_loop_without_a_body_is_an_edge_to_itself():
    tree = (Repeat("r", ("go", "stop"), ()),)

    edges = [(edge.source, edge.target) for edge in flow_of(tree).edges]

    assert edges == [("s", "r"), ("r", "r"), ("r", "z")]
    assert inputs_of(tree, "r") == [{"s": "s()"}, {"r": "r(s())"}]


def test_an_inner_loop_counts_from_nothing_each_time():
    tree = (While("h", ("go", "go", "stop"), (While("i", ("go", "stop"), (A,)),)),)

    assert counts(*tree) == visits("s h*3 i*4 a*2 z")


def test_loops_with_one_header_share_one_count():
    inner = Repeat("i", ("go", "stop"), (A,))

    tree = (Repeat("o", ("go", "go", "go", "stop"), (inner, B)),)

    # Rounds 0 and 1 are the inner loop's; it stops in 1, 2 and 3, and the outer one in 3.
    assert [step.split("(")[0] for step in told(tree)] == list("saiaiboaiboaiboz")


def test_a_break_leaves_the_innermost_loop():
    inner = While(
        "i", ("go", "go", "go", "stop"), (Exit("x", "break", "round", ("stay", "break")), A)
    )

    tree = (While("h", ("go", "go", "stop"), (inner, B)),)

    assert counts(*tree) == visits("s h*3 i*4 x*4 a*2 b*2 z")
    assert inputs_of((inner,), "z")[0].keys() == {"x"}


def test_a_break_passes_by_what_runs_when_the_loop_stops():
    breaks = Exit("x", "break", "round", ("stay", "break"))

    def loop(*rounds):
        return While("h", (*rounds, "stop"), (breaks,), then=(A,))

    assert inputs_of((loop("go"),), "z") == [{"a": "a(h(x(h(s()))))"}]
    assert [list(inputs) for inputs in inputs_of((loop("go", "go"),), "z")] == [["x"]]


def test_a_round_can_begin_anew_from_its_middle():
    again = Exit("x", "again", "round", ("again", "stay"))

    assert counts(While("h", ("go", "go", "stop"), (again, A))) == visits("s h*3 x*2 a z")
    assert counts(Repeat("r", ("go", "stop"), (again, A))) == visits("s x*2 a r z")


def test_a_part_that_hangs_off_a_loop_runs_once_for_each_visit():
    leaf = Leaf((Fork("f", ((B,), (C,))), Step("j")))

    tree = (While("h", ("go", "go", "stop"), (Step("a", leaf=leaf),)),)

    assert counts(*tree) == visits("s h*3 (a f b c j)*2 z")
    for inputs in inputs_of(tree, "j"):
        assert inputs["b"].removeprefix("b") == inputs["c"].removeprefix("c")


def test_branches_that_never_come_back_meet_once_in_each_round():
    aside = Aside("a", "round", ("t", "f"), (("t", (B,)), ("f", (C,))), (Step("j"),))

    tree = (While("h", ("go", "go", "go", "stop"), (aside,)),)

    assert [list(inputs) for inputs in inputs_of(tree, "j")] == [["b"], ["c"], ["c"]]
    assert counts(*tree) == visits("s h*4 (a j)*3 b c*2 z")


def test_all_that_follows_a_split_runs_for_each_value():
    assert counts(Spread("g", "item", (3,)), A) == visits("s g a*3 z*3")
    assert counts(Spread("g", "item", (0,)), A) == visits("s g")


def test_a_value_from_before_a_split_serves_each_item():
    tree = (Fork("f", ((Spread("g", "item", (2,)), A), (B,))),)

    assert inputs_of(tree, "z") == [
        {"a": f"a(g(f(s()))#{item})", "b": "b(f(s()))"} for item in range(2)
    ]


def test_a_join_runs_without_a_split_that_gave_nothing():
    tree = (Fork("f", ((Spread("g", "item", (0,)), A), (B,))),)

    assert inputs_of(tree, "z") == [{"b": "b(f(s()))"}]


def test_an_inner_split_that_gives_nothing_silences_its_own_item_only():
    inner = (Spread("g", "item", (2,)), Fork("i", ((Spread("k", "item", (0, 1)),), (B,))))

    tree = (Fork("f", (inner, (C,))),)

    assert sorted(sorted(inputs) for inputs in inputs_of(tree, "z")) == [
        ["b", "c"],
        ["b", "c", "k"],
    ]


def test_collecting_takes_all_items_in_order():
    tree = (ForEach("g", "item", (3,), (A,), "k"), B)

    assert inputs_of(tree, "k") == [{"a": [f"a(g(s())#{item})" for item in range(3)]}]
    assert counts(*tree) == visits("s g a*3 k b z")


def test_nothing_is_collected_from_nothing():
    assert counts(ForEach("g", "item", (0,), (A,), "k"), B) == visits("s g")


def test_items_go_round_a_loop_each_for_itself():
    tree = (Spread("g", "item", (2,)), While("h", ("go", "stop"), (A,)))

    assert counts(*tree) == visits("s g h*4 a*2 z*2")


def test_a_split_in_a_loop_multiplies_in_each_round():
    tree = (While("h", ("go", "go", "stop"), (Spread("g", "round", (2, 3)),)),)

    assert counts(*tree) == visits("s h g h*2 g*2 h*6 z*6")


def test_a_flow_that_is_too_long_is_refused():
    tree = (Spread("g", "item", (4,)), Spread("h", "item", (1, 1)), A)

    with pytest.raises(TooLarge):
        expected_of(tree, most_steps=9)


def test_a_table_is_read_by_round_item_or_value():
    inputs = {"a": {"from": "a()", "item": 4}}

    assert [picked("xyz", "round", number, inputs) for number in range(5)] == list("xyzzz")
    assert picked("xyz", "item", 0, inputs) == "y"
    assert {picked("xyz", "value", number, inputs) for number in range(5)} < set("xyz")


def test_long_descents_stay_apart_though_they_are_shortened():
    short = {"from": "a()", "item": 0}
    longer = [{"from": f"{'b' * 80}{end}", "item": 0} for end in "xy"]

    first, second = (result_of("n", {"a": short, "b": value}) for value in longer)

    assert first != second
    assert len(first["from"]) < 20


def test_one_seed_gives_one_tree():
    assert random_tree(random.Random(7)) == random_tree(random.Random(7))


def test_random_trees_hold_every_kind_of_block():
    found = {
        type(each) for seed in range(60) for each in blocks_in(random_tree(random.Random(seed)))
    }

    assert found == {Step, Choice, Aside, Fork, While, Repeat, Exit, Spread, ForEach}


@given(trees())
def test_a_random_tree_is_sound_and_its_document_holds_its_nodes_once(tree):
    flow = flow_of(tree)

    assert is_sound(tree)
    assert len(flow.nodes) == 2 + sum(
        2 if isinstance(block, ForEach) else 1 for block in blocks_in(tree)
    )


@given(trees())
def test_every_input_is_an_output_of_its_source_over_an_edge(tree):
    try:
        steps = expected_of(tree, 300).visits
    except TooLarge:
        return
    edges = {(edge.source, edge.target) for edge in flow_of(tree).edges}
    given_by: dict[str, list[object]] = {}
    for step in steps:
        values = step.output if isinstance(step.output, list) else [step.output]
        given_by.setdefault(step.node_id, []).extend(values)

    for step in steps:
        for source, value in step.inputs.items():
            assert (source, step.node_id) in edges
            for each in value if isinstance(value, list) else [value]:
                assert each in given_by[source]


def test_the_smallest_failing_tree_keeps_what_makes_it_fail():
    tree = random_tree(random.Random(5), deepest=4, most_nodes=60)

    def fails(candidate):
        return any(isinstance(block, Fork) for block in blocks_in(candidate))

    assert fails(tree)
    assert [type(block) for block in blocks_in(smallest(tree, fails))] == [Fork]
