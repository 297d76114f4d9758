from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.cli.matching import matches
from engine.gallery import gallery_flows
from tests.gallery.replay import Played, play

FLOWS = {entry.file.name.removesuffix(".flow.json"): entry for entry in gallery_flows()}
CASES = {
    f"{name}: {case['name']}": (entry.file, case)
    for name, entry in FLOWS.items()
    if entry.cases is not None
    for case in json.loads(entry.cases.read_text("utf-8"))["cases"]
}
SCHEDULES = 8


def differences(case: dict, played: Played) -> list[str]:
    expected, report = case["expect"], played.report
    found = [
        f"{part}: {report[part]!r}, not {expected[part]!r}"
        for part in ("status", "output", "messages")
        if part in expected and not matches(expected[part], report[part])
    ]
    for name, value in expected.get("context", {}).items():
        if not matches(value, report["context"].get(name)):
            found.append(f"variable {name}: {report['context'].get(name)!r}, not {value!r}")
    for node, visits in expected.get("runs", {}).items():
        if played.runs[node] != visits:
            found.append(f"{node} ran {played.runs[node]} times, not {visits}")
    return found


@pytest.mark.parametrize("name", CASES)
def test_a_recorded_case_comes_out_as_recorded(name, tmp_path):
    path, case = CASES[name]

    played = play(path, case, tmp_path)

    assert differences(case, played) == [], played.report["error"]
    assert played.report["warnings"] == []
    assert played.report["unmatched"] == []
    assert "dropped" not in played.report
    assert played.unused == {}


@pytest.mark.parametrize("name", CASES)
def test_the_order_in_which_steps_are_taken_changes_no_result(name, tmp_path):
    path, case = CASES[name]

    for seed in range(SCHEDULES):
        played = play(path, case, tmp_path / str(seed), seed=seed)

        assert differences(case, played) == [], f"seed {seed}"


def test_a_case_that_expects_something_else_is_told_apart(tmp_path):
    path, case = CASES["refund: Exactly 100 is not big"]
    wrong = {
        "status": "paused",
        "output": {"content": "Something else"},
        "context": {"nobody": 1},
        "runs": {"boss": 1},
    }

    played = play(path, case, tmp_path)

    assert len(differences({"expect": wrong}, played)) == 4


def test_the_command_that_tries_recorded_cases_is_content_with_the_gallery(capfd):
    code = main(["test", *(str(entry.file) for entry in FLOWS.values())])

    told = capfd.readouterr()
    assert code == 0, told.out + told.err
    assert f"{len(CASES)} of {len(CASES)}" in told.out


@pytest.mark.parametrize("name", FLOWS)
def test_every_flow_has_cases_and_every_case_names_nodes_that_there_are(name):
    entry = FLOWS[name]
    assert entry.cases is not None
    whole = json.loads(entry.cases.read_text("utf-8"))
    nodes = {node["id"] for node in json.loads(entry.file.read_text("utf-8"))["nodes"]}

    assert set(whole) == {"cases"}
    assert whole["cases"]
    for case in whole["cases"]:
        assert set(case) <= {"name", "input", "answers", "expect"}
        assert set(case["expect"]) <= {"status", "output", "messages", "context", "runs"}
        assert set(case.get("answers", {})) | set(case["expect"].get("runs", {})) <= nodes


@pytest.mark.parametrize("name", FLOWS)
def test_the_cases_of_a_flow_reach_every_node_of_it(name, tmp_path):
    entry = FLOWS[name]
    nodes = {node["id"] for node in json.loads(entry.file.read_text("utf-8"))["nodes"]}
    cases = [case for path, case in CASES.values() if path == entry.file]

    reached = {
        node
        for number, case in enumerate(cases)
        for node in play(entry.file, case, tmp_path / str(number)).runs
    }

    assert reached == nodes


def test_a_flow_that_tries_again_does_so_twice_and_waits_as_it_was_asked_to(tmp_path):
    path, case = CASES["try-again: Busy twice, then it answers"]

    played = play(path, case, tmp_path)

    assert played.kinds["retry"] == 2
    assert played.slept == (1.0, 1.0)


def test_a_nested_flow_has_a_run_of_its_own(tmp_path):
    path, case = CASES["complaint: A small sum needs no boss"]

    played = play(path, case, tmp_path)

    runs = {folder.name for folder in (tmp_path / "runs").iterdir() if folder.is_dir()}
    assert played.report["run_id"] in runs
    assert len(runs) == 2


def test_a_model_that_remembers_reads_more_in_each_round(tmp_path):
    path, case = CASES["interview: Two answers, then bye"]

    played = play(path, case, tmp_path)

    read = [s["usage"]["input_tokens"] for s in played.report["steps"] if s["node"] == "talk"]
    assert read == sorted(set(read))
    assert len(read) == 3


def test_the_parallel_experts_of_a_flow_are_all_under_way_before_any_is_collected(tmp_path):
    path, case = CASES["three-experts: All three answer"]

    played = play(path, case, tmp_path)

    collected = next(s for s in played.report["steps"] if s["node"] == "collect")
    assert list(collected["inputs"]) == ["money", "people", "place"]
    assert collected["output"]["success_count"] == 3


def test_the_first_flow_shows_a_draft_an_approval_and_a_rewrite():
    first = next(iter(FLOWS.values()))
    _, case = next(iter(CASES.values()))

    assert first.file == Path(first.file.parent, "reply-to-a-mail.flow.json")
    assert [answer["type"] for answer in case["answers"]["check"]] == ["reject", "proceed"]
