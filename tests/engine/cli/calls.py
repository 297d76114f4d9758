"""Calls of the command line inside this process, and small flows for them."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from engine.cli.main import main


class Call:
    """One call: its exit code, what it printed, and that as JSON."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)


def caller(capsys):
    def call(*words: str) -> Call:
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Call(code, captured.out, captured.err)

    return call


def node(name: str, kind: str, **config: Any) -> dict[str, Any]:
    return {"id": name, "type": kind, "config": config}


def edge(name: str, source: str, target: str, **data: Any) -> dict[str, Any]:
    return {"id": name, "source": source, "target": target, "data": data}


def flow_file(folder: Path, name: str, nodes: list, edges: list, **more: Any) -> Path:
    path = folder / f"{name}.flow.json"
    whole = {"format": "loopwright.flow", "version": 1, "id": name, "name": name.capitalize()}
    path.write_text(json.dumps({**whole, "nodes": nodes, "edges": edges, **more}), "utf-8")
    return path


def chain(*names: str) -> list[dict[str, Any]]:
    pairs = itertools.pairwise(names)
    return [edge(f"e{n}", one, two) for n, (one, two) in enumerate(pairs, 1)]


def approval(folder: Path, name: str = "approval") -> Path:
    """Draft, ask, say; a rejection goes back to the draft."""
    nodes = [
        node("start", "start"),
        node("draft", "template", template="To {{ question }}, try {{ loop.count }}"),
        node("check", "human_input", prompt="Send **{{ draft.output }}**?"),
        node("say", "direct_reply", template="Sent: {{ draft.output }}"),
    ]
    edges = [
        edge("e1", "start", "draft"),
        edge("e2", "draft", "check"),
        edge("e3", "check", "say", edge_type="conditional", route_key="proceed"),
        edge("e4", "check", "draft", edge_type="loop_back", route_key="reject"),
    ]
    return flow_file(folder, name, nodes, edges)


def counting(folder: Path, name: str = "counting", **more: Any) -> Path:
    """Sets `score`, decides by it, and says so; no person is asked."""
    nodes = [
        node("start", "start"),
        node(
            "set",
            "set_variables",
            updates=[{"variable": "score", "operation": "add", "value": 10}],
        ),
        node("big", "condition", expression="context.score > 80"),
        node("yes", "direct_reply", template="big {{ context.score }}"),
        node("no", "direct_reply", template="small {{ context.score }}"),
    ]
    edges = [
        *chain("start", "set", "big"),
        edge("t", "big", "yes", edge_type="conditional", route_key="true"),
        edge("f", "big", "no", edge_type="conditional", route_key="false"),
    ]
    variables = [{"name": "score", "type": "number", "default": 5}]
    return flow_file(folder, name, nodes, edges, **{"variables": variables, **more})
