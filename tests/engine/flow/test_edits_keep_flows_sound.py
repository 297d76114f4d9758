from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import FlowCheckError
from engine.flow import edits
from engine.flow.document import EdgeData, Note, Position, Variable, Viewport
from engine.flow.file import flow_from_json, flow_to_json
from engine.flow.soundness import structure_faults
from tests.engine.flow.builders import json_values, node, texts, triage


class Chooser:
    """Draws what an edit needs: mostly things that exist, sometimes ones that do not."""

    def __init__(self, data, document):
        self.data = data
        self.document = document

    def one_of(self, choices):
        return self.data.draw(st.sampled_from([*choices, "nobody"]))

    def node(self):
        return self.one_of([n.id for n in self.document.nodes])

    def nodes(self):
        return [self.node() for _ in range(self.data.draw(st.integers(1, 2)))]

    def edge(self):
        return self.one_of([e.id for e in self.document.edges])

    def note(self):
        return self.one_of([n.id for n in self.document.notes])

    def variable(self):
        return self.one_of([v.name for v in self.document.variables])

    def key(self):
        return self.one_of([e.data.route_key or "" for e in self.document.edges])

    def text(self):
        return self.data.draw(texts)

    def name(self):
        return self.data.draw(st.sampled_from(["new", "check", "draft", "e1", "score", "n1", ""]))

    def value(self):
        return self.data.draw(json_values)

    def number(self):
        return self.data.draw(st.integers(-5, 5) | st.floats(-5, 5))

    def edge_data(self):
        kind = self.data.draw(st.sampled_from(["normal", "conditional", "loop_back"]))
        return EdgeData(edge_type=kind, route_key=self.text() or None, extra={"x": self.value()})


def swap(text, names, place):
    return " ".join(names.get(word, word) for word in text.split(" "))


def pasted(flow, choose):
    part = edits.copy_part(flow, choose.nodes())
    text = edits.part_to_json(part)
    return edits.paste_part(flow, edits.part_from_json(text), offset=(1, 2), rewrite=swap)


EDITS = {
    "add_node": lambda f, c: edits.add_node(
        f, node(c.name() or "x", config={"a": c.value()}, parent=c.node())
    ),
    "remove_nodes": lambda f, c: edits.remove_nodes(f, c.nodes()),
    "rename_node_id": lambda f, c: edits.rename_node_id(f, c.node(), c.name(), swap),
    "set_config": lambda f, c: edits.set_config(
        f, c.node(), c.one_of([("routes", 0), ("a", "b"), "a"]), c.value()
    ),
    "remove_config": lambda f, c: edits.remove_config(f, c.node(), c.one_of(["routes", "a"])),
    "set_label": lambda f, c: edits.set_label(f, c.node(), c.text()),
    "move_nodes": lambda f, c: edits.move_nodes(f, {c.node(): (c.number(), c.number())}),
    "set_join": lambda f, c: edits.set_join(f, c.node(), c.one_of(["any", "collect"])),
    "set_on_error": lambda f, c: edits.set_on_error(f, c.node(), c.one_of(["retry", "branch"])),
    "set_timeout": lambda f, c: edits.set_timeout(f, c.node(), c.number()),
    "set_concurrency": lambda f, c: edits.set_concurrency(f, c.node(), c.number()),
    "set_save_as": lambda f, c: edits.set_save_as(f, c.node(), c.variable()),
    "set_disabled": lambda f, c: edits.set_disabled(f, c.nodes()),
    "set_node_notes": lambda f, c: edits.set_node_notes(f, c.node(), c.text()),
    "set_parent": lambda f, c: edits.set_parent(f, c.nodes(), c.node()),
    "add_edge": lambda f, c: edits.add_edge(f, c.node(), c.node(), c.edge_data(), c.name()),
    "remove_edges": lambda f, c: edits.remove_edges(f, [c.edge()]),
    "reconnect_edge": lambda f, c: edits.reconnect_edge(f, c.edge(), target=c.node()),
    "set_edge_data": lambda f, c: edits.set_edge_data(f, c.edge(), condition=c.text()),
    "set_waypoints": lambda f, c: edits.set_waypoints(f, c.edge(), [(c.number(), c.number())]),
    "insert_new": lambda f, c: edits.insert_on_edge(f, c.edge(), node(c.name() or "x")),
    "insert_known": lambda f, c: edits.insert_on_edge(f, c.edge(), c.node(), c.edge_data()),
    "delete_and_heal": lambda f, c: edits.delete_and_heal(f, c.nodes()),
    "duplicate": lambda f, c: edits.duplicate(f, c.nodes(), rewrite=swap),
    "paste": pasted,
    "add_variable": lambda f, c: edits.add_variable(
        f, Variable(name=c.name() or "x", default=c.value())
    ),
    "change_variable": lambda f, c: edits.change_variable(f, c.variable(), default=c.value()),
    "rename_variable": lambda f, c: edits.rename_variable(f, c.variable(), c.name(), swap),
    "remove_variable": lambda f, c: edits.remove_variable(f, c.variable()),
    "reorder_variables": lambda f, c: edits.reorder_variables(
        f, [v.name for v in reversed(f.variables)]
    ),
    "set_settings": lambda f, c: edits.set_settings(f, max_iterations=c.number()),
    "add_note": lambda f, c: edits.add_note(f, Note(id=c.name() or "x", text=c.text())),
    "change_note": lambda f, c: edits.change_note(f, c.note(), position=Position(x=c.number())),
    "remove_notes": lambda f, c: edits.remove_notes(f, [c.note()]),
    "set_viewport": lambda f, c: edits.set_viewport(f, Viewport(x=c.number())),
    "pin_output": lambda f, c: edits.pin_output(f, c.node(), c.value()),
    "unpin_output": lambda f, c: edits.unpin_output(f, c.node()),
    "rename_route_key": lambda f, c: edits.rename_route_key(f, c.node(), c.key(), c.name()),
    "remove_route_key": lambda f, c: edits.remove_route_key(f, c.node(), c.key()),
    "set_name": lambda f, c: edits.set_name(f, c.text()),
}


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_any_row_of_edits_keeps_the_flow_sound_and_its_forerunners_as_they_were(data):
    document = triage()
    for name in data.draw(st.lists(st.sampled_from(sorted(EDITS)), min_size=1, max_size=8)):
        before = flow_to_json(document)
        choose = Chooser(data, document)
        try:
            changed = EDITS[name](document, choose)
        except FlowCheckError:
            changed = document
        assert flow_to_json(document) == before
        assert list(structure_faults(changed)) == []
        assert flow_from_json(flow_to_json(changed), "x") == changed
        document = changed


def test_every_edit_leaves_its_flow_alone_even_if_the_result_is_changed_by_force():
    document = triage()
    before = flow_to_json(document)

    part = edits.copy_part(document, ["check", "box"])
    for changed in (edits.paste_part(document, part), edits.duplicate(document, ["check"])):
        changed.nodes[-1].config["forced"] = True
        changed.pinned["forced"] = {}

    assert flow_to_json(document) == before
