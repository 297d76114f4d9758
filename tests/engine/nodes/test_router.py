from __future__ import annotations

import pytest

from engine.errors import NodeError
from engine.nodes.router import Router
from tests.engine.nodes.fake_step import FakeStep, ran


def rule(name, condition, **settings):
    return {"id": name, "condition": condition, "targetEdgeKey": name, **settings}


def routed(*rules, score=50, **config):
    return ran(Router, {"routes": rules, **config}, FakeStep(state={"context": {"score": score}}))


HIGH = rule("high", "context.score > 80")
MID = rule("mid", "context.score > 40")
ALWAYS = rule("always", "True")


def test_the_first_true_rule_wins():
    assert routed(HIGH, MID, ALWAYS, score=90).key == "high"
    assert routed(HIGH, MID, ALWAYS, score=50).key == "mid"
    assert routed(HIGH, MID, ALWAYS, score=5).key == "always"


def test_small_priorities_come_first_and_rules_without_one_last():
    rules = (
        rule("none", "True"),
        rule("two", "True", priority=2),
        rule("one", "True", priority=1),
        rule("also_one", "True", priority=1),
    )

    assert routed(*rules).key == "one"
    assert routed(rules[0], rules[1]).key == "two"
    assert routed(rules[3], rules[2]).key == "also_one"
    assert routed(rule("last", "True"), rule("zero", "True", priority=0)).key == "zero"


def test_no_true_rule_takes_the_default_path():
    assert routed(HIGH, score=1).key == "default"
    assert routed(HIGH, score=1, defaultRoute="else").key == "else"
    assert routed().key == "default"


def test_the_reason_says_which_rule_and_why_not_the_others():
    route = routed(HIGH, MID)

    assert "'mid' is the first that is true" in route.reason
    assert "context.score > 80 is False" in route.reason
    assert "context.score = 50" in route.reason
    assert route.value["route"] == "mid"
    assert [each["result"] for each in route.value["evaluated"]] == [False, True]


def test_a_rule_that_cannot_be_worked_out_is_an_error_that_names_it():
    with pytest.raises(NodeError, match=r"Rule 'Typo': .*scroe"):
        routed(rule("typo", "context.scroe > 1", label="Typo"), ALWAYS)


def test_a_later_rule_is_not_looked_at():
    assert routed(ALWAYS, rule("typo", "context.scroe > 1")).key == "always"


def test_one_handle_for_each_path_and_the_default_last():
    same_path = {**MID, "id": "other", "targetEdgeKey": "high"}
    node = Router.model_validate({"routes": [HIGH, same_path, MID], "defaultRoute": "else"})

    assert [handle.key for handle in node.handles()] == ["high", "mid", "else"]


def test_the_path_is_the_id_where_none_is_named():
    assert routed({"id": "only", "condition": "True"}).key == "only"


def test_rules_cannot_come_out_of_data():
    with pytest.raises(NodeError, match="Rules: must be a list"):
        ran(Router, {"routes": "{{ input }}"}, FakeStep([ALWAYS]))
