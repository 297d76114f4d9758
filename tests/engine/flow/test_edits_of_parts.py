from __future__ import annotations

import pytest

from engine.errors import FlowCheckError
from engine.flow.document import EdgeData, Note, Position
from engine.flow.edits import (
    FlowPart,
    copy_part,
    delete_and_heal,
    duplicate,
    insert_on_edge,
    part_from_json,
    part_to_json,
    paste_part,
    set_label,
)
from tests.engine.flow.builders import edge, flow, node, triage


def renaming(text, names, place):
    for old, new in names.items():
        text = text.replace(f"{old}.output", f"{new}.output")
    return text


def ends(document):
    return [(e.id, e.source, e.target) for e in document.edges]


def test_a_node_put_into_an_edge_splits_what_the_edge_carries():
    document = flow(
        node("a"), node("b"),
        edge("a", "b", "e1", edge_type="conditional", route_key="true", label="yes",
             source_pin="x", target_pin="y", static=True, condition="1", waypoints=[{"x": 1}]),
    )  # fmt: skip

    changed = insert_on_edge(document, "e1", node("new"), EdgeData(route_key="done"))

    first, second = changed.edges
    assert ends(changed) == [("e1", "a", "new"), ("e2", "new", "b")]
    assert first.data == EdgeData(
        edge_type="conditional", route_key="true", label="yes", source_pin="x", condition="1"
    )
    assert second.data == EdgeData(route_key="done", target_pin="y", static=True)


def test_in_an_edge_that_goes_back_only_the_second_half_still_does():
    document = flow(
        node("a"), node("b"), edge("a", "b"),
        edge("b", "a", "back", edge_type="loop_back", route_key="again"),
        edge("b", "a", "plain", edge_type="loop_back"),
    )  # fmt: skip

    keyed = insert_on_edge(document, "back", node("new"))
    plain = insert_on_edge(document, "plain", node("new"))

    assert [e.data.edge_type for e in keyed.edges] == [
        "normal", "conditional", "loop_back", "loop_back",
    ]  # fmt: skip
    assert keyed.edges_to["new"][0].data.route_key == "again"
    assert plain.edge_by_id["plain"].data.edge_type == "normal"


def test_a_node_put_into_an_edge_inside_a_box_comes_to_lie_in_the_box():
    document = flow(
        node("box"), node("a", parent="box"), node("b", parent="box"), node("there"),
        edge("a", "b", "e1"),
    )  # fmt: skip

    assert insert_on_edge(document, "e1", node("new")).node_by_id["new"].parent == "box"
    assert insert_on_edge(document, "e1", "there").node_by_id["there"].parent == "box"
    assert insert_on_edge(document, "e1", "box").node_by_id["box"].parent is None


def test_deleting_closes_the_gap():
    document = flow(
        node("a"), node("b"), node("c"), node("d"),
        edge("a", "b", "e1", route_key="true", source_pin="x"),
        edge("b", "c", "e2"),
        edge("c", "d", "e3", target_pin="y"),
        edge("c", "a", "e4", edge_type="loop_back"),
    )  # fmt: skip

    changed = delete_and_heal(document, ["b", "c"])

    assert ends(changed) == [("e1", "a", "d")]
    assert changed.edges[0].data == EdgeData(route_key="true", source_pin="x", target_pin="y")


def test_healing_keeps_the_way_back_of_a_loop():
    document = flow(
        node("a"), node("b"), node("c"),
        edge("a", "b", "e1"), edge("b", "c", "e2"), edge("c", "a", "e3", edge_type="loop_back"),
    )  # fmt: skip

    changed = delete_and_heal(document, ["c"])

    assert ends(changed) == [("e1", "a", "b"), ("e2", "b", "a")]
    assert changed.edge_by_id["e2"].data.edge_type == "loop_back"


def test_healing_joins_each_before_with_each_after_but_never_twice():
    document = flow(
        node("a"), node("b"), node("x"), node("c"), node("d"),
        edge("a", "x", "e1"), edge("b", "x", "e2"),
        edge("x", "x", "self", edge_type="loop_back"),
        edge("x", "c", "e3"), edge("x", "d", "e4"), edge("a", "c", "e5"),
    )  # fmt: skip

    changed = delete_and_heal(document, ["x"])

    assert sorted((e.source, e.target) for e in changed.edges) == [
        ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"),
    ]  # fmt: skip
    assert [e.id for e in changed.edges][:3] == ["e1", "e2", "e5"]


def test_deleting_a_box_takes_its_inside_and_pinned_outputs():
    changed = delete_and_heal(triage(), ["box", "draft"])

    assert [n.id for n in changed.nodes] == ["start", "check", "boss"]
    assert changed.pinned == {}


def test_a_duplicate_keeps_inner_edges_and_gets_ids_of_its_own():
    changed = duplicate(triage(), ["draft", "box"], ["n1"], rewrite=renaming)

    assert [n.id for n in changed.nodes[-3:]] == ["draft_2", "box_2", "inner_2"]
    assert ends(changed)[-1] == ("e4_2", "draft_2", "box_2")
    assert changed.edges[-1].data.condition == "draft_2.output != ''"
    assert changed.node_by_id["inner_2"].parent == "box_2"
    assert changed.node_by_id["inner_2"].position == triage().node_by_id["inner"].position
    assert changed.node_by_id["draft_2"].position == Position(x=40, y=40)
    assert changed.node_by_id["box_2"].config["items"] == "{{ draft_2.output }}"
    assert changed.node_by_id["draft_2"].config["prompt"] == "Answer {{ start.output }}"
    assert changed.pinned["draft_2"] == {"output": {"status": 200}}
    assert [n.id for n in changed.notes] == ["n1", "n1_2"]
    assert changed.nodes[:6] == triage().nodes


def test_a_part_keeps_its_ids_in_a_flow_where_they_are_free():
    part = part_from_json(part_to_json(copy_part(triage(), ["draft", "box"])))
    empty = flow()

    changed = paste_part(empty, part, at=Position(x=100, y=200))

    assert [n.id for n in changed.nodes] == ["draft", "box", "inner"]
    assert changed.node_by_id["draft"].position == Position(x=100, y=200)
    assert ends(changed) == [("e4", "draft", "box")]


def test_a_part_can_be_pasted_into_a_box():
    part = copy_part(triage(), ["inner"])

    assert paste_part(triage(), part).nodes[-1].parent == "box"
    assert paste_part(flow(), part).nodes[-1].parent is None
    assert paste_part(flow(node("each")), part, parent="each").nodes[-1].parent == "each"


def test_a_part_shares_nothing_with_the_flow_that_it_is_pasted_into():
    part = FlowPart(nodes=(node("a", config={"x": [1]}),), notes=(Note(id="n"),))

    changed = paste_part(flow(), part)
    part.nodes[0].config["x"].append(2)

    assert changed.nodes[0].config == {"x": [1]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello", "does not hold a part"),
        ("[]", "does not hold a part"),
        ('{"format": "loopwright.flow"}', "does not hold a part"),
        ('{"format": "loopwright.part", "nodes": [{"id": "a"}]}', "node 'a': type is missing"),
        ("[" * 9999, "does not hold a part"),
    ],
)
def test_something_else_on_the_clipboard_is_refused_in_words(text, words):
    with pytest.raises(FlowCheckError, match=words):
        part_from_json(text)


def test_a_part_that_does_not_hold_together_is_refused():
    loose = FlowPart(nodes=(node("a"),), edges=(edge("a", "check"),))
    twice = FlowPart(nodes=(node("a"), node("a")))
    inside_out = FlowPart(nodes=(node("a", parent="b"), node("b", parent="a")))

    for part in (loose, twice, inside_out):
        with pytest.raises(FlowCheckError):
            paste_part(triage(), part)


def test_a_part_cannot_pin_the_outputs_of_nodes_that_it_does_not_hold():
    part = FlowPart(nodes=(node("a"),), pinned={"check": {"output": 1}, "a": {"output": 2}})

    changed = paste_part(triage(), part)

    assert changed.pinned == {**triage().pinned, "a": {"output": 2}}


def test_the_copied_nodes_are_those_of_the_moment():
    part = copy_part(triage(), ["check"])
    changed = paste_part(set_label(triage(), "check", "Other"), part)

    assert changed.nodes[-1].label == "Big?"
