from __future__ import annotations

import json
import os

import pytest

from engine.run.events import RunStarted, to_record
from engine.store.journal import JournalWriter
from tests.engine.cli.calls import approval, counting


def test_runs_lists_the_newest_first_with_status_and_questions(call, tmp_path):
    assert "No runs yet" in call("runs").out
    call("run", counting(tmp_path))
    call("run", approval(tmp_path))

    done = call("runs", "list", "--json")

    assert [run["status"] for run in done.json["runs"]] == ["paused", "finished"]
    assert done.json["runs"][0]["waiting"] == 1
    assert done.json["runs"][1]["steps"] == 4
    text = call("runs").out
    assert "1 question waiting" in text
    assert "Counting" in text
    assert call("runs", "list", "--status", "paused", "--json").json["total"] == 1


def test_the_list_can_be_made_anew_from_the_journals(call, tmp_path, loopwright_home):
    call("run", counting(tmp_path))
    call("run", approval(tmp_path))
    first = call("runs", "--json").json
    (loopwright_home / "runs.json").unlink()

    again = call("runs", "--json").json

    for run in (*first["runs"], *again["runs"]):
        run.pop("ended")
    assert again == first


def test_a_run_that_broke_off_shows_as_stopped_and_goes_on(call, tmp_path, loopwright_home):
    run_id = call("run", counting(tmp_path), "--json").json["run_id"]
    journal = loopwright_home / "runs" / run_id / "journal.log"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    (loopwright_home / "runs.json").unlink()

    [listed] = call("runs", "--json").json["runs"]
    shown = call("runs", "show", run_id, "--json").json
    done = call("resume", run_id, "--json")

    assert listed["status"] == "stopped"
    assert "broke off" in listed["error"]
    assert shown["status"] == "stopped"
    assert done.code == 0
    assert [step["step"] for step in done.json["steps"]] == [1, 2, 3, 4]


def test_a_damaged_run_is_refused_loudly_and_can_be_read_up_to_there(
    call, tmp_path, loopwright_home
):
    run_id = call("run", counting(tmp_path), "--json").json["run_id"]
    journal = loopwright_home / "runs" / run_id / "journal.log"
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[3] = b"x" + lines[3][1:]
    journal.write_bytes(b"".join(lines))

    refused = call("runs", "steps", run_id, "--json")
    read = call("runs", "steps", run_id, "--up-to-damage", "--json")
    done = call("resume", run_id, "--up-to-damage", "--json")

    assert refused.code == 3
    assert "damaged" in refused.json["error"]["message"]
    assert len(read.json["steps"]) == 2
    assert "damaged" in read.err
    assert done.code == 0
    assert [step["step"] for step in done.json["steps"]] == [1, 2, 3, 4]


def test_state_is_the_condition_after_a_step(call, tmp_path):
    call("run", counting(tmp_path))

    def at(step: str):
        return call("runs", "state", "last", "--at", step, "--json").json

    assert at("0")["context"] == {"score": 5}
    assert at("1")["context"] == {"score": 5}
    assert at("2")["context"] == {"score": 15}
    assert at("2")["under_way"][0]["node"] == "big"
    assert at("3")["route_decision"] == "false"
    assert call("runs", "state", "last", "--json").json == at("4")
    assert "score" in call("runs", "state", "last").out


def test_state_of_every_step_is_what_a_long_run_had_then(call, tmp_path):
    flow = approval(tmp_path)
    answers = json.dumps({"check": [{"type": "reject", "feedback": "x" * 9000}] * 20})
    call("run", flow, "--answers", answers, "--json")
    steps = call("runs", "steps", "last", "--json").json["steps"]

    # The journal holds snapshots by now; each condition must be that of its own step.
    for step in steps:
        state = call("runs", "state", "last", "--at", str(step["step"]), "--json").json
        assert state["outputs"][step["node"]] == step["output"]
        later = [s for s in steps if s["step"] > step["step"]]
        assert state["under_way"][0]["node"] == (later[0]["node"] if later else "check")


def test_steps_and_show_tell_the_story_of_a_run(call, tmp_path):
    call("run", counting(tmp_path))

    steps = call("runs", "steps", "last")
    shown = call("runs", "show", "last")

    assert "   3  ✓ big    → false" in steps.out
    assert "small 15" in shown.out
    assert "started" in shown.out
    assert call("runs", "show", "last", "--json").json["flow"]["name"] == "Counting"


def test_diff_names_the_first_difference_with_both_values(call, tmp_path):
    flow = counting(tmp_path)
    one = call("run", flow, "--json").json["run_id"]
    same = call("run", flow, "--json").json["run_id"]
    other = call("run", flow, "--input", '{"context": {"score": 90}}', "--json").json["run_id"]

    assert call("runs", "diff", one, same, "--json").json["same"] is True
    found = call("runs", "diff", one, other, "--json").json

    assert found["same"] is False
    assert found["first"]["node"] == "set"
    assert found["first"]["field"] == "output"
    assert (found["first"]["one"], found["first"]["other"]) == ({"score": 15}, {"score": 100})
    assert [d["node"] for d in found["differences"]] == ["set", "big", "no", "yes"]
    assert found["differences"][-1]["one"] is None
    assert "node 'set': output" in call("runs", "diff", one, other).out


def test_deleted_runs_are_gone(call, tmp_path, loopwright_home):
    first = call("run", counting(tmp_path), "--json").json["run_id"]
    call("run", counting(tmp_path))

    assert call("runs", "delete", first, "no-such-run").code == 2
    assert (loopwright_home / "runs" / first).is_dir()
    done = call("runs", "delete", first, "last", "--json")

    assert done.code == 0
    assert first in done.json["deleted"]
    assert call("runs", "--json").json["total"] == 0
    assert os.listdir(loopwright_home / "runs") == []


@pytest.mark.parametrize("name", ["../../etc", "", "a b", "con", "x" * 300])
def test_a_name_that_no_run_can_have_is_refused(call, name):
    assert call("runs", "show", name).code == 2


def test_an_ambiguous_beginning_lists_the_runs_that_are_meant(call, tmp_path):
    call("run", counting(tmp_path))
    call("run", counting(tmp_path))

    done = call("runs", "show", "2", "--json")

    assert done.code == 2
    assert "2 runs begin with '2'" in done.json["error"]["message"]


def test_a_history_that_does_not_fit_its_flow_is_told_in_words(call, loopwright_home):
    folder = loopwright_home / "runs" / "20260101-000000-000000-aaaaaa"
    folder.mkdir(parents=True)
    flow = {"format": "loopwright.flow", "version": 1, "id": "f", "nodes": [], "edges": []}
    with JournalWriter(folder / "journal.log", keep_inline=("flow",)) as journal:
        journal.append(to_record(RunStarted(run_id=folder.name, flow=flow, time=1.0)))
        journal.append(
            {"kind": "step_finished", "firing": 7, "step": 1, "node": "x", "visit": 1, "time": 1.0,
             "inputs": {}, "outputs": [], "sent": []}
        )  # fmt: skip

    done = call("runs", "state", folder.name, "--json")

    assert done.code == 3
    assert "does not fit" in done.json["error"]["message"]
