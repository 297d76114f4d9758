from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from engine.cli.commands import COMMANDS
from engine.flow.file import flow_data, read_flow
from engine.registry import NodeRegistry
from engine.store.library import Library
from engine.store.places import default_places
from engine.store.settings import NodeLimits, Settings, SettingsStore
from tests.engine.cli.calls import chain, counting, edge, flow_file, node
from tests.engine.cli.processes import environment


def test_the_overview_lists_every_command_and_imports_none(call):
    done = call("--help")

    assert done.code == 0
    for command in COMMANDS:
        assert f"  {command.name}" in done.out


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_every_command_has_a_help_page(call, command):
    done = call(command, "--help")

    assert done.code == 0
    assert f"usage: loopwright {command}" in done.out
    assert call("help", command).out == done.out


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["rum"], "no command 'rum'", "run"),
        (["Validate"], "no command 'Validate'", "validate"),
        (["--versoin"], "no option '--versoin'", "--version"),
        (["batch"], "no command 'batch'", ""),
        (["run"], "missing: FLOW", "--help"),
        (["fork", "last"], "--at", ""),
        (["runs", "lst"], "'lst' is none of", "list"),
        (["runs", "show"], "missing: RUN", ""),
        (["validate"], "missing: FLOW", ""),
        (["resume", "last", "--request", "x"], "--request needs --answer", ""),
        (["resume", "last"], "No run has begun", "loopwright run"),
        (["resume", "2026"], "There is no run '2026'", ""),
        (["runs", "list", "-n", "0"], "at least 1", ""),
    ],
)
def test_a_wrong_call_ends_with_2_and_says_what_to_try(call, words, message, hint):
    done = call(*words, "--json")

    assert done.code == 2
    assert message in done.json["error"]["message"]
    assert hint in done.json["error"]["hint"]


@pytest.mark.parametrize("words", [[], ["edit"], ["some.flow.json"], ["edit", "x.flow.json"]])
def test_the_window_is_announced_in_one_sentence(call, words):
    done = call(*words)

    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "loopwright run FLOW" in done.err


def test_validate_lists_problems_with_place_and_code(call, tmp_path):
    good = counting(tmp_path)
    bad = flow_file(
        tmp_path,
        "bad",
        [node("start", "start"), node("c", "condition", expression="context.scor >")],
        chain("start", "c"),
    )

    done = call("validate", good, bad, tmp_path / "none.flow.json", "--json")

    assert done.code == 2
    assert done.json["valid"] is False
    assert [flow["valid"] for flow in done.json["flows"]] == [True, False, False]
    problem = next(p for p in done.json["problems"] if p["node"] == "c")
    assert problem["severity"] == "error"
    assert {"code", "severity", "node", "edge", "message", "fix", "flow"} <= problem.keys()
    text = call("validate", bad)
    assert text.code == 2
    assert f"[{problem['code']}]" in text.out
    assert call("validate", good).code == 0


def test_a_flow_with_mistakes_does_not_run_and_they_are_listed(call, tmp_path):
    bad = flow_file(
        tmp_path,
        "bad",
        [node("start", "start"), node("c", "condition", expression="1 +")],
        chain("start", "c"),
    )

    done = call("run", bad, "--json")

    assert done.code == 2
    assert done.json["error"]["problems"][0]["node"] == "c"
    assert done.json["error"]["kind"] == "invalid_flow"
    assert call("runs", "--json").json["total"] == 0


def test_a_type_that_is_not_installed_stops_a_run_only_when_it_is_reached(call, tmp_path):
    nodes = [
        node("start", "start"),
        node("if", "condition", expression="'go' in question"),
        node("strange", "strange_type"),
        node("say", "direct_reply", template="x"),
    ]
    edges = [
        *chain("start", "if"),
        edge("t", "if", "strange", edge_type="conditional", route_key="true"),
        edge("f", "if", "say", edge_type="conditional", route_key="false"),
    ]
    flow = flow_file(tmp_path, "strange", nodes, edges)

    past = call("run", flow, "--question", "no", "--json")
    reached = call("run", flow, "--question", "go", "--json")

    assert past.code == 0
    assert reached.code == 3
    assert "strange_type" in reached.json["error"]["message"]


def test_the_catalogue_lists_every_type_by_group_and_shows_one(call):
    listed = call("nodes")
    facts = call("nodes", "--json").json
    page = call("nodes", "condition")

    for type_id in NodeRegistry().type_ids():
        assert f"  {type_id}" in listed.out
    assert [each["type"] for each in facts["nodes"]] == list(NodeRegistry().type_ids())
    assert page.out.startswith("# If")
    assert call("nodes", "condition", "--json").json["title"] == "If"


@pytest.mark.parametrize(("word", "meant"), [("if", "condition"), ("conditon", "condition")])
def test_an_unknown_type_names_the_one_that_is_meant(call, word, meant):
    done = call("nodes", word, "--json")

    assert done.code == 2
    assert meant in done.json["error"]["hint"]


def test_the_doctor_finds_all_well_and_makes_nothing(call, loopwright_home):
    done = call("doctor", "--json")

    assert done.code == 0
    assert done.json["well"] is True
    assert not loopwright_home.exists()
    assert "All is well" in call("doctor").out


def test_the_doctor_names_what_is_not_well(call, tmp_path, loopwright_home):
    run_id = call("run", counting(tmp_path), "--json").json["run_id"]
    journal = loopwright_home / "runs" / run_id / "journal.log"
    journal.write_bytes(b"nonsense\nmore\n" + journal.read_bytes())
    (loopwright_home / "nodes" / "bad.py").write_text("1 +")
    (loopwright_home / "flows.json").write_text("no library")

    done = call("doctor", "--json")

    assert done.code == 3
    bad = {each["part"] for each in done.json["findings"] if each["state"] == "bad"}
    assert bad == {"Runs", "Nodes", "Data"}
    assert "Something needs you" in call("doctor").out


def test_a_home_that_cannot_be_made_is_told_in_words(call, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LOOPWRIGHT_HOME", str(tmp_path / "file" / "home"))

    done = call("run", counting(tmp_path), "--json")
    examined = call("doctor", "--json")

    assert done.code == 3
    assert "home" in done.json["error"]["message"]
    assert examined.code == 3


def test_flows_of_the_library_run_by_name_and_id_and_inside_others(call, tmp_path):
    places = default_places()
    Library(places.flows).save(flow_data(read_flow(counting(tmp_path, "inner"))))
    outer = flow_file(
        tmp_path, "outer",
        [node("start", "start"), node("sub", "execute_flow", flow="Inner")],
        chain("start", "sub"),
    )  # fmt: skip
    (tmp_path / "inner.flow.json").unlink()

    assert call("run", "Inner", "--json").json["output"] == {"content": "small 15"}
    assert call("run", "inner", "--json").code == 0
    assert call("run", outer, "--json").json["output"] == {"content": "small 15"}
    assert "Inner" in call("run", "Iner", "--json").json["error"]["hint"]


def test_settings_give_variables_and_limits_to_every_flow(call, tmp_path):
    store = SettingsStore(default_places().settings)
    store.save(Settings(variables={"firm": "Tea & Co"}, limits=NodeLimits(max_steps=3)))
    nodes = [node("start", "start"), node("say", "direct_reply", template="{{ $vars.firm }}")]
    short = flow_file(tmp_path, "short", nodes, chain("start", "say"))

    assert call("run", short, "--json").json["output"] == {"content": "Tea & Co"}
    assert call("run", counting(tmp_path), "--json").json["error"]["kind"] == "max_steps"
    own = counting(tmp_path, "own", settings={"max_steps": 50})
    assert call("run", own, "--json").code == 0


def test_a_small_flow_runs_cold_in_a_fraction_of_a_second(tmp_path):
    flow = counting(tmp_path)
    best = 10.0
    for _ in range(5):
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "engine", "run", str(flow)],
            env={
                **environment(),
                "PYTHONDONTWRITEBYTECODE": "",
                "PYTHONPYCACHEPREFIX": str(tmp_path / "pyc"),
            },
            check=True,
            capture_output=True,
        )
        best = min(best, time.perf_counter() - begun)

    # The goal is 0.4 s; a busy machine takes longer.
    assert best < (0.8 if not os.environ.get("CI") else 2.0)


def test_what_a_node_prints_does_not_spoil_the_json(call, tmp_path, loopwright_home):
    nodes = loopwright_home / "nodes"
    nodes.mkdir(parents=True)
    (nodes / "chatty.py").write_text(
        "from typing import ClassVar\n"
        "from engine.node_type import Group, NodeMeta, NodeType, Output\n"
        "print('loaded')\n"
        "class Chatty(NodeType):\n"
        "    '''Prints.'''\n"
        "    meta: ClassVar[NodeMeta] = NodeMeta(\n"
        "        type_id='chatty', title='C', group=Group.DO, icon='x')\n"
        "    async def run(self, step):\n"
        "        print('hello')\n"
        "        return Output(1)\n"
    )
    flow = flow_file(
        tmp_path, "c", [node("start", "start"), node("c", "chatty")], chain("start", "c")
    )

    done = call("run", flow, "--json")

    assert done.json["output"] == 1
    assert done.err == "loaded\nhello\n"


def test_nested_runs_are_listed_as_they_stand(call, tmp_path):
    ask = flow_file(
        tmp_path, "ask",
        [node("start", "start"), node("boss", "human_input", prompt="Well?", mode="text")],
        chain("start", "boss"),
    )  # fmt: skip
    outer = flow_file(
        tmp_path, "outer",
        [node("start", "start"), node("sub", "execute_flow", flow=ask.name)],
        chain("start", "sub"),
    )  # fmt: skip

    first = call("run", outer, "--json").json
    [parent, child] = sorted(call("runs", "--json").json["runs"], key=lambda run: run["run_id"])
    assert (parent["status"], child["status"]) == ("paused", "paused")
    assert child["parent"] == first["run_id"]

    done = call("resume", first["run_id"], "--answer", '{"text": "yes"}', "--json")

    assert done.json["output"] == {"text": "yes"}
    assert {run["status"] for run in call("runs", "--json").json["runs"]} == {"finished"}


def test_a_fork_starts_nested_runs_of_its_own(call, tmp_path):
    ask = flow_file(
        tmp_path, "ask",
        [node("start", "start"), node("boss", "human_input", prompt="Well?", mode="text")],
        chain("start", "boss"),
    )  # fmt: skip
    outer = flow_file(
        tmp_path, "outer",
        [node("start", "start"), node("sub", "execute_flow", flow=ask.name)],
        chain("start", "sub"),
    )  # fmt: skip
    old = call("run", outer, "--json").json

    new = call("fork", old["run_id"], "--at", "1", "--json").json

    assert new["requests"][0]["id"] != old["requests"][0]["id"]
    for run in (new, old):
        done = call("resume", run["run_id"], "--answer", f'{{"text": "{run["run_id"]}"}}', "--json")
        assert done.json["output"] == {"text": run["run_id"]}


@pytest.mark.parametrize("word", ["x" * 5000, "a\0b", "/proc/1/x/y", ".", "", "ä\udc80"])
def test_no_name_of_a_flow_is_too_odd_to_be_refused_in_words(call, word):
    for command in ("run", "validate", "test"):
        done = call(command, word, "--json")
        assert done.code == 2
        assert "not your mistake" not in done.err
