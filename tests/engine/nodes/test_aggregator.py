from __future__ import annotations

import pytest

from engine.errors import NodeError
from engine.nodes.aggregator import Aggregator
from tests.engine.nodes.fake_step import FakeStep, ran

BAD = {"error": "it broke"}


def collected(inputs, **config):
    return ran(Aggregator, config, FakeStep(inputs=inputs))


@pytest.mark.parametrize(
    ("method", "inputs", "results"),
    [
        ("list", {"a": 0, "b": None, "c": [1]}, [0, None, [1]]),
        ("append", {"a": [1, 2], "b": 3, "c": []}, [1, 2, 3]),
        ("sum", {"a": 1, "b": 2.5}, 3.5),
        ("merge", {"a": {"x": 1, "y": 1}, "b": {"x": 0}}, {"x": 0, "y": 1}),
        ("latest", {"a": 1, "b": None}, None),
        ("latest", {"a": 1, "b": 2}, 2),
    ],
)
def test_results_are_put_together(method, inputs, results):
    value = collected(inputs, method=method).value

    assert value == {
        "status": "success",
        "success_count": len(inputs),
        "error_count": 0,
        "results": results,
        "errors": [],
    }


@pytest.mark.parametrize(
    ("method", "empty"), [("list", []), ("sum", 0), ("merge", {}), ("latest", None)]
)
def test_nothing_that_worked_is_an_empty_result(method, empty):
    value = collected({"a": BAD}, method=method, error_strategy="best_effort").value

    assert (value["status"], value["results"]) == ("error", empty)


def test_best_effort_goes_on_with_what_worked():
    value = collected({"a": 1, "b": BAD, "c": 2}, error_strategy="best_effort").value

    assert value["status"] == "partial"
    assert (value["success_count"], value["error_count"]) == (2, 1)
    assert value["results"] == [1, 2]
    assert value["errors"] == [{"source": "b", "error": "it broke"}]


def test_one_error_is_enough_to_fail_fast():
    with pytest.raises(NodeError, match="1 of 2 branches failed: 'b': it broke"):
        collected({"a": 1, "b": BAD})


@pytest.mark.parametrize(("error", "told"), [({"message": "deep"}, "deep"), (404, "404"), ("", "")])
def test_an_error_is_told_in_words(error, told):
    value = collected({"a": {"error": error}}, error_strategy="best_effort").value

    assert told in value["errors"][0]["error"]


def test_an_empty_error_is_none():
    assert collected({"a": {"error": None, "data": 1}}).value["status"] == "success"


def test_waiting_for_everything_takes_every_strand():
    inputs = {"a": [1, BAD, [3]], "b": [{}]}

    result = collected(inputs, wait="everything", error_strategy="best_effort")

    assert result.value["results"] == [1, [3], {}]
    assert result.value["errors"] == [{"source": "a", "error": "it broke"}]
    assert Aggregator(wait="everything").join("all") == "collect"
    assert Aggregator().join("first") == "first"


def test_each_branch_is_noted_in_the_run():
    result = collected({"a": 0, "b": BAD}, error_strategy="best_effort")

    states = {c.key: c.value for c in result.changes if c.entry == "task_states"}
    assert states["a"] == {"status": "success", "result": 0, "error_msg": None, "task_id": "a"}
    assert states["b"]["error_msg"] == "it broke"
    assert [c.value["task_id"] for c in result.changes if c.entry == "task_results"] == ["a", "b"]


@pytest.mark.parametrize(("method", "value"), [("sum", "1"), ("sum", True), ("merge", [1])])
def test_results_that_do_not_fit_are_named(method, value):
    with pytest.raises(NodeError, match="'a' gave "):
        collected({"a": value}, method=method)
