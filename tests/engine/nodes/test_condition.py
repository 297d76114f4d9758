from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.comparison import CHOICES
from engine.errors import NodeError
from engine.fields import choices_of, field_specs
from engine.node_type import Handle
from engine.nodes.condition import Condition
from tests.engine.nodes.fake_step import FakeStep, ran

# For every operation of the form: sides that hold, and sides that do not.
HOLDS = {
    ("string", "equals"): (("a b", "a b"), ("a b", "A b")),
    ("string", "not equals"): (("**a**", "a"), ("a", "a")),
    ("string", "contains"): (("see *this*", "*this*"), ("see this", "*this*")),
    ("string", "not contains"): (("abc", "x"), ("abc", "b")),
    ("string", "starts with"): (("abc", "ab"), ("abc", "bc")),
    ("string", "ends with"): (("abc", "bc"), ("abc", "ab")),
    ("string", "is empty"): (("", None), (" ", None)),
    ("string", "is not empty"): ((0, None), (None, None)),
    ("string", "matches pattern"): (("order 12", r"\d+$"), ("order", r"\d+$")),
    ("number", "="): ((10, "10"), (10, "11")),
    ("number", "!="): ((10, 11), ("10.0", 10)),
    ("number", "<"): (("9", 10), (10, 10)),
    ("number", "<="): ((10, 10), (11, 10)),
    ("number", ">"): ((11, 10), (10, 10)),
    ("number", ">="): ((10, " 10 "), (9, 10)),
    ("number", "is empty"): ((None, None), (0, None)),
    ("number", "is not empty"): ((0, None), ("", None)),
    ("boolean", "is true"): ((True, None), (False, None)),
    ("boolean", "is false"): (("False", None), ("true", None)),
    ("boolean", "equals"): ((False, "false"), (True, False)),
    ("boolean", "not equals"): ((True, False), (True, True)),
}


def by_rule(left, kind, operation, right):
    rule = {"left": left, "type": kind, "operation": operation, "right": right}
    return ran(Condition, {"rules": [rule]}, FakeStep())


def offered():
    rules = next(spec for spec in field_specs(Condition) if spec.name == "rules")
    operation = next(spec for spec in rules.fields if spec.name == "operation")
    for kind in CHOICES:
        yield from ((kind, choice.value) for choice in choices_of(operation, {"type": kind}))


@pytest.mark.parametrize(("kind", "operation"), list(offered()))
def test_every_operation_that_the_form_offers_works(kind, operation):
    yes, no = HOLDS[kind, operation]

    assert by_rule(yes[0], kind, operation, yes[1]).key == "true"
    assert by_rule(no[0], kind, operation, no[1]).key == "false"


def test_an_expression_chooses_the_path_and_shows_the_values():
    step = FakeStep(state={"context": {"score": 92}})

    route = ran(Condition, {"expression": "context.score > 80"}, step)

    assert route.key == "true"
    assert route.value["result"] is True
    assert "context.score = 92" in route.value["evaluated"]


@pytest.mark.parametrize("value", [0, "", [], {}, None, 0.0])
def test_an_empty_result_is_no_and_is_shown(value):
    route = ran(Condition, {"expression": "input"}, FakeStep(value))

    assert route.key == "false"
    assert "input is" in route.value["evaluated"]


def test_a_fault_in_an_expression_is_an_error_not_a_no():
    with pytest.raises(NodeError, match="Field 'Expression'"):
        ran(
            Condition,
            {"expression": "context.scroe > 1"},
            FakeStep(state={"context": {"score": 1}}),
        )


@pytest.mark.parametrize(
    ("left", "kind", "operation"),
    [
        ("abc", "number", ">"),
        (True, "number", "="),
        (None, "number", "<"),
        ("1e999", "number", "<"),
        ("1_000", "number", "="),
        ([1], "number", "="),
        (1, "boolean", "is true"),
        ("yes", "boolean", "is true"),
        (None, "boolean", "equals"),
        (None, "string", "contains"),
        ("a", "string", "matches pattern"),
    ],
)
def test_what_cannot_be_compared_is_an_error_in_words(left, kind, operation):
    with pytest.raises(NodeError, match="Rule 1: "):
        by_rule(left, kind, operation, "(" if operation == "matches pattern" else 1)


def test_a_list_contains_an_item_not_a_part_of_its_text():
    assert by_rule(["ab", "c"], "string", "contains", "c").key == "true"
    assert by_rule(["ab", "c"], "string", "contains", "a").key == "false"


def test_big_whole_numbers_are_not_rounded():
    assert by_rule("9007199254740993", "number", "=", 9007199254740992).key == "false"


def test_all_and_any_look_no_further_than_needed():
    bad = {"left": "abc", "type": "number", "operation": ">", "right": 1}
    yes, no = ({"left": "a", "operation": "equals", "right": each} for each in "ab")

    assert ran(Condition, {"rules": [no, bad], "match": "all"}).key == "false"
    assert ran(Condition, {"rules": [yes, bad], "match": "any"}).key == "true"
    assert ran(Condition, {"rules": [yes, no], "match": "all"}).key == "false"
    assert ran(Condition, {"rules": [no, no], "match": "any"}).key == "false"
    with pytest.raises(NodeError, match="Rule 2: "):
        ran(Condition, {"rules": [yes, bad], "match": "all"})


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({}, "give an expression or at least one rule"),
        ({"expression": "1", "rules": [{"left": 1}]}, "not both"),
        ({"rules": [{"type": "number", "operation": "contains"}]}, "does not go with a number"),
    ],
)
def test_a_configuration_that_asks_nothing_is_refused(config, told):
    with pytest.raises(NodeError, match=told):
        ran(Condition, config)


def test_the_paths_carry_their_labels():
    node = Condition(expression="1", true_label="Big", false_label="Small")

    assert node.handles() == (Handle("true", "Big"), Handle("false", "Small"))


texts = st.text(max_size=6)


@given(texts, texts)
def test_texts_are_compared_exactly_as_they_are(one, other):
    for operation, expected in (
        ("equals", one == other),
        ("contains", other in one),
        ("starts with", one.startswith(other)),
        ("ends with", one.endswith(other)),
    ):
        rule = {"left": one, "operation": operation, "right": other}
        node = Condition.model_validate({"rules": [rule]})
        assert (node._by_rules()[0]) is expected


@given(st.integers(), st.integers())
def test_numbers_compare_the_same_as_text_and_as_numbers(one, other):
    for sides in ((one, other), (str(one), other), (one, str(other)), (str(one), str(other))):
        rule = {"left": sides[0], "type": "number", "operation": "<", "right": sides[1]}
        node = Condition.model_validate({"rules": [rule]})
        assert (node._by_rules()[0]) is (one < other)
