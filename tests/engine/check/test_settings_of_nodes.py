from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.check import check_flow
from engine.check.variables import fits
from engine.errors import NodeError, RunError
from engine.flow.document import ErrorPolicy, Flow, Node, RetryPolicy, Variable
from engine.node_type import Group, NodeMeta, NodeType, Output
from engine.registry import NodeRegistry
from engine.run.variables import fit
from tests.engine.check.drawing import begun, codes, edge, flow, node, only, problems, says
from tests.engine.flow.builders import json_values

# ---- types and configurations --------------------------------------------------------------


def test_an_unknown_type_names_the_nearest():
    found = only(begun(node("a", "wiat"), "s > a"), "unknown-type")

    assert (found.severity, found.node) == ("error", "a")
    assert "'wait'" in found.hint


def test_a_missing_field_is_an_error_unless_an_edge_fills_it():
    missing = begun(node("a"), node("b", config={}), "s > a > b")
    filled = begun(node("a"), node("b", config={}), "s > a", edge("a", "b", target_pin="template"))
    found = only(missing, "missing-field")

    assert (found.node, found.field) == ("b", ("template",))
    assert "'b'" in found.message
    assert codes(filled) == []


def test_a_pin_over_a_border_fills_nothing():
    document = begun(
        node("box", "iteration"), node("in", config={}, parent="box"), "s > box",
        edge("s", "in", target_pin="template"),
    )  # fmt: skip

    assert sorted(codes(document)) == ["crosses-border", "missing-field"]


def test_a_wrong_value_can_go_back_to_its_default():
    box = node("box", "iteration", config={"items": [1], "concurrency": 0})
    document = begun(box, node("in", parent="box"), "s > box")
    found = only(document, "wrong-value")

    assert found.field == ("concurrency",)
    assert codes(found.fix.apply(document)) == []


def test_a_value_that_a_template_gives_is_not_judged():
    box = node("box", "iteration", config={"items": [1], "concurrency": "{{ question }}"})

    assert codes(begun(box, node("in", parent="box"), "s > box")) == []


def test_an_unknown_field_is_warned_about_and_can_be_removed():
    document = begun(node("a", config={"template": "x", "tempalte": "y"}), "s > a")
    found = only(document, "unknown-field")

    assert found.severity == "warning"
    assert codes(found.fix.apply(document)) == []


def test_a_configuration_that_is_nested_without_end_is_an_error_and_nothing_more():
    deep = value = {}
    for _ in range(5_000):
        value["x"] = {}
        value = value["x"]
    document = begun(Node(id="a", type="template", config={"template": deep}), "s > a")

    assert codes(document) == ["too-deep"]


class _Fails(NodeType):
    """Fails when it is asked about its ways out."""

    meta = NodeMeta(type_id="fails", title="Fails", group=Group.DO, icon="x")

    def handles(self):
        raise KeyError("oops")

    async def run(self, step):
        return Output(step)


def test_a_type_that_fails_becomes_a_problem():
    registry = NodeRegistry()
    registry.register(_Fails)

    found = check_flow(begun(node("a", "fails"), "s > a"), registry)

    assert [p.code for p in found] == ["type-failed"]
    assert "oops" in found[0].message


# ---- variables -----------------------------------------------------------------------------


def test_a_first_value_of_another_type_is_an_error():
    document = begun(Variable(name="n", type="number", default=[1]), node("a"), "s > a")
    found = only(document, "default-does-not-fit")

    assert (found.severity, found.node) == ("error", None)
    assert codes(found.fix.apply(document)) == []


def test_a_first_value_that_is_nearly_right_can_be_converted():
    document = begun(Variable(name="n", type="number", default="3"), node("a"), "s > a")
    found = only(document, "default-does-not-fit")

    assert found.severity == "warning"
    assert found.fix.apply(document).variable_by_name["n"].default == 3


@pytest.mark.parametrize("value", [0, False, "", [], {}, None, math.nan, 10**50])
def test_any_first_value_fits_any_type(value):
    assert fits("any", value)


@given(st.sampled_from(["string", "number", "integer", "boolean", "list", "object"]), json_values)
def test_what_fits_as_it_stands_is_taken_by_a_run_too(kind, value):
    if fits(kind, value):
        assert fit(Variable(name="x", type=kind), value) == value
    else:
        variable = Variable(name="x", type=kind, default=value)
        document = begun(variable, node("a"), "s > a")
        found = only(document, "default-does-not-fit")
        assert problems(found.fix.apply(document)) == []
        if found.severity == "warning":
            fit(variable, value)
        else:
            with pytest.raises(NodeError):
                fit(variable, value)


def test_a_way_of_joining_must_go_with_the_type():
    document = begun(Variable(name="n", type="number", reducer="merge"), node("a"), "s > a")
    found = only(document, "reducer-does-not-fit")

    assert codes(found.fix.apply(document)) == []
    fitting = Variable(name="n", type="number", reducer="add")
    assert codes(begun(fitting, node("a"), "s > a")) == []


# ---- pins ----------------------------------------------------------------------------------


def test_a_source_pin_that_cannot_be_read_can_be_taken_off():
    document = begun(node("a"), edge("s", "a", source_pin="a..b"))
    found = only(document, "bad-pin")

    assert (found.edge, found.field) == ("s-a", ("source_pin",))
    assert codes(found.fix.apply(document)) == []


@pytest.mark.parametrize("pin", ["template[", "[0]", "template[*]", "template[-1]", "x[99999]"])
def test_a_target_pin_must_name_a_place(pin):
    assert "bad-pin" in codes(begun(node("a"), edge("s", "a", target_pin=pin)))


def test_two_pins_that_disagree_are_an_error_that_names_both_edges():
    document = begun(
        node("a"), node("b"), node("t", config={"template": "x"}), "s > a", "s > b",
        edge("a", "t", target_pin="values.x"), edge("b", "t", target_pin="values[0]"),
    )  # fmt: skip
    found = only(document, "pins-clash")

    assert "'a'" in found.message
    assert "'b'" in found.message


def test_pins_that_agree_or_never_come_together_do_not_clash():
    agree = begun(
        node("a"), node("b"), node("t"), "s > a", "s > b",
        edge("a", "t", target_pin="values.x"), edge("b", "t", target_pin="values.y"),
    )  # fmt: skip
    apart = begun(
        node("a"), node("b"), node("t", join="any"), "s > a", "s > b",
        edge("a", "t", target_pin="values.x"), edge("b", "t", target_pin="values[0]"),
    )  # fmt: skip

    assert codes(agree) == []
    assert codes(apart) == []


def test_a_pin_to_no_field_is_good_to_know():
    document = begun(node("a"), edge("s", "a", target_pin="tempalte.x"))
    found = only(document, "pin-without-field")

    assert found.severity == "info"
    assert "'template'" in found.hint


# ---- nested flows --------------------------------------------------------------------------


def runs(flow_id, *names, **fields):
    steps = [node(f"n{i}", "execute_flow", config={"flow": n}) for i, n in enumerate(names)]
    begin = Node(id="s", type="start")
    edges = tuple(edge("s", step.id) for step in steps)
    return Flow(id=flow_id, name=flow_id.title(), nodes=(begin, *steps), edges=edges, **fields)


def library(*flows):
    return {each.id: each for each in flows}.get


def test_a_flow_that_runs_itself_is_found_without_a_library():
    for name in ("one", "One"):
        assert only(runs("one", name), "calls-itself").severity == "error"


def test_a_flow_that_runs_itself_through_others_names_the_way():
    one, two, three = runs("one", "two"), runs("two", "three"), runs("three", "one")
    found = only(one, "calls-itself", known_flows=library(one, two, three))

    assert found.node == "n0"
    assert "One → Two → Three → One" in found.message


def test_a_flow_that_runs_one_that_runs_itself_is_refused_as_well():
    one, two = runs("one", "two"), runs("two", "two")

    assert only(one, "calls-itself", known_flows=library(one, two)).node == "n0"


def test_the_same_flow_run_twice_is_no_circle():
    one, two, three = runs("one", "two", "three", "three"), runs("two", "three"), runs("three")

    assert codes(one, known_flows=library(one, two, three)) == []


def test_a_long_row_of_flows_is_followed_to_its_end():
    row = [runs(f"f{i}", f"f{i + 1}") for i in range(1_500)]
    last = runs("f1500", "f0")

    assert only(row[0], "calls-itself", known_flows=library(*row, last)).node == "n0"


def test_a_flow_that_is_not_there_or_cannot_be_read_is_warned_about():
    def unreadable(name):
        raise RunError(f"The file of {name} is torn.")

    assert codes(runs("one", "two"), known_flows=library()) == ["unknown-flow"]
    assert "torn" in only(runs("one", "two"), "unreadable-flow", known_flows=unreadable).message
    assert codes(runs("one", "two")) == []


# ---- switches ------------------------------------------------------------------------------


def test_what_is_switched_off_or_pinned_is_good_to_know():
    document = begun(
        node("a", disabled=True), node("b"), "s > a > b", pinned={"b": {"output": None}}
    )

    assert codes(document) == ["disabled-node", "pinned-output"]
    for found in problems(document):
        assert found.severity == "info"
        assert found.code not in codes(found.fix.apply(document))


@pytest.mark.parametrize(
    ("retry", "told"),
    [
        (RetryPolicy(attempts=1), True),
        (RetryPolicy(attempts=100, wait=1, backoff=2), True),
        (RetryPolicy(attempts=3), False),
    ],
)
def test_retries_that_change_nothing_or_never_end_are_odd(retry, told):
    policy = ErrorPolicy(policy="continue", retry=retry)
    document = begun(node("a", on_error=policy), "s > a")

    assert codes(document) == (["odd-retry"] if told else [])
    for found in problems(document):
        if found.fix:
            changed = found.fix.apply(document)
            assert changed.node_by_id["a"].on_error == ErrorPolicy(policy="continue")


def test_a_limit_shorter_than_the_wait_itself_is_odd():
    def waits(limit):
        return begun(node("w", "wait", config={"seconds": 5}, timeout_s=limit), "s > w")

    found = only(waits(2), "odd-timeout")
    assert codes(found.fix.apply(waits(2))) == []
    assert codes(waits(10)) == []


def test_to_collect_needs_something_that_sends_several():
    collect = node("j", "aggregator", config={"wait": "everything"})

    assert codes(begun(node("a"), collect, "s > a > j")) == ["collect-without-split"]
    assert codes(begun(node("a", "split"), collect, "s > a > j")) == []


def test_notes_are_no_nodes():
    noted = flow(node("s", "start"), says("a", "x"), "s > a", notes=[{"id": "n", "text": "{{ x"}])

    assert codes(noted) == []
