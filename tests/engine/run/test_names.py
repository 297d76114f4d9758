from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engine.flow.document import Flow
from engine.flow.file import flow_data
from engine.registry import NodeRegistry
from engine.run import events
from engine.run.fold import begin_condition
from engine.run.runner import Runner
from engine.run.services import Services


def finished_outputs(nodes: list[dict[str, Any]], edges: list[str]) -> list[tuple[str, Any]]:
    """The outputs of the steps of a run of built-in nodes, in the order in which they finished."""
    made = [edge.split() for edge in edges]
    flow = Flow.model_validate(
        {
            "id": "names",
            "nodes": nodes,
            "edges": [
                {
                    "id": f"e{n}",
                    "source": source,
                    "target": target,
                    "data": {"route_key": key[0] if key else None},
                }
                for n, (source, target, *key) in enumerate(made)
            ],
        }
    )
    first = events.RunStarted("names", flow_data(flow), 0.0)
    condition = begin_condition(first, NodeRegistry())
    seen: list[tuple[str, Any]] = []

    def watch(event: events.Event) -> None:
        if isinstance(event, events.StepFinished):
            seen.append((event.node, event.outputs[-1]))

    asyncio.run(Runner(condition, Services(), (watch,)).run())
    assert condition.status == "finished", condition.error
    return seen


def fill(name: str, text: str) -> dict[str, Any]:
    return {"id": name, "type": "template", "config": {"template": text}}


def while_rounds(count: int) -> dict[str, Any]:
    config = {"conditionType": "while", "condition": f"loop_count < {count}"}
    return {"id": "h", "type": "loop_condition", "config": config}


def test_a_step_sees_the_output_of_the_round_before_where_its_own_round_has_none():
    nodes = [
        {"id": "s", "type": "start"},
        while_rounds(3),
        fill("a", "{{ b.output | default('-') }}"),
        fill("b", "{{ a }}{{ loop.count }}"),
        fill("x", "{{ b }}"),
    ]

    seen = finished_outputs(nodes, ["s h", "h a continue_loop", "a b", "b h", "h x exit_loop"])

    assert [value for node, value in seen if node == "a"] == ["-", "-0", "-01"]
    assert seen[-1] == ("x", "-012")


def test_a_step_of_one_strand_never_sees_the_output_of_another():
    nodes = [
        {"id": "s", "type": "start"},
        {"id": "g", "type": "split", "config": {"items": ["p", "q", "r"]}},
        fill("a", "a{{ input }}"),
        fill("b", "{{ g }}{{ a }}"),
        {
            "id": "j",
            "type": "aggregator",
            "config": {"error_strategy": "best_effort", "wait": "everything"},
        },
    ]

    seen = finished_outputs(nodes, ["s g", "g a", "a b", "b j"])

    assert [value for node, value in seen if node == "b"] == ["pap", "qaq", "rar"]


def test_a_side_branch_sees_the_outputs_of_the_round_that_it_came_from():
    nodes = [
        {"id": "s", "type": "start"},
        while_rounds(3),
        fill("a", "round {{ loop.count }}"),
        fill("side", "{{ input }}"),
        fill("later", "{{ a }} {{ loop.count }}"),
        fill("x", "end"),
    ]
    edges = ["s h", "h a continue_loop", "a side", "side later", "a h", "h x exit_loop"]

    seen = finished_outputs(nodes, edges)

    assert sorted(value for node, value in seen if node == "later") == [
        "round 0 0",
        "round 1 1",
        "round 2 2",
    ]


@pytest.mark.parametrize("rounds", [40, 200])
def test_outputs_that_nobody_can_ask_for_any_more_are_forgotten(rounds):
    flow = Flow.model_validate(
        {
            "id": "long",
            "settings": {"max_steps": 10_000},
            "nodes": [
                {"id": "s", "type": "start"},
                {**while_rounds(rounds), "config": {**while_rounds(rounds)["config"],
                                                   "maxIterations": 1000}},
                fill("a", "{{ loop.count }}"),
            ],
            "edges": [
                {"id": "1", "source": "s", "target": "h"},
                {"id": "2", "source": "h", "target": "a", "data": {"route_key": "continue_loop"}},
                {"id": "3", "source": "a", "target": "h"},
            ],
        }
    )  # fmt: skip
    condition = begin_condition(events.RunStarted("r", flow_data(flow), 0.0), NodeRegistry())

    asyncio.run(Runner(condition, Services()).run())

    assert condition.visits["a"] == rounds
    assert max(len(known) for known in condition.top.outputs.values()) <= 40
