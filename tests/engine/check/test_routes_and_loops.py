from __future__ import annotations

from engine.flow.document import ErrorPolicy
from tests.engine.check.drawing import begun, codes, edge, node, only, problems


def with_on_error(policy, *ways):
    return begun(node("a", on_error=ErrorPolicy(policy=policy)), node("b"), "s > a", *ways)


def test_a_condition_without_an_edge_for_no_is_warned_about():
    document = begun(node("c", "condition", label="Big?"), node("x"), "s > c", "c > x : true")
    found = only(document, "missing-route")

    assert found.severity == "warning"
    assert "'Big?'" in found.message
    assert "'No'" in found.message
    assert "ends there" in found.message


def test_a_missing_way_that_another_one_stands_in_for_says_so():
    document = begun(node("c", "condition"), node("x"), "s > c", "c > x : false")

    assert "goes on along 'false' instead" in only(document, "missing-route").message


def test_a_condition_with_a_plain_edge_lacks_nothing():
    assert codes(begun(node("c", "condition"), node("x"), "s > c > x")) == []


def test_every_way_out_of_a_router_needs_an_edge():
    routes = [{"id": k, "condition": "loop_count > 1"} for k in ("one", "two")]
    router = node("r", "router", config={"routes": routes})
    whole = begun(router, node("x"), "s > r", "r > x : one", "r > x : two", "r > x : default")

    assert codes(whole) == []
    assert (
        "'two'" in only(begun(router, node("x"), "s > r", "r > x : one"), "missing-route").message
    )


def test_options_of_a_question_are_ways_out():
    ask = node(
        "q", "human_input", config={"prompt": "?", "mode": "choose", "options": ["Red", "Blue"]}
    )

    assert "'Blue'" in only(begun(ask, node("x"), "s > q", "q > x : Red"), "missing-route").message


def test_a_key_that_the_node_does_not_offer_is_mended_by_the_nearest():
    document = begun(node("c", "condition"), node("x"), "s > c", "c > x : true", "c > x : flase")
    found = only(document, "unknown-route")

    assert found.edge == "c-x-flase"
    assert found.hint == "Did you mean 'false'?"
    assert codes(found.fix.apply(document)) == []


def test_a_key_on_an_edge_of_a_node_that_chooses_nothing_can_be_removed():
    document = begun(node("a"), node("b"), "s > a", "a > b : true")
    found = only(document, "unknown-route")

    assert "changes nothing" in found.message
    assert codes(found.fix.apply(document)) == []


def test_the_key_default_stands_in_for_any_route():
    document = begun(node("c", "condition"), node("x"), "s > c", "c > x : default")

    assert codes(document) == []


def test_errors_that_should_branch_off_need_an_edge():
    document = with_on_error("branch", "a > b")
    found = only(document, "missing-error-route")

    assert (found.severity, found.node) == ("error", "a")
    assert codes(found.fix.apply(document)) == []
    assert codes(with_on_error("branch", "a > b : error")) == []


def test_an_edge_for_errors_of_a_node_that_lets_none_out_is_never_taken():
    document = with_on_error("stop", "a > b : error", "a > b")
    found = only(document, "unknown-route")

    assert "never taken" in found.message
    assert codes(found.fix.apply(document)) == []


def test_a_flow_whose_errors_branch_off_is_warned_about_once():
    document = begun(node("a"), node("b"), "s > a > b", settings={"on_error": "branch"})

    assert only(document, "missing-error-route").severity == "warning"


def test_the_ways_out_of_a_broken_configuration_are_not_judged():
    document = begun(node("r", "router", config={}), node("x"), "s > r", "r > x : big")

    assert codes(document) == ["missing-field"]


# ---- loops ---------------------------------------------------------------------------------


def test_a_loop_in_which_every_way_leads_back_never_ends():
    document = begun(node("a"), node("b"), "s > a > b > a")
    found = only(document, "loop-without-exit")

    assert (found.severity, found.node) == ("error", "a")


def test_a_decision_whose_two_ways_both_go_back_is_no_exit():
    document = begun(
        node("a"), node("c", "condition"), node("b"),
        "s > a > c", "c > a : true", "c > b : false", "b > a",
    )  # fmt: skip

    assert only(document, "loop-without-exit").node == "a"


def test_an_outer_loop_without_exit_is_found_behind_an_inner_one_with():
    document = begun(
        node("h"), node("i", "loop_condition"), node("b"), node("o"),
        "s > h > i", "i > b : continue_loop", "b > i", "i > o : exit_loop", "o > h",
    )  # fmt: skip

    assert only(document, "loop-without-exit").node == "h"


def test_loops_with_a_way_out_are_no_problem():
    by_repeat = begun(
        node("h", "loop_condition"), node("b"), node("x"),
        "s > h", "h > b : continue_loop", edge("b", "h", edge_type="loop_back"),
        "h > x : exit_loop",
    )  # fmt: skip
    by_condition = begun(
        node("a"), node("c", "condition"), node("x"),
        "s > a > c", edge("c", "a", "true", edge_type="loop_back"), "c > x : false",
    )  # fmt: skip
    by_edge = begun(node("a"), "s > a", edge("a", "a", condition="loop_count < 3"))
    by_error = begun(
        node("a", on_error=ErrorPolicy(policy="branch")), node("w"), node("x"),
        "s > a", "a > w : error", edge("w", "a", edge_type="loop_back"), "a > x",
    )  # fmt: skip
    by_stop = begun(node("a"), node("b"), node("end", "stop"), "s > a > b > a", "b > end")

    for document in (by_repeat, by_condition, by_edge, by_error, by_stop):
        assert "loop-without-exit" not in codes(document)
    assert codes(by_repeat) == []
    assert codes(by_condition) == []


def test_a_repeat_node_whose_way_never_comes_back_repeats_nothing():
    document = begun(
        node("h", "loop_condition"), node("b"), node("x"),
        "s > h", "h > b : continue_loop", "h > x : exit_loop",
    )  # fmt: skip

    assert only(document, "loop-without-way-back").node == "h"


def test_a_go_back_node_may_go_back_through_others():
    document = begun(
        node("a"), node("g", "loop"), node("w"), node("x"),
        "s > a > g", "g > w : loop_back", edge("w", "a", edge_type="loop_back"), "g > x : done",
    )  # fmt: skip

    assert codes(document) == []


def test_a_go_back_node_with_a_forward_edge_goes_nowhere():
    document = begun(node("g", "loop"), node("x"), "s > g", "g > x : loop_back", "g > x : done")

    assert only(document, "loop-without-way-back").node == "g"


def test_a_marked_edge_that_closes_nothing_can_be_unmarked():
    document = begun(node("a"), edge("s", "a", edge_type="loop_back"))
    found = only(document, "marked-edge-closes-nothing")

    assert found.severity == "warning"
    assert codes(found.fix.apply(document)) == []


def test_an_edge_that_goes_back_unmarked_is_good_to_know():
    document = begun(node("c", "condition"), node("x"), "s > c", "c > c : true", "c > x : false")
    found = only(document, "unmarked-back-edge")

    assert (found.severity, found.edge) == ("info", "c-c-true")
    assert codes(found.fix.apply(document)) == []


def test_a_loop_entered_in_two_places_is_warned_about_until_an_edge_is_marked():
    document = begun(
        node("c", "condition"), node("a"), node("b", "condition"), node("x"),
        "s > c", "c > a : true", "c > b : false", "a > b", "b > a : true", "b > x : false",
    )  # fmt: skip
    found = only(document, "loop-entered-twice")

    assert "'a' and 'b'" in found.message
    assert "loop-entered-twice" not in codes(found.fix.apply(document))


def test_a_circle_that_nothing_enters_is_not_entered_twice():
    document = begun(node("a"), node("x"), node("y"), "s > a", "x > y > x")

    assert problems(document, "loop-entered-twice") == []
