from __future__ import annotations

from engine.flow.document import Flow
from tests.engine.check.drawing import begun, codes, edge, flow, node, only, problems


def test_a_small_whole_flow_has_no_problems():
    assert problems(begun(node("a"), node("b"), "s > a > b")) == []


def test_an_empty_flow_has_no_start():
    found = only(Flow(id="f"), "no-start")

    assert found.severity == "error"
    assert [n.type for n in found.fix.apply(Flow(id="f")).nodes] == ["start"]


def test_a_flow_that_only_goes_round_cannot_begin():
    document = flow(node("a"), node("b", "condition"), "a > b", "b > a : true", "b > a : false")

    assert only(document, "no-start").severity == "error"
    assert "unreachable" not in codes(document)


def test_a_flow_that_begins_without_a_start_node_is_warned_about():
    document = flow(node("a", label="First"), node("b"), "a > b")
    found = only(document, "no-start")

    assert found.severity == "warning"
    assert "'First'" in found.message
    assert codes(found.fix.apply(document)) == []


def test_a_second_start_node_is_an_error_and_can_be_merged():
    document = begun(node("t", "start", config={}), node("a"), "s > a", "t > a")
    found = only(document, "two-starts")

    assert (found.node, found.severity) == ("t", "error")
    assert "two-starts" not in codes(found.fix.apply(document))


def test_a_second_start_node_with_a_form_of_its_own_is_not_merged_away():
    form = {"input_mode": "form", "form_fields": [{"name": "x"}]}
    document = begun(node("t", "start", config=form), node("a"), "s > a", "t > a")

    assert only(document, "two-starts").fix is None


def test_a_node_without_edges_is_isolated():
    document = begun(node("a"), node("lone", label="Lonely"), "s > a")
    found = only(document, "isolated")

    assert found.node == "lone"
    assert "'Lonely'" in found.message


def test_a_node_alone_in_a_box_is_not_isolated():
    document = begun(node("box", "iteration"), node("in", parent="box"), "s > box")

    assert codes(document) == []


def test_a_circle_that_nothing_leads_to_is_unreachable():
    document = begun(node("a"), node("x"), node("y"), "s > a", "x > y > x")

    assert [p.node for p in problems(document, "unreachable")] == ["x", "y"]


def test_an_edge_across_the_border_of_a_box_is_an_error():
    document = begun(
        node("box", "iteration", label="Each"), node("in", parent="box"), node("a"),
        "s > box", "s > a", edge("in", "a", id="out"), edge("a", "in", id="into"),
    )  # fmt: skip
    found = problems(document, "crosses-border")

    assert sorted(p.edge for p in found) == ["into", "out"]
    assert all(p.severity == "error" and "'Each'" in p.message for p in found)


def test_an_edge_between_two_boxes_names_a_box_that_it_crosses():
    document = begun(
        node("one", "iteration"), node("two", "iteration"),
        node("a", parent="one"), node("b", parent="two"),
        "s > one > two", edge("a", "b", id="x"),
    )  # fmt: skip

    assert only(document, "crosses-border").edge == "x"


def test_a_box_without_nodes_is_warned_about():
    assert only(begun(node("box", "iteration"), "s > box"), "empty-box").node == "box"


def test_a_box_in_which_nothing_can_begin_is_an_error():
    document = begun(
        node("box", "iteration"), node("a", parent="box"), node("b", parent="box"),
        "s > box", "a > b > a",
    )  # fmt: skip

    assert [p.node for p in problems(document, "no-start")] == ["box"]


def test_a_node_inside_what_is_no_box_can_be_taken_out():
    document = begun(node("a"), node("in", parent="a"), "s > a", "a > in")
    found = only(document, "parent-is-no-box")

    assert found.node == "a"
    assert found.fix.apply(document).node_by_id["in"].parent is None
    assert codes(found.fix.apply(document)) == []


def test_the_same_edge_twice_is_good_to_know():
    document = begun(node("a"), edge("s", "a"), edge("s", "a", id="again"))
    found = only(document, "duplicate-edge")

    assert (found.severity, found.edge) == ("info", "again")
    assert codes(found.fix.apply(document)) == []


def test_two_routes_to_one_node_are_not_the_same_edge():
    document = begun(node("c", "condition"), node("x"), "s > c", "c > x : true", "c > x : false")

    assert codes(document) == []
