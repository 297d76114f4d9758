from __future__ import annotations

import pytest

from tests.engine.run.probes import probe_registry
from tests.engine.run.simulate import simulate, through_snapshot
from tests.engine.run.sketch import chooses, rounds, sketch

REGISTRY = probe_registry()
TWICE = {"h": rounds(2), "i": rounds(2)}


def all_runs(flow, schedules=60):
    runs = [simulate(flow, REGISTRY, seed) for seed in range(schedules)]
    assert not any(run.warnings for run in runs)
    return runs


def visits(run):
    return sorted(node for node, _, _ in run.steps)


@pytest.mark.parametrize(
    "drawn",
    [
        "s>h h.go>p p>i p>b i.go>b b>>i i.stop>o o>>h h.stop>x",
        "s>h h.go>p h.go>i p>b i.go>b b>>i i.stop>o o>>h h.stop>x",
    ],
)
def test_a_value_of_an_outer_round_serves_every_inner_round(drawn):
    for run in all_runs(sketch(drawn, **TWICE)):
        received = [inputs for node, inputs, _ in run.steps if node == "b"]

        assert visits(run) == sorted(
            [
                "s",
                "h",
                "p",
                "i",
                "b",
                "i",
                "b",
                "i",
                "o",
                "h",
                "p",
                "i",
                "b",
                "i",
                "b",
                "i",
                "o",
                "h",
                "x",
            ]
        )
        assert all(set(inputs) == {"p", "i"} for inputs in received)
        assert len({str(inputs["p"]) for inputs in received}) == 2
        assert not run.unmatched


@pytest.mark.parametrize("kind", [">", "=>"])
def test_a_loop_without_rounds_is_not_begun_by_the_value_that_waits_in_it(kind):
    flow = sketch(f"s>c c{kind}b s>h h.go>b b>>h h.stop>x", h=rounds(0))
    for run in all_runs(flow):
        assert visits(run) == ["c", "h", "s", "x"]
        assert [token["edge"] for token in run.unmatched] == (["e1"] if kind == ">" else [])


def test_a_value_that_waits_where_no_round_comes_by_starts_no_round():
    flow = sketch(
        "s>c c>b s>h h.go>q q.t>b q.f>n n>>h b>>h h.stop>x", h=rounds(2), q=chooses("f", "f")
    )
    for run in all_runs(flow):
        assert visits(run) == sorted(["s", "c", "h", "q", "n", "h", "q", "n", "h", "x"])
        assert [token["edge"] for token in run.unmatched] == ["e1"]


def test_a_value_that_waits_in_a_loop_is_kept_over_snapshots():
    flow = sketch("s>h h.go>p p>i p>b i.go>b b>>i i.stop>o o>>h h.stop>x", **TWICE)
    run = simulate(flow, REGISTRY, 3)
    whole = through_snapshot(run, REGISTRY, 1)

    for place in range(2, len(run.events)):
        assert through_snapshot(run, REGISTRY, place) == whole


def test_collect_behind_a_loop_takes_the_values_of_all_rounds_at_once():
    flow = sketch("s>h h.go>b b>>h b>k h.stop>x", h=rounds(3), k={"join": "collect"})
    for run in all_runs(flow):
        [collected] = [inputs for node, inputs, _ in run.steps if node == "k"]

        assert len(collected["b"]) == 3
