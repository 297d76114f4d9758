from __future__ import annotations

import json

import pytest

from engine.cli.main import main
from engine.flow.document import Flow
from engine.flow.file import write_flow


def flow(name, nodes, edges):
    return Flow.model_validate(
        {
            "id": name,
            "name": name,
            "nodes": nodes,
            "edges": [
                {"id": f"e{n}", "source": source, "target": target}
                for n, (source, target) in enumerate(edges)
            ],
        }
    )


@pytest.fixture
def paused(tmp_path, capsys):
    """A run that waits for a question of its nested run: the ids of both."""
    ask = {"id": "q", "type": "human_input", "config": {"prompt": "Name?", "mode": "text"}}
    start = {"id": "s", "type": "start", "config": {"input_mode": "none"}}
    call = {"id": "r", "type": "execute_flow", "config": {"flow": "inner"}}
    write_flow(tmp_path / "inner.flow.json", flow("inner", [start, ask], [("s", "q")]))
    write_flow(tmp_path / "outer.flow.json", flow("outer", [start, call], [("s", "r")]))
    assert main(["run", str(tmp_path / "outer.flow.json"), "--json"]) == 4
    told = json.loads(capsys.readouterr().out)
    return told["run_id"], told["requests"][0]["id"].split("/")[0]


def test_a_nested_run_that_is_waited_for_is_neither_deleted_nor_answered_by_itself(paused, capsys):
    parent, child = paused

    assert main(["runs", "delete", child]) == 2
    assert parent in capsys.readouterr().err
    assert main(["resume", child, "--answer", '{"text": "x"}']) == 2
    assert f"loopwright resume {parent}" in capsys.readouterr().err


def test_deleting_a_run_deletes_the_nested_runs_that_it_started(paused, capsys):
    parent, child = paused

    assert main(["runs", "delete", parent, "--json"]) == 0
    assert sorted(json.loads(capsys.readouterr().out)["deleted"]) == sorted([parent, child])
    assert main(["runs", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["runs"] == []
