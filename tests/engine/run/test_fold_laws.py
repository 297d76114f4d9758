from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.flow.document import Variable
from engine.run import events
from engine.run.fold import apply, fold
from engine.run.snapshot import restore, take
from engine.store.codec import decode, encode
from tests.engine.run.drawing import flow_of
from tests.engine.run.fakes import draw
from tests.engine.run.probes import probe_registry
from tests.engine.run.simulate import same_as_fold, simulate
from tests.engine.run.structured import random_tree, trees
from tests.engine.run.trial import Trial, condition_of, told

REGISTRY = probe_registry()
MOST_STEPS = 120


def simulated(tree, schedule):
    return simulate(flow_of(tree), REGISTRY, schedule, max_steps=MOST_STEPS)


def from_disk(event):
    """The event as a journal gives it back."""
    return events.read_event(decode(encode(events.to_record(event))))


@given(tree=trees(), schedule=st.integers(0, 1000))
@settings(max_examples=60)
def test_the_condition_of_a_live_run_is_the_fold_of_its_events(tree, schedule):
    seen = simulated(tree, schedule)

    assert same_as_fold(seen, REGISTRY)
    assert told(fold(map(from_disk, seen.events), REGISTRY)) == told(seen.condition)


@pytest.mark.parametrize("seed", range(25))
def test_a_snapshot_after_any_event_is_another_way_to_the_same_condition(seed):
    rng = random.Random(seed)
    seen = simulated(random_tree(rng), rng.randrange(100))
    history = [from_disk(event) for event in seen.events]
    last = told(seen.condition)
    before = fold(history[:1], REGISTRY)

    for place in range(1, len(history)):
        condition = restore(told(before), history[0], REGISTRY)
        assert told(fold(history[place:], REGISTRY, condition)) == last, f"after event {place}"
        apply(before, history[place])
    assert told(before) == last


@pytest.mark.parametrize("seed", range(12))
def test_the_condition_after_each_step_is_the_fold_of_the_events_before(seed):
    rng = random.Random(1000 + seed)
    flow = flow_of(random_tree(rng))
    conditions = []
    seen = simulate(flow, REGISTRY, seed, max_steps=MOST_STEPS)
    condition = fold(seen.events[:1], REGISTRY)
    for event in seen.events[1:]:
        apply(condition, event)
        conditions.append(told(condition))

    for place in range(0, len(conditions), max(1, len(conditions) // 15)):
        again = fold(map(from_disk, seen.events[: place + 2]), REGISTRY)
        assert told(again) == conditions[place]
        assert again.steps == sum(isinstance(e, events.StepFinished)
                                  for e in seen.events[: place + 2])  # fmt: skip


def test_a_value_that_waits_on_two_edges_is_one_value_after_a_snapshot_too():
    flow = draw(
        "s>a a>x a>x s>w w>x",
        a={"type": "give", "config": {"value": {"k": [1, 1000, "x"]}}},
        w={"type": "ask"},
    )
    run = Trial(flow).run()
    run.journal.append(events.to_record(events.Snapshot(take(run.condition))))
    again = run.again()

    for each in (run, again):
        each.answer("go")
        each.run()
    assert again.step("x")["inputs"] == run.step("x")["inputs"]
    assert sorted(run.step("x")["inputs"]) == ["a", "w"]


# Growth of the journal.


def rounds(count, body="b", **nodes):
    flow = draw(
        f"s>h h.continue_loop>{body} {body}>>h h.exit_loop>x",
        settings={"max_steps": 10**6, "max_iterations": 10**6},
        variables=(Variable(name="log", type="list", default=[], reducer="append"),),
        h={"type": "loop_condition", "config": {"condition": f"loop_count < {count}"}},
        **nodes,
    )
    run = Trial(flow).run()
    assert run.status == "finished"
    return run


def worst_growth(count, **nodes):
    """By how much the journal of twice as many rounds is larger, over several counts."""
    sizes = {n: rounds(n, **nodes).journal.size for c in count for n in (c, 2 * c)}
    return max(sizes[2 * c] / sizes[c] for c in count)


def test_a_journal_grows_in_proportion_to_the_steps():
    assert worst_growth((150, 400, 1000)) <= 2.1


def test_a_step_takes_no_more_than_four_hundred_bytes_beside_its_values():
    run = rounds(1000)

    values = sum(
        len(json.dumps([r["inputs"], r["outputs"], r.get("changes"), r.get("reason"),
                        r.get("config")]))
        for r in run.journal.records()
        if r["kind"] == "step_finished"
    )  # fmt: skip
    assert (run.journal.size - values) / run.condition.steps <= 400


@pytest.mark.parametrize(
    "node",
    [
        {"type": "direct_reply", "config": {"template": "x" * 200}},
        {"type": "give", "config": {"value": "y" * 200}, "save_as": "log"},
    ],
    ids=["messages", "a list"],
)
def test_two_thousand_appended_texts_keep_the_journal_linear(node):
    sizes = [rounds(count, b=node).journal.size for count in (500, 1000, 2000)]

    assert sizes[2] / sizes[1] <= 2.1
    assert sizes[1] / sizes[0] <= 2.1


def test_snapshots_are_taken_ever_more_rarely_and_a_resume_reads_from_the_last():
    run = rounds(2000, b={"type": "direct_reply", "config": {"template": "x" * 200}})
    records = run.journal.records()
    places = [n for n, record in enumerate(records) if record["kind"] == "snapshot"]
    sizes = [len(run.journal.lines[n]) for n in places]

    assert 3 <= len(places) <= 12
    assert sizes == sorted(sizes)
    assert sum(sizes) <= run.journal.size / 3
    shorter = [records[0], *records[places[-1] :]]
    assert told(condition_of(shorter, run.registry)) == told(run.condition)
