from __future__ import annotations

from collections import Counter

import pytest

from tests.engine.run.compare import counted, difference
from tests.engine.run.probes import probe_registry
from tests.engine.run.simulate import simulate
from tests.engine.run.sketch import chooses, gives, joins, rounds, sketch, visits

SCHEDULES = range(200)
REGISTRY = probe_registry()


def all_runs(flow, dropped=0):
    """A run under every schedule, after a check that none gave up or lost a value unseen."""
    runs = [simulate(flow, REGISTRY, schedule) for schedule in SCHEDULES]
    for run in runs:
        assert not run.forced
        assert not run.warnings
        assert not run.unmatched
        assert len(run.condition.dropped) == dropped
    return runs


def the_run(flow):
    """The steps that every schedule runs: the same nodes with the same inputs and outputs."""
    runs = all_runs(flow)
    first = counted(runs[0].steps)
    for run in runs:
        assert not difference(first, counted(run.steps))
    return runs


def order_of(run):
    return " ".join(node for node, _, _ in run.steps)


def counts_of(run):
    return Counter(node for node, _, _ in run.steps)


def received(run, node):
    """The inputs of each visit as text, sorted: `"a(s()) b(s())"`."""
    return sorted(
        " ".join(_told(inputs[source]) for source in sorted(inputs))
        for name, inputs, _ in run.steps
        if name == node
    )


def _told(value):
    if isinstance(value, list | tuple):
        return "[" + " ".join(_told(each) for each in value) + "]"
    return value["from"]


def runs_in_order(flow, order):
    runs = the_run(flow)
    assert {order_of(run) for run in runs} == {order}
    return runs[0]


def runs_each(flow, times):
    runs = the_run(flow)
    assert counts_of(runs[0]) == visits(times)
    return runs[0]


# The table of worked cases, row by row.


@pytest.mark.parametrize(("route", "taken"), [("true", "a"), ("false", "b")])
def test_a_join_behind_a_condition_waits_for_the_branch_taken_only(route, taken):
    flow = sketch(
        "s>c c.true>a c.false>b a>j b>j", c=chooses(*dict.fromkeys([route, "true", "false"]))
    )

    run = runs_in_order(flow, f"s c {taken} j")

    assert received(run, "j") == [f"{taken}(c(s()))"]


def test_two_ports_into_one_node_run_it_once():
    flow = sketch("s>c c.true>x c.false>x", c=chooses("true", "false"))

    runs_in_order(flow, "s c x")


def test_the_same_edge_twice_runs_its_target_once():
    flow = sketch("s>x s>x x>y x>y")

    runs_in_order(flow, "s x y")


def test_branches_of_a_loop_meet_in_each_round_and_a_join_behind_it_waits():
    flow = sketch(
        "s>h h.go>a h.go>b a>k b>k k>>h h.stop>x s>w x>j w>j",
        h=rounds(3),
    )

    run = runs_each(flow, "s h w (a b k h)*3 x j")

    assert len(received(run, "j")) == 1
    assert all("a(" in told and "b(" in told for told in received(run, "k"))
    assert order_of(run).endswith("j")


def test_parallel_branches_that_go_back_to_one_header_make_one_round():
    flow = sketch("s>h h.go>a h.go>b a>>h b>>h h.stop>x", h=rounds(3))

    runs_each(flow, "s h (a b h)*3 x")


@pytest.mark.parametrize("meeting", ["S>j F>j", "S>p p>j F>j", "S>p F>q p>q q>j"])
def test_side_branches_of_a_loop_that_nobody_waits_for_never_mix_rounds(meeting):
    flow = sketch(
        f"s>h h.go>a a.even>S a.odd>F a>>h h.stop>x {meeting}",
        h=rounds(4),
        a=chooses("even", "odd", "even", "odd"),
    )

    run = the_run(flow)[0]

    assert counts_of(run)["j"] == 4
    assert all(" " not in told for told in received(run, "j"))
    assert len(set(received(run, "j"))) == 4


def test_a_side_branch_with_its_own_fork_joins_within_its_round():
    flow = sketch(
        "s>h h.go>a a>f f>p f>q p>j q>j a>>h h.stop>x",
        h=rounds(3),
    )

    run = runs_each(flow, "s h (a f p q j h)*3 x")

    for _, inputs, _ in (step for step in run.steps if step[0] == "j"):
        p, q = inputs["p"]["from"], inputs["q"]["from"]
        assert p.removeprefix("p") == q.removeprefix("q")


def test_an_inner_loop_counts_from_nothing_each_time():
    flow = sketch(
        "s>h h.go>i i.go>b b>>i i.stop>o o>>h h.stop>x",
        h=rounds(2),
        i=rounds(2),
    )

    runs_in_order(flow, "s h i b i b i o h i b i b i o h x")


def test_a_break_passes_by_the_exit_of_the_loop():
    flow = sketch(
        "s>h h.go>a a.go>b b>>h a.break>j h.stop>x x>j",
        h=rounds(9),
        a=chooses("go", "go", "break"),
    )

    run = runs_in_order(flow, "s h a b h a b h a j")

    assert [told.split("(")[0] for told in received(run, "j")] == ["a"]


def test_a_loop_without_a_break_passes_by_the_break():
    flow = sketch(
        "s>h h.go>a a.go>b b>>h a.break>j h.stop>x x>j",
        h=rounds(2),
        a=chooses("go", "go", "go", "break"),
    )

    runs_in_order(flow, "s h a b h a b h x j")


def test_a_value_that_enters_a_loop_beside_its_header_serves_every_round():
    flow = sketch("s>c c>b s>h h.go>b b>>h h.stop>x", h=rounds(3))

    run = runs_each(flow, "s c h (b h)*3 x")

    assert len(received(run, "b")) == 3
    assert all("c(s())" in told.split() for told in received(run, "b"))


def test_branches_behind_a_split_meet_item_by_item():
    flow = sketch("s>g g>a g>b a>j b>j", g=gives(3))

    run = runs_each(flow, "s g (a b j)*3")

    assert received(run, "j") == [f"a(g(s())#{item}) b(g(s())#{item})" for item in range(3)]


def test_a_value_from_before_a_split_serves_every_item():
    flow = sketch("s>g s>k g>j k>j", g=gives(3))

    run = runs_each(flow, "s g k j*3")

    assert received(run, "j") == [f"g(s())#{item} k(s())" for item in range(3)]


# Splits, further.


def test_a_split_without_items_ends_its_way():
    flow = sketch("s>g g>a a>b", g=gives(0))

    runs_in_order(flow, "s g")


def test_a_join_does_not_wait_for_a_split_without_items():
    flow = sketch("s>g g>a a>j s>k k>j", g=gives(0))

    run = runs_each(flow, "s g k j")

    assert received(run, "j") == ["k(s())"]


def test_a_join_does_not_wait_for_an_inner_split_without_items():
    flow = sketch("s>o o>g g>a a>j o>k k>j", o=gives(3), g=gives(0, 2, 1))

    run = runs_each(flow, "s o (g k)*3 a*3 j*4")

    assert [told for told in received(run, "j") if told.startswith("k")] == ["k(o(s())#0)"]


def test_a_join_of_one_item_does_not_wait_for_the_other_items():
    flow = sketch("s>o o>g g>a a>j o>k k>j", o=gives(2), g=gives(0, 1))

    orders = [order_of(run).split() for run in the_run(flow)]

    assert any(order.index("j") < len(order) - 1 - order[::-1].index("g") for order in orders)


def test_a_loop_behind_a_split_counts_for_each_item():
    flow = sketch("s>g g>h h.go>a a>>h h.stop>x", g=gives(3), h=rounds(2))

    run = runs_each(flow, "s g (h a h a h x)*3")

    assert len(set(received(run, "x"))) == 3


def test_a_join_behind_a_loop_in_a_split_keeps_the_items_apart():
    flow = sketch(
        "s>g g>h h.go>a a>>h h.stop>x g>w x>j w>j",
        g=gives(3),
        h=rounds(2),
    )

    run = runs_each(flow, "s g (w h a h a h x j)*3")

    for item, told in enumerate(received(run, "j")):
        assert told.split()[0] == f"w(g(s())#{item})"


def test_a_value_from_before_a_split_serves_it_again_in_the_next_round():
    flow = sketch(
        "s>h h.go>f f>g f>k g>j k>j j>>h h.stop>x",
        h=rounds(2),
        g=gives(2, by="round"),
    )

    run = runs_each(flow, "s h f g k j*2 h*2 (f g k)*2 j*4 h*4 x*4")

    assert all(len(told.split()) == 2 for told in received(run, "j"))


# Joins of the other kinds.


def test_join_any_runs_for_each_arrival_by_itself():
    flow = sketch("s>a s>b a>j b>j", j=joins("any"))

    run = runs_each(flow, "s a b j*2")

    assert received(run, "j") == ["a(s())", "b(s())"]


def test_join_any_takes_items_and_outer_values_one_by_one():
    flow = sketch("s>g g>j s>k k>j", g=gives(3), j=joins("any"))

    run = runs_each(flow, "s g k j*4")

    assert received(run, "j") == ["g(s())#0", "g(s())#1", "g(s())#2", "k(s())"]


def test_join_any_does_not_wait():
    flow = sketch("s>a s>b b>c c>d a>j d>j", j=joins("any"))

    runs = the_run(flow)

    assert any(order_of(run).index("j") < order_of(run).index("d") for run in runs)


def test_join_first_takes_whichever_comes_first_and_drops_the_other():
    flow = sketch("s>a s>b a>j b>j", j=joins("first"))

    runs = all_runs(flow, dropped=1)

    assert {tuple(received(run, "j")) for run in runs} == {("a(s())",), ("b(s())",)}
    for run in runs:
        assert counts_of(run) == visits("s a b j")
        came_first = min(order_of(run).index("a"), order_of(run).index("b"))
        assert received(run, "j")[0][0] == order_of(run)[came_first]


def test_join_first_runs_once_for_each_item():
    flow = sketch("s>g g>a g>b a>j b>j", g=gives(3), j=joins("first"))

    for run in all_runs(flow, dropped=3):
        assert counts_of(run) == visits("s g (a b j)*3")
        assert sorted(told[-2] for told in received(run, "j")) == ["0", "1", "2"]


def test_join_first_runs_once_in_each_round():
    flow = sketch(
        "s>h h.go>a h.go>b a>j b>j j>>h h.stop>x",
        h=rounds(3),
        j=joins("first"),
    )

    for run in all_runs(flow, dropped=3):
        assert counts_of(run) == visits("s h (a b j h)*3 x")


def test_join_collect_takes_all_branches():
    flow = sketch("s>a s>b s>c c>d a>j b>j d>j", j=joins("collect"))

    run = runs_each(flow, "s a b c d j")

    assert received(run, "j") == ["[a(s())] [b(s())] [d(c(s()))]"]


def test_join_collect_takes_all_items_in_their_order():
    flow = sketch("s>g g>a a>k k>x", g=gives(4), k=joins("collect"))

    run = runs_each(flow, "s g a*4 k x")

    assert received(run, "k") == [f"[{' '.join(f'a(g(s())#{item})' for item in range(4))}]"]


def test_join_collect_does_not_wait_for_items_that_went_elsewhere():
    flow = sketch(
        "s>g g>c c.keep>k c.drop>d k>x",
        g=gives(4),
        c=chooses("keep", "drop", by="item"),
        k=joins("collect"),
    )

    run = runs_each(flow, "s g c*4 d*2 k x")

    assert received(run, "k") == ["[c(g(s())#0) c(g(s())#2)]"]


def test_join_collect_waits_for_loops_of_single_items():
    flow = sketch(
        "s>g g>h h.go>a a>>h h.stop>k k>x",
        g=gives(3),
        h=rounds(2),
        k=joins("collect"),
    )

    run = runs_each(flow, "s g (h a h a h)*3 k x")

    assert len(received(run, "k")[0].split()) == 3


@pytest.mark.parametrize("inner", [(1, 3), (1, 1), (0, 2), (3, 0)])
def test_join_collect_closes_the_innermost_split_only(inner):
    flow = sketch(
        "s>o o>g g>a a>c c>b b>k k>x",
        o=gives(2),
        g=gives(*inner),
        c=joins("collect"),
        k=joins("collect"),
    )
    filled = sum(count > 0 for count in inner)

    run = runs_each(flow, f"s o g*2 a*{sum(inner)} (c b)*{filled} k x")

    assert len(received(run, "k")[0].split()) == filled


def test_join_collect_runs_in_each_round_of_a_loop():
    flow = sketch(
        "s>h h.go>g g>a a>k k>>h h.stop>x",
        h=rounds(3),
        g=gives(1, 2, 3, by="round"),
        k=joins("collect"),
    )

    run = runs_each(flow, "s h (g h k)*3 a*6 x")

    assert sorted(len(told.split()) for told in received(run, "k")) == [1, 2, 3]


def test_join_collect_does_not_run_without_any_item():
    flow = sketch("s>g g>a a>k k>x", g=gives(0), k=joins("collect"))

    runs_in_order(flow, "s g")


# Static edges and pins.


def test_a_static_edge_keeps_its_last_value():
    flow = sketch(
        "s>h h.go>c c.new>p c.old>q p=>m p>r r>m q>m m>>h h.stop>x",
        h=rounds(4),
        c=chooses("new", "old", "new", "old"),
    )

    run = runs_in_order(flow, "s h c p r m h c q m h c p r m h c q m h x")

    taken = [inputs for node, inputs, _ in run.steps if node == "m"]
    given = [output for node, _, output in run.steps if node == "p"]
    assert [inputs["p"] for inputs in taken] == [given[0], given[0], given[1], given[1]]
    assert [sorted(inputs) for inputs in taken] == [["p", "r"], ["p", "q"]] * 2


def test_a_later_value_on_a_static_edge_starts_nothing():
    flow = sketch("s>h h.go>p p>>h p=>j h.stop>j", h=rounds(3))

    run = runs_in_order(flow, "s h p h p h p h j")

    [inputs] = [inputs for node, inputs, _ in run.steps if node == "j"]
    assert inputs["p"] == [output for node, _, output in run.steps if node == "p"][-1]


def test_a_join_waits_for_the_first_value_of_a_static_edge():
    flow = sketch("s>p p>q q=>j s>a a>j")

    run = runs_each(flow, "s p q a j")

    assert received(run, "j") == ["a(s()) q(p(s()))"]


def test_a_static_value_serves_every_item():
    flow = sketch("s>p p=>j s>g g>j", g=gives(3))

    run = runs_each(flow, "s p g j*3")

    assert all("p(s())" in told.split() for told in received(run, "j"))


def test_edges_into_one_pin_queue():
    flow = sketch("s>a s>b s>c a>j:x b>j:x c>j:x")

    run = runs_each(flow, "s a b c j*3")

    assert received(run, "j") == ["a(s())", "b(s())", "c(s())"]


def test_a_node_does_not_wait_for_a_second_edge_into_a_pin_that_is_filled():
    flow = sketch("s>c c.true>a c.false>b a>j:x b>j:x s>k k>j:y", c=chooses("true", "false"))

    run = runs_each(flow, "s c a k j")

    assert received(run, "j") == ["a(c(s())) k(s())"]


def test_a_pin_with_two_edges_takes_one_value_in_each_round():
    flow = sketch(
        "s>h h.go>c c.t>a c.f>b a>j:x b>j:x j>>h h.stop>x",
        h=rounds(4),
        c=chooses("t", "f", "t", "f"),
    )

    runs_in_order(flow, "s h c a j h c b j h c a j h c b j h x")


# Several tokens of one frame.


def test_outputs_leave_in_the_order_in_which_steps_started():
    flow = sketch("s>a s>b a>m b>m m>p m>q p>j q>j", m=joins("any"))

    run = runs_each(flow, "s a b (m p q j)*2")

    assert received(run, "j") == [f"p(m({way}(s()))) q(m({way}(s())))" for way in "ab"]


def test_a_loop_ends_before_it_is_entered_again():
    flow = sketch(
        "s>a s>b a>m b>m m>h h.go>p h.go>q p>k q>k k>>h h.stop>x",
        m=joins("any"),
        h=rounds(2),
    )

    for run in the_run(flow):
        assert counts_of(run) == visits("s a b m*2 h*6 p*4 q*4 k*4 x*2")
        in_loop = [node for node in order_of(run).split() if node in "hk"]
        assert "".join(in_loop) == "hkhkh" * 2


def test_a_loop_is_entered_while_another_item_is_still_in_it():
    flow = sketch("s>g g>h h.go>a a>>h h.stop>x", g=gives(2), h=rounds(3))

    in_loop = {"".join(node for node in order_of(run) if node in "hax") for run in the_run(flow)}

    assert any(not told.startswith("hahahahx") for told in in_loop)


def test_several_starts_meet_in_a_join():
    flow = sketch("s>j p>j q>r r>j")

    run = runs_each(flow, "s p q r j")

    assert received(run, "j") == ["p() r(q()) s()"]
