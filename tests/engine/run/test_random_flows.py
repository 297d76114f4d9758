from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.run.blocks import Seq
from tests.engine.run.compare import counted, difference
from tests.engine.run.drawing import flow_of
from tests.engine.run.oracle import TooLarge, expected_of
from tests.engine.run.probes import probe_registry
from tests.engine.run.simulate import simulate
from tests.engine.run.smaller import smallest
from tests.engine.run.structured import random_tree, trees

MOST_STEPS = 300
REGISTRY = probe_registry()


def disagreement(
    tree: Seq,
    schedules: range,
    shuffled: random.Random | None = None,
    max_concurrency: int = 8,
) -> str:
    """What a run does otherwise than the model says; empty when nothing, or when it is too long."""
    try:
        visits = expected_of(tree, MOST_STEPS).visits
    except TooLarge:
        return ""
    expected = counted((visit.node_id, visit.inputs, visit.output) for visit in visits)
    flow = flow_of(tree, shuffled, max_concurrency)
    for schedule in schedules:
        run = simulate(flow, REGISTRY, schedule)
        faults = [difference(expected, counted(run.steps))]
        for what in ("unmatched", "warnings", "forced"):
            found = getattr(run, what)
            faults.append(f"{what}: {found}" if found else "")
        if any(faults):
            return f"schedule {schedule}:\n" + "\n".join(fault for fault in faults if fault)
    return ""


def check(tree: Seq, schedules: range, **drawn: Any) -> None:
    fault = disagreement(tree, schedules, **drawn)
    if fault:
        drawn.pop("shuffled", None)
        least = smallest(tree, lambda each: bool(disagreement(each, schedules, **drawn)))
        least_fault = disagreement(least, schedules, **drawn) or fault
        pytest.fail(f"{least}\n{least_fault}", pytrace=False)


@pytest.mark.parametrize("seed", range(240))
def test_a_structured_flow_runs_the_steps_that_its_blocks_mean(seed):
    check(random_tree(random.Random(seed)), range(5))


@pytest.mark.parametrize("seed", range(1000, 1030))
def test_a_large_structured_flow_runs_the_steps_that_its_blocks_mean(seed):
    check(random_tree(random.Random(seed), deepest=5, most_nodes=60), range(3))


@pytest.mark.parametrize("seed", range(2000, 2040))
def test_the_order_of_nodes_and_edges_in_the_document_changes_no_step(seed):
    rng = random.Random(seed)

    check(random_tree(rng), range(3), shuffled=rng)


@pytest.mark.parametrize("max_concurrency", [1, 2, 3])
def test_few_steps_at_once_change_no_step(max_concurrency):
    for seed in range(3000, 3030):
        check(random_tree(random.Random(seed)), range(2), max_concurrency=max_concurrency)


@given(trees(), st.integers(0, 2**32))
def test_any_structured_flow_runs_alike_under_any_schedule(tree, seed):
    fault = disagreement(tree, range(seed, seed + 2))

    assert not fault, f"{tree}\n{fault}"
