"""What a person reads when something is amiss, and what it tells them to try."""

from __future__ import annotations

import json
import os
import re

import pytest

from tests.engine.cli.calls import approval, chain, counting, edge, flow_file, node

WHOLE = {
    "run_id", "status", "output", "messages", "context", "error", "requests", "warnings", "steps",
    "unmatched",
}  # fmt: skip


def newest(home):
    return max((home / "runs").iterdir())


@pytest.mark.parametrize(
    "words", [("run", "nowhere"), ("resume", "last"), ("fork", "last", "--at", "0"), ("run",)]
)
def test_an_error_before_a_run_begins_has_the_whole_shape_of_a_run(call, words):
    done = call(*words, "--json")

    assert done.json.keys() == WHOLE
    assert done.json["run_id"] is None
    assert done.json["status"] == "error"
    assert done.json["error"]["hint"]


def test_a_disk_that_refuses_during_a_run_is_told_with_the_name_of_the_run(
    call, tmp_path, monkeypatch
):
    from engine.errors import JournalError
    from engine.run.session import RunSession

    async def refused(self):
        raise JournalError("The journal cannot be written: the disk is full.", "Free some space.")

    monkeypatch.setattr(RunSession, "go", refused)
    done = call("run", counting(tmp_path), "--json")

    assert done.code == 3
    assert done.json.keys() == WHOLE
    assert f"loopwright resume {done.json['run_id']}" in done.json["error"]["hint"]


def test_a_damaged_run_is_told_with_the_ways_that_are_left(call, tmp_path, loopwright_home):
    call("run", counting(tmp_path))
    journal = newest(loopwright_home) / "journal.log"
    lines = journal.read_bytes().split(b"\n")
    lines[4] = b"0" + lines[4]
    journal.write_bytes(b"\n".join(lines))
    run_id = journal.parent.name

    for words in (
        ("resume", run_id),
        ("runs", "show", run_id),
        ("runs", "steps", run_id),
        ("runs", "state", run_id),
        ("runs", "diff", run_id, run_id),
        ("fork", run_id, "--at", "1"),
    ):
        done = call(*words)
        assert done.code == 3
        assert f"`loopwright resume {run_id} --up-to-damage`" in done.err
        assert f"`loopwright runs show {run_id} --up-to-damage`" in done.err
    for view in ("show", "steps", "state"):
        assert call("runs", view, run_id, "--up-to-damage").code == 0
        assert "--up-to-damage" in call("runs", view, "--help").out
    hints = [each["hint"] for each in call("doctor", "--json").json["findings"]]
    assert any("--up-to-damage" in hint for hint in hints)


def test_a_step_before_a_fork_of_a_deleted_run_says_that_it_is_gone(call, tmp_path):
    old = call("run", counting(tmp_path), "--json").json["run_id"]
    new = call("fork", old, "--at", "2", "--json").json["run_id"]
    call("runs", "delete", old)

    for words in (("fork", new, "--at", "1"), ("runs", "state", new, "--at", "1")):
        done = call(*words)
        assert done.code == 2
        assert f"'{old}', is gone; give a step from 2 on" in done.err


def test_several_questions_are_each_told_with_the_way_to_answer_them(call, tmp_path):
    nodes = [
        node("start", "start"),
        node("one", "human_input", prompt="First?"),
        node("two", "human_input", prompt="Second?"),
    ]
    edges = [edge("a", "start", "one"), edge("b", "start", "two")]
    report = call("run", flow_file(tmp_path, "both", nodes, edges), "--json").json

    ambiguous = call("resume", "last", "--answer", '{"type": "proceed"}')
    paused = call("resume", "last")

    for request in report["requests"]:
        line = rf"--request {request['id']} .*{re.escape(request['prompt'])}"
        assert re.search(line, ambiguous.err)
        assert re.search(f"loopwright resume {report['run_id']} {line}", paused.err)


def test_a_waiting_run_is_told_with_the_whole_command(call, tmp_path):
    run_id = call("run", approval(tmp_path), "--json").json["run_id"]

    done = call("resume", run_id)

    assert f"""loopwright resume {run_id} --answer '{{"type": "proceed"}}'""" in done.err


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ('{"type": "proceed", "x": 1}', "'x' is not a part of it"),
        ("null", "not nothing"),
        ("true", "not true"),
        ("{}", "'type' is missing"),
        ('{"type": 1}', 'must be one of "proceed", "reject"'),
        ('{"type": "reject", "feedback": 1}', "must be text"),
    ],
)
def test_an_answer_that_does_not_fit_is_told_in_plain_words(call, tmp_path, answer, words):
    call("run", approval(tmp_path))

    done = call("resume", "last", "--answer", answer)

    assert done.code == 2
    assert words in done.err


def test_the_limit_of_steps_says_where_it_is_raised(call, tmp_path):
    done = call("run", counting(tmp_path), "--max-steps", "1")

    assert "limit of 1 step." in done.out
    assert "that loop" not in done.out
    for way in ("max_steps in the flow's settings", "--max-steps N", "LOOPWRIGHT_MAX_STEPS"):
        assert way in done.out


def test_numbers_that_are_too_small_are_told_with_the_least_one(call):
    assert "--at: it must be at least 0." in call("fork", "last", "--at", "-1").err
    assert "it must be at least 1." in call("runs", "list", "-n", "-3").err


def test_only_an_option_that_is_really_near_is_suggested(call):
    assert "Did you mean" not in call("run", "x", "--replay", "y").err
    assert "Did you mean '--stream'?" in call("run", "x", "--steam").err


def test_a_flow_that_is_no_file_is_called_what_it_is(call, tmp_path):
    os.mkfifo(tmp_path / "pipe.json")

    assert "a pipe between programs" in call("run", tmp_path / "pipe.json").err
    assert "a device" in call("run", "/dev/null").err


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": int("9" * 300)}, "version 999999999999… (300 digits)"),
        ({"nodes": [{"id": "\ud800", "type": "start"}]}, "half a character"),
        ({"nodes": [{**node("a", "start"), "join": "alll"}]}, "Did you mean 'all'?\n"),
    ],
)
def test_an_unsound_flow_is_told_in_words_that_fit_a_line(call, tmp_path, changes, words):
    whole = {"format": "loopwright.flow", "version": 1, "id": "f", "nodes": [node("a", "start")]}
    path = tmp_path / "f.flow.json"
    path.write_text(json.dumps({**whole, **changes}))

    assert words in call("run", path).err


@pytest.mark.parametrize(("data", "kind"), [("5", "a whole number"), ("null", "nothing (null)")])
def test_a_file_that_holds_no_flow_is_told_without_words_of_programs(call, tmp_path, data, kind):
    path = tmp_path / "x.json"
    path.write_text(data)

    assert f"it holds {kind} without" in call("run", path).err


def test_a_name_in_a_template_that_is_not_near_gets_no_suggestion(call, tmp_path):
    nodes = [node("start", "start"), node("say", "direct_reply", template="{{ nope }}")]

    done = call("validate", flow_file(tmp_path, "n", nodes, chain("start", "say")))

    assert "called 'nope'" in done.out
    assert "$node" not in done.out


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"import sys\nsys.exit(2)\n", "Line 2: It ends the program"),
        (b"a\0b", "no text in UTF-8"),
        (b"\xff\xfe", "no text in UTF-8"),
        (None, "This is a folder"),
    ],
)
def test_a_node_file_of_ones_own_that_fails_is_told_with_what_to_do(
    call, loopwright_home, content, words
):
    path = loopwright_home / "nodes" / "mine.py"
    path.parent.mkdir(parents=True)
    path.mkdir() if content is None else path.write_bytes(content)

    done = call("nodes", "wait")

    assert done.code == 0
    assert str(path) in done.err
    assert words in done.err
    assert "Mend it, or take it out of that folder." in done.err


def test_what_is_missing_is_told_with_what_to_try(call, tmp_path):
    flow = counting(tmp_path)
    zero = [node("start", "start"), node("big", "condition", expression="1 / 0 > 1")]
    divided = call("run", flow_file(tmp_path, "zero", zero, chain("start", "big")))

    assert "Check the path" in call("run", flow, "--input", "@nowhere").err
    assert "a / b if b else 0" in divided.out + divided.err
    assert "  `loopwright" in call(
        "fork", "last", "--at", "0", "--set-state", '{"zzzz": 1}'
    ).err or (
        "Its variables are" in call("fork", "last", "--at", "0", "--set-state", '{"zzzz": 1}').err
    )
