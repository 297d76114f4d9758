from __future__ import annotations

import json
import math

import pytest

from tests.engine.cli.calls import approval, chain, counting, flow_file, node

KEYS = [
    "run_id",
    "status",
    "output",
    "messages",
    "context",
    "error",
    "requests",
    "warnings",
    "steps",
    "unmatched",
]
PROCEED = '{"check": {"type": "proceed"}}'


def test_json_holds_exactly_the_promised_keys(call, tmp_path):
    done = call("run", counting(tmp_path), "--json")

    assert done.code == 0
    assert list(done.json) == KEYS
    assert done.json["status"] == "finished"
    assert done.json["output"] == {"content": "small 15"}
    assert done.json["context"] == {"score": 15}
    steps = done.json["steps"]
    assert [step["node"] for step in steps] == ["start", "set", "big", "no"]
    assert steps[2]["route"] == "false"
    assert {
        "step",
        "node",
        "type",
        "visit",
        "status",
        "route",
        "inputs",
        "output",
        "error",
        "ms",
    } <= (steps[2].keys())
    assert done.err == ""


def test_a_person_reads_steps_output_and_what_to_do_next(call, tmp_path):
    done = call("run", approval(tmp_path), "--question", "Ann")

    assert done.code == 4
    assert "✓ draft" in done.out
    assert "Send **To Ann, try 0**?" in done.out
    assert "loopwright resume" in done.out
    assert """--answer '{"type": "proceed"}'""" in done.out
    assert "\x1b" not in done.out


def test_a_pause_lists_its_request_and_is_answered_by_resume(call, tmp_path):
    paused = call("run", approval(tmp_path), "--question", "Ann", "--json")
    assert paused.code == 4
    [request] = paused.json["requests"]
    assert request["node"] == "check"
    assert request["kind"] == "approve"
    assert request["options"] == ["proceed", "reject"]
    run_id = paused.json["run_id"]

    again = call("resume", run_id, "--answer", '{"type": "reject"}', "--json")
    assert again.code == 4
    assert [step["node"] for step in again.json["steps"]] == ["start", "draft", "check", "draft"]

    late = call(
        "resume", run_id, "--request", request["id"], "--answer", '{"type": "proceed"}', "--json"
    )
    assert late.code == 2
    assert "answered already" in late.json["error"]["message"]

    end = call("resume", "last", "--answer", '{"type": "proceed"}', "--json")
    assert end.code == 0
    assert end.json["output"] == {"content": "Sent: To Ann, try 1"}
    assert list(end.json) == KEYS


def test_an_answer_that_does_not_fit_changes_nothing(call, tmp_path):
    run_id = call("run", approval(tmp_path), "--json").json["run_id"]

    wrong = call("resume", run_id, "--answer", '{"type": "perhaps"}', "--json")

    assert wrong.code == 2
    assert "does not fit" in wrong.json["error"]["message"]
    assert call("resume", run_id, "--answer", '{"type": "proceed"}').code == 0


def test_answers_are_given_by_node_and_visit(call, tmp_path):
    answers = tmp_path / "answers.json"
    answers.write_text('{"check": [{"type": "reject"}, {"type": "reject"}, {"type": "proceed"}]}')

    done = call("run", approval(tmp_path), "--answers", f"@{answers}", "--json")

    assert done.code == 0
    assert done.json["output"] == {"content": "Sent: To , try 2"}


def test_answers_that_run_out_leave_the_run_waiting(call, tmp_path):
    done = call("run", approval(tmp_path), "--answers", '{"check": [{"type": "reject"}]}', "--json")

    assert done.code == 4
    assert done.json["requests"]


def test_an_answer_beforehand_that_does_not_fit_is_a_warning_and_the_run_waits(call, tmp_path):
    done = call("run", approval(tmp_path), "--answers", '{"check": {"choice": 1}}', "--json")

    assert done.code == 4
    assert "was not taken" in done.json["warnings"][0]["message"]
    assert "was not taken" in done.err


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["--answers", '{"chekc": {}}'], "no node 'chekc'", "check"),
        (["--answers", '{"draft": {}}'], "'draft' (draft) never asks", "check"),
        (["--answers", "proceed"], "no JSON", "--answers"),
        (["--input", "hello"], "no JSON", "--question 'hello'"),
        (["--input", '"hello"'], "must be an object", "--question 'hello'"),
        (["--input", '{"question": 1}'], "question must be text", ""),
        (["--input", '{"qestion": "x"}'], "no part 'qestion'", "question"),
        (["--input", '{"a": 1, "a": 2}'], "broken", ""),
        (["--input", '{"context": {"score": 1}}'], "no variable 'score'", ""),
        (["--input", '{"webhook": {"bdy": 1}}'], "no part 'bdy'", "body"),
        (["--input", '{"files": ["/no/such/file"]}'], "does not exist", ""),
        (["--input", "@/no/such/file.json"], "cannot be read", ""),
        (["--input", "{}", "--question", "x", "--set", "draft"], "node.field=value", ""),
        (["--set", "drft.template=x"], "no node 'drft'", "draft"),
        (["--set", "draft.templat=x"], "no field 'templat'", "template"),
        (["--model", "pretend/ecko"], "no model", "pretend/echo"),
        (["--max-steps", "0"], "at least 1", ""),
        (["--max-steps", "many"], "no whole number", ""),
        (["--jsno"], "no option '--jsno'", "--json"),
        (["more"], "one word too many", ""),
    ],
)
def test_a_slip_in_the_call_is_refused_in_words(call, tmp_path, words, message, hint):
    done = call("run", approval(tmp_path), *words, "--json")

    assert done.code == 2
    assert done.json["status"] == "error"
    assert message in done.json["error"]["message"]
    assert hint in done.json["error"]["hint"]
    assert message in done.err
    assert "Traceback" not in done.err


def test_a_flow_that_is_not_there_is_named_with_the_nearest(call, tmp_path):
    approval(tmp_path)

    done = call("run", tmp_path / "aproval.flow.json", "--json")

    assert done.code == 2
    assert "There is no file" in done.json["error"]["message"]
    assert "approval.flow.json" in done.json["error"]["hint"]


def test_a_broken_flow_file_is_told_with_its_place(call, tmp_path):
    path = tmp_path / "broken.flow.json"
    path.write_text('{"format": "loopwright.flow",\n "version": 1,,}')

    done = call("run", path, "--json")

    assert done.code == 2
    assert "line 2" in done.json["error"]["message"]
    assert done.json["error"]["kind"] == "flow_file"


def test_settings_and_variables_of_one_run_leave_the_file_alone(call, tmp_path):
    flow = counting(tmp_path)
    before = flow.read_bytes()

    done = call(
        "run", flow, "--set", "set.updates.0.value=90", "--set", 'yes.template="hm"',
        "--input", '{"context": {"score": "1"}}', "--json",
    )  # fmt: skip

    assert done.code == 0
    assert done.json["context"] == {"score": 91}
    assert done.json["output"] == {"content": "hm"}
    assert flow.read_bytes() == before


def test_a_variable_of_the_wrong_type_is_refused(call, tmp_path):
    done = call("run", counting(tmp_path), "--input", '{"context": {"score": "x"}}', "--json")

    assert done.code == 2
    assert "score" in done.json["error"]["message"]


def test_an_error_ends_with_3_and_the_run_goes_on_with_more_steps(call, tmp_path):
    flow = counting(tmp_path)

    failed = call("run", flow, "--max-steps", "2", "--json")
    assert failed.code == 3
    assert failed.json["error"]["kind"] == "max_steps"

    done = call("resume", failed.json["run_id"], "--max-steps", "10", "--json")
    assert done.code == 0
    assert [step["step"] for step in done.json["steps"]] == [1, 2, 3, 4]


def test_a_finished_run_cannot_go_on(call, tmp_path):
    run_id = call("run", counting(tmp_path), "--json").json["run_id"]

    done = call("resume", run_id, "--json")

    assert done.code == 2
    assert "is finished" in done.json["error"]["message"]


def test_a_waiting_run_without_an_answer_is_refused_with_the_request(call, tmp_path):
    run_id = call("run", approval(tmp_path), "--json").json["run_id"]

    done = call("resume", run_id, "--json")

    assert done.code == 2
    assert "waits for an answer" in done.json["error"]["message"]


def test_numbers_and_texts_that_json_lacks_are_printed_all_the_same(call, tmp_path):
    huge = 7**6000
    values = {"nan": math.nan, "far": -math.inf, "half": "\ud800", "big": 10**400, "huge": huge}
    variables = [
        {"name": name, "type": "any", "default": value}
        for name, value in values.items()
        if name != "huge"
    ]
    flow = flow_file(
        tmp_path, "odd", [node("start", "start"), node("say", "direct_reply", template="x")],
        chain("start", "say"), variables=variables,
    )  # fmt: skip

    done = call("run", flow, "--json")

    assert done.code == 0
    context = json.loads(done.out, parse_constant=pytest.fail)["context"]
    assert context["nan"] == "NaN"
    assert context["far"] == "-Infinity"
    assert context["half"] == "\ud800"
    assert context["big"] == 10**400
    assert call("runs", "state", "last").code == 0


def test_a_form_is_checked_before_anything_runs(call, tmp_path):
    fields = [
        {"name": "customer", "label": "Who?", "required": True},
        {"name": "amount", "type": "number", "default": 3},
    ]
    flow = flow_file(
        tmp_path,
        "form",
        [
            node("start", "start", input_mode="form", form_fields=fields),
            node("say", "direct_reply", template="{{ $form.customer }} {{ $form.amount }}"),
        ],
        chain("start", "say"),
    )

    missing = call("run", flow, "--json")
    wrong = call("run", flow, "--input", '{"form": {"custmer": "A"}}', "--json")
    right = call("run", flow, "--input", '{"form": {"customer": "A"}}', "--json")

    assert missing.code == 2
    assert "Who?" in missing.json["error"]["message"]
    assert wrong.code == 2
    assert "customer" in wrong.json["error"]["message"]
    assert right.json["output"] == {"content": "A 3"}


def test_control_signs_in_texts_do_not_reach_the_terminal(call, tmp_path):
    flow = flow_file(
        tmp_path,
        "evil",
        [
            {**node("start", "start"), "label": "a\x1b[2Jb"},
            node("say", "direct_reply", template="x\x1b]0;title\x07y\u202e"),
        ],
        chain("start", "say"),
    )

    done = call("run", flow)

    assert done.code == 0
    assert "\x1b" not in done.out
    assert "\x07" not in done.out
    assert "\u202e" not in done.out


def test_secrets_are_covered_in_everything_that_is_printed(call, tmp_path, monkeypatch):
    monkeypatch.setenv("LOOPWRIGHT_SECRET_KEY", "tr0ub4dor-and-more")
    flow = flow_file(
        tmp_path,
        "leak",
        [node("start", "start"), node("say", "direct_reply", template="tr0ub4dor-and-more")],
        chain("start", "say"),
    )

    for words in (["run", flow], ["run", flow, "--json"], ["runs", "steps", "last"]):
        done = call(*words)
        assert done.code == 0
        assert "tr0ub4dor" not in done.out + done.err
        assert "•••" in done.out


def test_streamed_text_stands_beside_the_json_and_not_in_it(call, tmp_path):
    flow = flow_file(
        tmp_path,
        "talk",
        [node("start", "start"), node("ask", "llm", model="pretend/echo", prompt="one two three")],
        chain("start", "ask"),
    )

    plain = call("run", flow, "--stream")
    machine = call("run", flow, "--stream", "--json")

    assert "… ask: one two three" in plain.out
    assert machine.json["status"] == "finished"
    assert "… ask: one two three" in machine.err


def test_own_node_files_are_used_and_broken_ones_told_of(call, tmp_path, loopwright_home):
    nodes = loopwright_home / "nodes"
    nodes.mkdir(parents=True)
    (nodes / "shout.py").write_text(
        "from __future__ import annotations\n"
        "from typing import ClassVar\n"
        "from engine.node_type import Group, NodeMeta, NodeType, Output\n"
        "class Shout(NodeType):\n"
        "    '''Turns it into capitals.'''\n"
        "    meta: ClassVar[NodeMeta] = NodeMeta(\n"
        "        type_id='shout', title='Shout', group=Group.DATA, icon='x')\n"
        "    text: str = 'hey'\n"
        "    async def run(self, step):\n"
        "        return Output(self.text.upper())\n"
    )
    (nodes / "broken.py").write_text("1 / 0\n")
    flow = flow_file(
        tmp_path, "own", [node("start", "start"), node("s", "shout")], chain("start", "s")
    )

    done = call("run", flow, "--json")

    assert done.code == 0
    assert done.json["output"] == "HEY"
    assert done.err.count("broken.py") == 1


def test_a_fault_of_the_program_is_an_apology_with_a_file(
    call, tmp_path, loopwright_home, monkeypatch
):
    def fail(*_):
        raise ZeroDivisionError("secretly")

    monkeypatch.setattr("engine.cli.run.open_workplace", fail)

    done = call("run", counting(tmp_path), "--json")

    assert done.code == 3
    assert "not your mistake" in done.json["error"]["message"]
    assert "Traceback" not in done.err
    [kept] = (loopwright_home / "cache").glob("fault-*.txt")
    assert "ZeroDivisionError: secretly" in kept.read_text("utf-8")


def test_an_interruption_before_the_run_is_told_as_json_too(call, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("engine.cli.run.open_workplace", interrupt)

    done = call("run", counting(tmp_path), "--json")

    assert done.code == 130
    assert done.json["error"]["kind"] == "interrupted"
