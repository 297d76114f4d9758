from __future__ import annotations

import json

import pytest

from engine.flow.file import read_flow
from engine.gallery import gallery_flows

FLOWS = [flow for flow in gallery_flows() if flow.cases is not None]


def finished_case(flow):
    cases = json.loads(flow.cases.read_text("utf-8"))["cases"]
    return next(case for case in cases if case["expect"]["status"] == "finished")


@pytest.mark.parametrize("flow", FLOWS, ids=[flow.file.name for flow in FLOWS])
def test_a_fork_at_any_step_comes_to_the_same_end(call, tmp_path, flow):
    case = finished_case(flow)
    given = ["--answers", json.dumps(case.get("answers", {}))]
    old = call("run", flow.file, "--input", json.dumps(case["input"]), *given, "--json").json
    # The same nodes and edges, all with other numbers.
    document = json.loads(flow.file.read_text("utf-8"))
    document["nodes"].reverse()
    document["edges"].reverse()
    turned = tmp_path / "turned.flow.json"
    turned.write_text(json.dumps(document), "utf-8")
    for other in flow.file.parent.glob("*.flow.json"):
        (tmp_path / other.name).write_bytes(other.read_bytes())

    assert read_flow(turned).id == read_flow(flow.file).id
    for step in range(len(old["steps"]) + 1):
        words = ["fork", old["run_id"], "--at", str(step), *given, "--json"]
        same = call(*words).json
        elsewhere = call(*words, "--flow", turned).json
        assert same["output"] == old["output"], step
        assert same["context"] == old["context"], step
        assert sorted(map(name, same["steps"])) == sorted(map(name, old["steps"]))
        assert sorted(map(name, elsewhere["steps"])) == sorted(map(name, old["steps"])), step
        assert elsewhere["status"] == "finished"


def name(step):
    return step["node"], step["visit"]
