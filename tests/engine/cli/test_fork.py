from __future__ import annotations

import json
import shutil

import pytest

from tests.engine.cli.calls import approval, chain, counting, edge, flow_file, node

PROCEED = '{"check": {"type": "proceed"}}'


def test_a_fork_goes_on_from_the_step_with_other_variables(call, tmp_path):
    old = call("run", counting(tmp_path), "--json").json

    new = call("fork", old["run_id"], "--at", "2", "--set-state", '{"score": 95}', "--json")

    assert new.code == 0
    assert new.json["run_id"] != old["run_id"]
    assert [step["node"] for step in new.json["steps"]] == ["start", "set", "big", "yes"]
    assert [step["step"] for step in new.json["steps"]] == [1, 2, 3, 4]
    assert new.json["output"] == {"content": "big 95"}


def test_a_fork_needs_nothing_of_the_run_that_it_came_from(call, tmp_path, loopwright_home):
    old = call("run", approval(tmp_path), "--question", "q" * 20_000, "--json").json["run_id"]
    new = call("fork", old, "--at", "2", "--json").json["run_id"]
    shutil.rmtree(loopwright_home / "runs" / old)

    done = call("resume", new, "--answer", '{"type": "proceed"}', "--json")
    again = call("fork", new, "--at", "3", "--json")

    assert done.code == 0
    assert "q" * 20_000 in done.json["output"]["content"]
    assert [step["node"] for step in done.json["steps"]] == ["start", "draft", "check", "say"]
    assert again.code == 0
    assert len(again.json["steps"]) == 4


def test_a_fork_asks_again_what_was_open(call, tmp_path):
    old = call("run", approval(tmp_path), "--json").json
    new = call("fork", old["run_id"], "--at", "2", "--json")

    assert new.code == 4
    assert new.json["requests"][0]["id"] != old["requests"][0]["id"]
    assert call("resume", old["run_id"], "--answer", '{"type": "proceed"}').code == 0
    assert call("resume", new.json["run_id"], "--answer", '{"type": "proceed"}').code == 0


def test_a_fork_at_the_beginning_is_the_whole_run_again(call, tmp_path):
    old = call("run", counting(tmp_path), "--json").json

    new = call("fork", old["run_id"], "--at", "0", "--json").json

    timeless = [{**step, "ms": 0} for step in new["steps"]]
    assert timeless == [{**step, "ms": 0} for step in old["steps"]]


def test_a_fork_after_the_last_step_is_finished_at_once(call, tmp_path):
    old = call("run", counting(tmp_path), "--json").json

    new = call("fork", old["run_id"], "--at", "4", "--json")

    assert new.code == 0
    assert new.json["output"] == old["output"]


def test_a_fork_with_another_output_of_a_node_uses_it_downstream(call, tmp_path):
    flow = flow_file(
        tmp_path,
        "two",
        [
            node("start", "start"),
            node("one", "template", template="old"),
            node("say", "direct_reply", template="{{ input }} {{ one.output }}"),
        ],
        chain("start", "one", "say"),
    )
    old = call("run", flow, "--json").json["run_id"]

    new = call("fork", old, "--at", "2", "--set-output", "one=new", "--json")

    assert new.json["output"] == {"content": "new new"}


def test_another_output_also_comes_over_pins(call, tmp_path):
    flow = flow_file(
        tmp_path,
        "pins",
        [
            node("start", "start"),
            node("one", "get_variables", variables=["a", "b"]),
            node("say", "direct_reply"),
        ],
        [
            edge("e1", "start", "one"),
            edge("e2", "one", "say", source_pin="a", target_pin="template"),
        ],
        variables=[{"name": "a", "default": "old"}, {"name": "b", "default": 1}],
    )
    old = call("run", flow, "--json").json["run_id"]

    new = call("fork", old, "--at", "2", "--set-output", 'one={"a": "new"}', "--json")

    assert new.json["output"] == {"content": "new"}


def test_a_fork_before_a_failed_step_goes_on_with_a_mended_flow(call, tmp_path):
    nodes = [
        node("start", "start"),
        node("one", "template", template="fine"),
        node("two", "llm", model="pretend/faults:500", prompt="x"),
    ]
    broken = flow_file(tmp_path, "broken", nodes, chain("start", "one", "two"))
    nodes[2] = node("two", "direct_reply", template="{{ one.output }}!")
    mended = flow_file(tmp_path, "mended", nodes[::-1], chain("start", "one", "two"))
    old = call("run", broken, "--json")
    assert old.code == 3

    for at in ("2", "3"):
        new = call("fork", old.json["run_id"], "--at", at, "--flow", mended, "--json")
        assert new.code == 0
        assert new.json["output"] == {"content": "fine!"}
        assert [step["status"] for step in new.json["steps"]][:2] == ["finished", "finished"]


def test_a_loop_goes_on_in_the_same_round_on_a_flow_with_other_numbers(call, tmp_path):
    old = call(
        "run", approval(tmp_path), "--answers", '{"check": [{"type": "reject"}]}', "--json"
    ).json
    document = json.loads(approval(tmp_path).read_text("utf-8"))
    document["nodes"] = [node("extra", "template", template="x"), *document["nodes"][::-1]]
    document["edges"] = [edge("e0", "say", "extra"), *document["edges"][::-1]]
    changed = tmp_path / "changed.flow.json"
    changed.write_text(json.dumps(document), "utf-8")

    new = call(
        "fork", old["run_id"], "--at", "3", "--flow", changed, "--answers", PROCEED, "--json"
    )

    assert new.code == 0
    said = next(step for step in new.json["steps"] if step["node"] == "say")
    assert said["output"] == {"content": "Sent: To , try 1"}
    assert new.json["output"] == "x"


def test_a_flow_that_lacks_what_is_under_way_is_refused_with_every_name(call, tmp_path):
    old = call("run", approval(tmp_path), "--json").json
    other = flow_file(
        tmp_path,
        "other",
        [node("start", "start"), node("draft", "template", template="x")],
        chain("start", "draft"),
    )
    before = call("runs", "list", "--json").json["total"]

    new = call("fork", old["run_id"], "--at", "2", "--flow", other, "--json")

    assert new.code == 2
    assert "node 'check' is gone" in new.json["error"]["message"]
    assert call("runs", "list", "--json").json["total"] == before


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["--at", "9"], "no step 9", "0 to 4"),
        (["--at", "-1"], "", ""),
        ([], "--at", ""),
        (["--at", "2", "--set-state", '{"scor": 1}'], "no variable 'scor'", "score"),
        (["--at", "2", "--set-state", '{"score": "x"}'], "must be a number", ""),
        (["--at", "2", "--set-state", "[1]"], "must be an object", ""),
        (["--at", "2", "--set-output", "st=1"], "no node 'st'", "set"),
        (["--at", "2", "--set-output", "set"], "NODE=VALUE", ""),
        (["--at", "2", "--flow", "/none.flow.json"], "There is no file", ""),
    ],
)
def test_a_fork_that_cannot_be_is_refused_and_makes_nothing(call, tmp_path, words, message, hint):
    old = call("run", counting(tmp_path), "--json").json["run_id"]

    new = call("fork", old, *words, "--json")

    assert new.code == 2
    assert message in new.json["error"]["message"]
    assert hint in new.json["error"]["hint"]
    assert call("runs", "--json").json["total"] == 1


def test_a_step_before_a_fork_is_looked_up_in_the_run_that_it_came_from(call, tmp_path):
    old = call("run", counting(tmp_path), "--json").json["run_id"]
    new = call("fork", old, "--at", "2", "--json").json["run_id"]

    done = call("runs", "state", new, "--at", "1", "--json")

    assert done.code == 2
    assert old in done.json["error"]["hint"]


def test_boxes_under_way_go_on_in_a_fork_on_another_flow(call, tmp_path):
    def document(name: str, text: str):
        nodes = [
            node("start", "start"),
            node("box", "iteration", items=[1, 2, 3]),
            {**node("inner", "template", template="a{{ $iteration.item }}"), "parent": "box"},
            {**node("last", "template", template=text), "parent": "box"},
            node("say", "template", template="{{ box.output }}"),
        ]
        edges = [*chain("start", "box", "say"), edge("in", "inner", "last")]
        return flow_file(tmp_path, name, nodes, edges)

    old = call("run", document("one", "{{ inner.output }}"), "--json").json
    inner = next(s for s in old["steps"] if s["node"] == "inner" and s["path"] == "box#1")

    new = call(
        "fork", old["run_id"], "--at", str(inner["step"]), "--json",
        "--flow", document("two", "{{ inner.output }}!"),
    )  # fmt: skip

    assert new.code == 0
    assert new.json["output"] == '["a1", "a2!", "a3!"]'
