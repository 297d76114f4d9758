from __future__ import annotations

import random

import pytest

from engine.flow.document import Flow
from tests.engine.run.compare import counted, difference
from tests.engine.run.probes import probe_registry
from tests.engine.run.simulate import simulate
from tests.engine.run.sketch import chooses, gives, sketch

REGISTRY = probe_registry()
MOST_STEPS = 150


def random_graph(rng: random.Random) -> Flow:
    """A flow without any structure: edges forward at random, and a few that go back."""
    names = ["s", *(f"n{number}" for number in range(1, rng.randint(3, 8)))]
    nodes = {name: rng.choice([{}, {}, {}, _choosing(rng), _choosing(rng), _giving(rng)])
             for name in names[1:]}  # fmt: skip
    edges = [_edge(rng, nodes, rng.choice(names[:place]), names[place])
             for place in range(1, len(names))]  # fmt: skip
    for _ in range(rng.randint(1, 4)):
        source, target = sorted(rng.sample(range(len(names)), 2))
        edges.append(_edge(rng, nodes, names[source], names[target]))
    for _ in range(rng.randint(0, 2)):
        source = rng.randrange(1, len(names))
        if nodes[names[source]].get("type") == "choose":
            edges.append(f"{names[source]}.t>>{names[rng.randint(1, source)]}")
    return sketch(" ".join(edges), **nodes)


def _choosing(rng: random.Random) -> dict[str, object]:
    routes = rng.choice([("t", "f"), ("t", "t", "f"), ("f", "t", "f")])
    return chooses(*routes, by=rng.choice(["round", "value"]))


def _giving(rng: random.Random) -> dict[str, object]:
    return gives(rng.choice([0, 1, 2, 2]))


def _edge(rng: random.Random, nodes: dict[str, dict[str, object]], source: str, target: str) -> str:
    chooser = nodes.get(source, {}).get("type") == "choose"
    return f"{source}{rng.choice(['.t', '.f', '']) if chooser else ''}>{target}"


@pytest.mark.parametrize("first_seed", range(0, 300, 10))
def test_no_schedule_changes_the_steps_of_any_graph(first_seed):
    compared = 0
    for seed in range(first_seed, first_seed + 10):
        flow = random_graph(random.Random(seed))
        first, *others = (simulate(flow, REGISTRY, each, max_steps=MOST_STEPS) for each in range(6))
        if first.condition.steps >= MOST_STEPS:
            continue
        compared += 1
        for run in others:
            assert not difference(counted(first.steps), counted(run.steps)), f"graph {seed}"
            assert len(run.unmatched) == len(first.unmatched)
            assert len(run.forced) == len(first.forced)

    assert compared > 5
