from __future__ import annotations

import copy
import pickle

import pytest

from engine.errors import FlowCheckError
from engine.flow import edits
from engine.flow.document import EdgeData, ErrorPolicy, Note, Position, Variable, Viewport
from engine.flow.edits import (
    add_edge,
    add_node,
    add_note,
    add_variable,
    change_note,
    change_variable,
    free_name,
    move_nodes,
    pin_output,
    reconnect_edge,
    remove_config,
    remove_edges,
    remove_nodes,
    remove_notes,
    remove_route_key,
    remove_variable,
    rename_node_id,
    rename_route_key,
    rename_variable,
    reorder_edges,
    reorder_variables,
    replace_config,
    set_config,
    set_edge_data,
    set_label,
    set_node_fields,
    set_parent,
    set_settings,
    set_viewport,
    set_waypoints,
    unpin_output,
)
from tests.engine.flow.builders import edge, flow, node, triage


def renaming(text, names, place):
    for old, new in names.items():
        text = text.replace(f"{old}.output", f"{new}.output")
    return text


def test_an_added_node_is_last_and_shares_nothing_with_the_callers():
    config = {"rows": [{"a": 1}]}
    given = node("new", config=config)

    changed = add_node(triage(), given)
    given.config["rows"][0]["a"] = 2
    config["more"] = 1

    assert changed.nodes[-1].config == {"rows": [{"a": 1}]}


def test_a_value_that_was_set_does_not_change_with_its_owner():
    rows = [{"a": [1]}]
    data = EdgeData(extra={"x": [1]})
    output = {"items": [1]}

    changed = set_config(triage(), "check", "rows", rows)
    changed = add_edge(changed, "start", "boss", data)
    changed = pin_output(changed, "check", output)
    changed = change_variable(changed, "score", default=rows)
    rows[0]["a"].append(2)
    data.extra["x"].append(2)
    output["items"].append(2)

    assert changed.node_by_id["check"].config["rows"] == [{"a": [1]}]
    assert changed.edges[-1].data.extra == {"x": [1]}
    assert changed.pinned["check"] == {"output": {"items": [1]}}
    assert changed.variable_by_name["score"].default == [{"a": [1]}]


def test_removing_a_node_takes_its_edges_its_inside_and_its_pinned_output():
    changed = remove_nodes(triage(), ["draft", "box"])

    assert [n.id for n in changed.nodes] == ["start", "check", "boss"]
    assert [e.id for e in changed.edges] == ["e1", "e3", "e5"]
    assert changed.pinned == {}


def test_a_renamed_id_is_followed_by_edges_parents_pinned_outputs_and_texts():
    changed = rename_node_id(triage(), "draft", "letter", renaming)
    changed = rename_node_id(changed, "box", "each")

    assert changed.edge_by_id["e2"].target == "letter"
    assert (changed.edge_by_id["e4"].source, changed.edge_by_id["e4"].target) == ("letter", "each")
    assert changed.edge_by_id["e4"].data.condition == "letter.output != ''"
    assert changed.pinned == {"letter": {"output": {"status": 200}}}
    assert changed.node_by_id["inner"].parent == "each"
    assert changed.node_by_id["each"].config["items"] == "{{ letter.output }}"


def test_without_a_way_to_rewrite_them_texts_stay_as_they_are():
    changed = rename_node_id(triage(), "draft", "letter")

    assert changed.node_by_id["box"].config["items"] == "{{ draft.output }}"


def test_a_rewrite_is_told_where_each_text_stands():
    seen = []

    def note(text, names, place):
        seen.append((place.owner.id, place.path, text, dict(names)))
        return text

    document = flow(
        node("a", config={"rows": [{"x": "one"}, 2], "plain": "two"}),
        node("b"),
        edge("a", "b", "e", condition="three"),
    )
    changed = rename_node_id(document, "b", "c", note)

    assert [entry[:3] for entry in seen] == [
        ("a", ("rows", 0, "x"), "one"),
        ("a", ("plain",), "two"),
        ("e", ("data", "condition"), "three"),
    ]
    assert seen[0][3] == {"b": "c"}
    assert changed.nodes[0] is document.nodes[0]


def test_values_are_set_at_any_depth_and_only_the_way_there_is_copied():
    document = flow(node("a", config={"routes": [{"label": "x"}, {"label": "y"}], "keep": [1]}))

    changed = set_config(document, "a", ("routes", 1, "label"), "z")
    changed = set_config(changed, "a", ("routes", 2), {"label": "new"})
    changed = set_config(changed, "a", ("auth", "rows", 0, "key"), 0)

    config = changed.nodes[0].config
    assert [row["label"] for row in config["routes"]] == ["x", "z", "new"]
    assert config["auth"] == {"rows": [{"key": 0}]}
    assert config["keep"] is document.nodes[0].config["keep"]


def test_values_are_removed_at_any_depth():
    document = flow(node("a", config={"routes": [{"label": "x"}, 5], "b": None}))

    changed = remove_config(document, "a", ("routes", 0, "label"))
    changed = remove_config(changed, "a", ("routes", 1))
    changed = remove_config(changed, "a", "b")

    assert changed.nodes[0].config == {"routes": [{}]}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (("routes", 9), "the list has 2 items"),
        (("routes", -1), "the list has 2 items"),
        (("routes", "x"), "'routes' is no object"),
        (("text", "x"), "'text' is no object"),
        (("text", 0), "'text' is no list"),
        ((), "begins with the name of a field"),
        ((0,), "begins with the name of a field"),
    ],
)
def test_a_way_that_leads_nowhere_is_refused_in_words(path, words):
    document = flow(node("a", config={"routes": [1, 2], "text": "abc"}))

    with pytest.raises(FlowCheckError) as refusal:
        set_config(document, "a", path, 1)
    assert words in str(refusal.value)
    with pytest.raises(FlowCheckError):
        remove_config(document, "a", path)


@pytest.mark.parametrize("value", [{1, 2}, {1: 2}, object(), b"x", 10**5000], ids=range(5))
def test_a_value_that_a_file_cannot_hold_is_refused(value):
    with pytest.raises(FlowCheckError, match="node 'check': x"):
        set_config(triage(), "check", "x", [value])
    with pytest.raises(FlowCheckError, match="pinned output of 'check'"):
        pin_output(triage(), "check", [value])
    with pytest.raises(FlowCheckError, match="node 'n': config"):
        add_node(triage(), node("n", config={"x": value}))


def test_a_value_nested_without_end_is_refused():
    value = []
    for _ in range(200):
        value = [value]

    with pytest.raises(FlowCheckError, match="nested too deep"):
        set_config(triage(), "check", "x", value)
    with pytest.raises(FlowCheckError, match="nested too deep"):
        set_config(triage(), "check", ("x",) * 200, 1)


def test_what_every_node_has_is_set_and_checked():
    changed = set_label(triage(), "check", "Small?")
    changed = edits.set_join(changed, "check", "any")
    changed = edits.set_on_error(changed, "check", "retry")
    changed = edits.set_timeout(changed, "check", 3)
    changed = edits.set_concurrency(changed, "check", 2)
    changed = edits.set_save_as(changed, "check", "score")
    changed = edits.set_disabled(changed, ["check", "boss"])
    changed = edits.set_node_notes(changed, "check", "why")

    check = changed.node_by_id["check"]
    assert (check.label, check.join, check.timeout_s, check.concurrency) == ("Small?", "any", 3, 2)
    assert check.on_error is not None
    assert check.on_error.retry is not None
    assert (check.save_as, check.disabled, check.notes) == ("score", True, "why")
    assert changed.node_by_id["boss"].disabled
    assert edits.set_on_error(changed, "check", ErrorPolicy(policy="branch")).node_by_id[
        "check"
    ].on_error == ErrorPolicy(policy="branch")


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda f: edits.set_join(f, "check", "al"), "Did you mean 'all'"),
        (lambda f: edits.set_timeout(f, "check", 0), "timeout_s must be greater than 0"),
        (lambda f: edits.set_concurrency(f, "check", 0), "concurrency must be at least 1"),
        (lambda f: set_label(f, "check", None), "label must be text"),
        (lambda f: set_label(f, "chek", "x"), "no node 'chek' in this flow. Did you mean 'check'"),
        (lambda f: set_node_fields(f, "check", lable="x"), "Did you mean 'label'"),
        (lambda f: set_node_fields(f, "check", id="x"), "Rename the node's id"),
        (lambda f: replace_config(f, "check", []), "config must be an object"),
        (lambda f: add_node(f, node("check")), "two nodes are called 'check'"),
        (lambda f: add_node(f, node("x", parent="zz")), "its parent 'zz' is no node"),
        (lambda f: rename_node_id(f, "check", "boss"), "two nodes are called 'boss'"),
        (lambda f: rename_node_id(f, "check", ""), "id must not be empty"),
        (lambda f: set_parent(f, ["box"], "inner"), "would lie inside itself"),
        (lambda f: set_parent(f, ["box"], "box"), "would lie inside itself"),
        (lambda f: move_nodes(f, {"check": (float("nan"), 0)}), "position.x must be"),
        (lambda f: add_edge(f, "check", "zz"), "There is no node 'zz'"),
        (lambda f: add_edge(f, "check", "boss", edge_id=""), "id must not be empty"),
        (lambda f: remove_edges(f, ["e9"]), "There is no edge 'e9'"),
        (lambda f: reconnect_edge(f, "e1", target="zz"), "There is no node 'zz'"),
        (lambda f: set_edge_data(f, "e1", edge_type="dashed"), "edge_type must be"),
        (lambda f: set_edge_data(f, "e1", colour=1), "there is no field 'colour'"),
        (lambda f: reorder_edges(f, "check", ["e2"]), "each of its 2 edges once"),
        (lambda f: add_variable(f, Variable(name="score")), "two variables"),
        (lambda f: change_variable(f, "score", type="float"), "type must be"),
        (lambda f: change_variable(f, "score", name="x"), "Rename the variable"),
        (lambda f: rename_variable(f, "score", "answer"), "two variables"),
        (lambda f: remove_variable(f, "scor"), "Did you mean 'score'"),
        (lambda f: reorder_variables(f, ["score"]), "each of the 2 variables once"),
        (lambda f: reorder_variables(f, ["score", "score"]), "each of the 2 variables once"),
        (lambda f: set_settings(f, max_steps=0), "max_steps must be at least 1"),
        (lambda f: add_note(f, Note(id="n1")), "two notes"),
        (lambda f: change_note(f, "n2", text="x"), "no note 'n2'"),
        (lambda f: pin_output(f, "zz", 1), "no node 'zz'"),
        (lambda f: rename_route_key(f, "check", "big", "small"), "already has an edge"),
        (lambda f: rename_route_key(f, "check", "big", ""), "must not be empty"),
        (lambda f: edits.set_name(f, None), "name must be text"),
        (lambda f: edits.insert_on_edge(f, "e1", "check"), "already an end"),
        (lambda f: edits.insert_on_edge(f, "e1", node("boss")), "two nodes"),
    ],
)
def test_an_edit_that_cannot_be_is_refused_in_words_and_changes_nothing(edit, words):
    document = triage()
    before = copy.deepcopy(document)

    with pytest.raises(FlowCheckError) as refusal:
        edit(document)

    assert words in str(refusal.value)
    assert document == before


def test_moved_nodes_lie_where_they_were_put():
    changed = move_nodes(triage(), {"check": (3, 4.5), "boss": Position(x=1, y=2)})

    assert changed.node_by_id["check"].position == Position(x=3, y=4.5)
    assert changed.node_by_id["boss"].position == Position(x=1, y=2)


def test_a_new_edge_gets_an_id_that_is_free():
    changed = add_edge(triage(), "start", "boss")
    changed = add_edge(changed, "start", "boss", edge_id="e1")
    changed = remove_edges(changed, ["e2"])
    changed = add_edge(changed, "start", "boss")

    assert [e.id for e in changed.edges] == ["e1", "e3", "e4", "e5", "e6", "e1_2", "e7"]


def test_a_redirected_edge_keeps_all_but_its_waypoints():
    changed = reconnect_edge(triage(), "e5", target="start")

    assert changed.edge_by_id["e5"].data == EdgeData(edge_type="loop_back")
    assert reconnect_edge(triage(), "e5") == triage()
    assert set_waypoints(triage(), "e5", [(3, 4)]).edge_by_id["e5"].data.waypoints == (
        Position(x=3, y=4),
    )


def test_edges_that_leave_a_node_change_their_order():
    changed = reorder_edges(triage(), "check", ["e3", "e2"])

    assert [e.id for e in changed.edges] == ["e1", "e3", "e2", "e4", "e5"]


def test_a_renamed_rule_renames_the_keys_of_its_edges_in_the_same_edit():
    path = ("routes", 0, "targetEdgeKey")

    changed = rename_route_key(triage(), "check", "big", "huge", path)

    data = changed.edge_by_id["e2"].data
    assert (data.route_key, data.source_handle_id) == ("huge", "huge_handle")
    assert changed.node_by_id["check"].config["routes"][0] == {"targetEdgeKey": "huge"}
    assert changed.edge_by_id["e3"] == triage().edge_by_id["e3"]


def test_a_removed_rule_takes_the_key_from_its_edges_or_the_edges_too():
    changed = remove_route_key(triage(), "check", "big", ("routes", 0))
    dropped = remove_route_key(triage(), "check", "big", ("routes", 0), drop_edges=True)

    data = changed.edge_by_id["e2"].data
    assert (data.route_key, data.source_handle_id, data.label) == (None, None, "yes")
    assert changed.node_by_id["check"].config == {"routes": [{"targetEdgeKey": "small"}]}
    assert [e.id for e in dropped.edges] == ["e1", "e3", "e4", "e5"]


def test_a_renamed_variable_is_followed_by_the_nodes_that_save_to_it():
    document = set_config(triage(), "box", "items", "{{ answer.output }}")

    changed = rename_variable(document, "answer", "reply", renaming)

    assert [v.name for v in changed.variables] == ["reply", "score"]
    assert changed.node_by_id["draft"].save_as == "reply"
    assert changed.node_by_id["box"].config["items"] == "{{ reply.output }}"


def test_variables_are_added_changed_removed_and_reordered():
    changed = add_variable(triage(), Variable(name="list", type="list", default=[]))
    changed = change_variable(changed, "score", reducer="add", default=1)
    changed = reorder_variables(changed, ["list", "score", "answer"])
    changed = remove_variable(changed, "answer")

    assert [(v.name, v.reducer, v.default) for v in changed.variables] == [
        ("list", "replace", []),
        ("score", "add", 1),
    ]


def test_notes_settings_view_and_names_change():
    changed = add_note(triage(), Note(id="n2", text="two"))
    changed = change_note(changed, "n1", text="one", position=Position(x=5, y=5))
    changed = remove_notes(changed, ["n2"])
    changed = set_settings(changed, max_steps=5)
    changed = set_viewport(changed, Viewport(x=1, zoom=0.5))
    changed = edits.set_name(changed, "Refunds")
    changed = edits.set_description(changed, "What it does")

    assert [(n.id, n.text, n.position.x) for n in changed.notes] == [("n1", "one", 5)]
    assert (changed.settings.max_steps, changed.viewport.zoom) == (5, 0.5)
    assert (changed.name, changed.description) == ("Refunds", "What it does")


@pytest.mark.parametrize("output", [0, False, "", [], {}, None])
def test_any_value_can_be_pinned_and_unpinned(output):
    pinned = pin_output(triage(), "check", output, route="big")

    assert pinned.pinned["check"] == {"output": output, "route": "big"}
    assert unpin_output(pinned, "check") == triage()
    assert unpin_output(triage(), "check") == triage()


def test_a_free_name_counts_on_from_the_number_it_ends_in():
    taken = {"fetch", "fetch_2", "a_9", "_1"}

    assert free_name("new", taken) == "new"
    assert free_name("fetch", taken) == "fetch_3"
    assert free_name("fetch_2", taken) == "fetch_3"
    assert free_name("a_9", taken) == "a_10"
    assert free_name("_1", taken) == "_1_2"


def test_a_changed_flow_looks_up_its_own_parts():
    document = triage()
    assert len(document.edges_from["check"]) == 2

    changed = remove_edges(add_node(document, node("new")), ["e2"])

    assert "new" in changed.node_by_id
    assert "new" not in document.node_by_id
    assert [e.id for e in changed.edges_from["check"]] == ["e3"]


def test_a_flow_can_be_copied_deep_and_sent_to_another_process():
    document = triage()
    assert document.node_by_id

    assert copy.deepcopy(document) == document
    assert pickle.loads(pickle.dumps(document)) == document
    assert copy.deepcopy(document).nodes[1].config is not document.nodes[1].config
