from __future__ import annotations

import pytest

from engine.flow.document import Variable
from tests.engine.check.drawing import begun, codes, edge, node, only, problems, writes

V = Variable(name="v", type="any", default=0)


def test_two_branches_that_replace_one_variable_are_both_named():
    document = begun(V, writes("a", label="Left"), writes("b", label="Right"), "s > a", "s > b")
    found = only(document, "parallel-writers")

    assert found.severity == "warning"
    assert "'Left'" in found.message
    assert "'Right'" in found.message
    assert "'v'" in found.message


@pytest.mark.parametrize(
    "ways",
    [
        ("s > a > b",),
        ("s > c", "c > a : true", "c > b : false"),
        ("s > c", "c > x : true", "c > b : false", "x > a"),
        # Both branches of a fork meet before the decision.
        ("s > x > j", "s > y > j > c", "c > a : true", "c > b : false"),
        ("s > x", "s > y", "x > a > j", "y > j > b"),
    ],
)
def test_writers_that_exclude_or_follow_each_other_are_no_problem(ways):
    used = {name.strip() for way in ways for name in way.split(":")[0].split(">")}
    parts = [node(n) for n in ("x", "y", "j") if n in used]
    parts += [node("c", "condition")] if "c" in used else []

    assert codes(begun(V, *parts, writes("a"), writes("b"), *ways)) == []


@pytest.mark.parametrize(
    "ways",
    [
        ("s > x > a", "s > y > b"),
        # A decision on one of two branches changes nothing.
        ("s > c", "c > a : true", "c > x : false", "s > b"),
        # Two ways out of one route.
        ("s > c", "c > a : true", "c > b : true", "c > x : false"),
        # The ways meet, but one writer lies before that.
        ("s > x > j > a", "s > y > j", "s > b"),
    ],
)
def test_writers_on_branches_of_one_fork_are_found(ways):
    used = {name.strip() for way in ways for name in way.split(":")[0].split(">")}
    parts = [node(n) for n in ("x", "y", "j") if n in used]
    parts += [node("c", "condition")] if "c" in used else []

    assert codes(begun(V, *parts, writes("a"), writes("b"), *ways)) == ["parallel-writers"]


def test_two_ways_to_begin_are_two_branches():
    document = begun(V, writes("a"), node("t", "wait", config={"seconds": 1}), writes("b"),
                     "s > a", "t > b")  # fmt: skip

    assert codes(document) == ["parallel-writers"]


def test_conditions_on_edges_count_as_either_or():
    document = begun(
        V, writes("a"), writes("b"),
        edge("s", "a", condition="context.v > 1"), edge("s", "b", condition="context.v <= 1"),
    )  # fmt: skip

    assert codes(document) == []


def test_writes_that_are_joined_do_not_get_in_each_others_way():
    appended = begun(V, writes("a", operation="append"), writes("b", operation="append"),
                     "s > a", "s > b")  # fmt: skip
    other = begun(V, writes("a"), writes("b", operation="add"), "s > a", "s > b")

    assert codes(appended) == []
    assert codes(other) == []


def test_results_that_are_saved_follow_the_variables_own_way_of_joining():
    branches = (node("a", save_as="v"), node("b", save_as="v"), "s > a", "s > b")
    listed = Variable(name="v", type="list", default=[], reducer="append")

    assert codes(begun(V, *branches)) == ["parallel-writers"]
    assert codes(begun(listed, *branches)) == []


def test_a_writer_inside_a_box_counts_where_its_box_stands():
    document = begun(
        V, node("box", "iteration"), writes("in", parent="box"), writes("b"), "s > box", "s > b"
    )

    assert only(document, "parallel-writers").node in ("in", "b")


def test_two_writers_inside_one_box_are_judged_there():
    both = (V, node("box", "iteration"), writes("a", parent="box"), writes("b", parent="box"))

    assert codes(begun(*both, "s > box", "a > b")) == []
    assert codes(begun(*both, "s > box")) == ["parallel-writers"]


def test_a_writer_in_a_box_that_works_on_several_items_at_once_is_warned_about():
    box = node("box", "iteration", config={"items": [1, 2], "concurrency": 3})
    document = begun(V, box, writes("in", parent="box"), "s > box")

    assert codes(document) == ["writer-in-parallel-box"]


def test_a_switched_off_writer_writes_nothing():
    document = begun(V, writes("a", disabled=True), writes("b"), "s > a", "s > b")

    assert codes(document) == ["disabled-node"]


def test_hundreds_of_parallel_writers_are_told_of_briefly():
    many = [writes(f"n{i}") for i in range(300)]
    document = begun(V, *many, *(f"s > n{i}" for i in range(300)))

    assert 1 <= len(problems(document, "parallel-writers")) <= 10
