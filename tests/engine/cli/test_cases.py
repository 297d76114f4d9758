from __future__ import annotations

import json

import pytest

from tests.engine.cli.calls import counting

CASE = {
    "name": "five",
    "input": {"context": {"score": 5}},
    "expect": {"output": {"content": "small 15"}},
}


def write_cases(tmp_path, *cases, name="counting"):
    path = tmp_path / f"{name}.cases.json"
    path.write_text(json.dumps({"cases": cases}), "utf-8")


def test_cases_are_held_against_what_comes(call, tmp_path):
    flow = counting(tmp_path)
    expect = {
        "status": "finished",
        "output": {"contains": {"content": {"contains": "small"}}},
        "messages": [{"contains": {"content": "small 15"}}],
        "context": {"score": 15},
        "runs": {"set": 1, "yes": 0},
    }
    write_cases(tmp_path, CASE, {"name": "all", "expect": expect})

    done = call("test", flow, "--json")

    assert done.code == 0
    assert done.json["passed"] == 2
    assert "2 of 2 as expected." in call("test", flow).out
    assert call("runs", "--json").json["total"] == 0


@pytest.mark.parametrize(
    ("expect", "what"),
    [
        ({"status": "paused"}, "status"),
        ({"output": "small 15"}, "output"),
        ({"output": {"contains": {"content": "big"}}}, "output"),
        ({"messages": []}, "messages"),
        ({"context": {"score": "15"}}, "context.score"),
        ({"context": {"scor": 15}}, "context: there is no variable 'scor'. Did you mean 'score'?"),
        ({"runs": {"set": 2}}, "runs of 'set'"),
        ({"error": {"contains": "x"}}, "error"),
    ],
)
def test_a_case_that_is_not_as_expected_ends_with_3(call, tmp_path, expect, what):
    flow = counting(tmp_path)
    write_cases(tmp_path, {"name": "wrong", "expect": expect})

    done = call("test", flow, "--json")

    assert done.code == 3
    [case] = done.json["cases"]
    assert case["passed"] is False
    assert case["differences"][0]["what"] == what
    assert "✗ wrong" in call("test", flow).out


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ([{"nam": "x"}], "nothing is called 'nam'"),
        ([{"expect": {"ouput": 1}}], "nothing is called 'ouput'"),
        ([{"expect": {"status": "done"}}], "status must be one of"),
        ([{"expect": {"runs": {"a": True}}}], "must be a whole number"),
        (["x"], "must be an object"),
        ([], "holds no list of cases"),
    ],
)
def test_a_case_that_is_no_case_is_refused(call, tmp_path, cases, message):
    flow = counting(tmp_path)
    write_cases(tmp_path, *cases)

    done = call("test", flow, "--json")

    assert done.code == 2
    assert message in done.json["error"]["message"]


def test_a_flow_without_cases_is_refused_with_the_missing_file(call, tmp_path):
    done = call("test", counting(tmp_path), "--json")

    assert done.code == 2
    assert "counting.cases.json" in done.json["error"]["message"]


def test_a_case_with_input_that_does_not_fit_fails_with_the_reason(call, tmp_path):
    flow = counting(tmp_path)
    write_cases(tmp_path, {"name": "x", "input": {"context": {"scor": 1}}})

    done = call("test", flow, "--json")

    assert done.code == 3
    assert "no variable 'scor'" in done.json["cases"][0]["differences"][0]["what"]
