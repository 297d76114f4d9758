from __future__ import annotations

import json

import pytest

from engine.check import check_flow
from engine.errors import FlowFileError
from engine.flow.file import flow_from_json, flow_to_json, read_flow, write_flow
from engine.flow.structure import analyse
from engine.gallery import gallery_flows
from engine.node_config import config_problems, preview
from engine.registry import default_registry
from engine.resources import resource
from engine.run.flow_finder import FlowFinder
from tests.gallery.layout import height_of_text, node_rectangles, note_rectangles, overlaps

ENTRIES = gallery_flows()
FLOWS = {entry.file.name.removesuffix(".flow.json"): read_flow(entry.file) for entry in ENTRIES}
FILES = {entry.file.name.removesuffix(".flow.json"): entry.file for entry in ENTRIES}
MODELS = ("pretend/echo", "pretend/script", "pretend/faults")


def test_the_gallery_lists_every_file_the_easiest_first():
    shipped = {path.name for path in resource("templates").glob("*.flow.json")}

    assert {entry.file.name for entry in ENTRIES} == shipped
    assert len(ENTRIES) >= 10
    assert ENTRIES[0].name == "Reply to a mail"
    for entry in ENTRIES:
        assert entry.description.endswith(".")
        assert entry.tags
        assert entry.cases is not None
    assert len({entry.name for entry in ENTRIES}) == len(ENTRIES)


def test_a_card_is_read_from_the_file_alone(tmp_path):
    (tmp_path / "b.flow.json").write_text(
        '{"format": "loopwright.flow", "version": 1, "id": "b", "extra": {"gallery": "?"}}', "utf-8"
    )
    (tmp_path / "a.flow.json").write_text(
        '{"format": "loopwright.flow", "version": 1, "id": "a", "name": "Second",'
        ' "gallery": {"place": 2.5, "tags": ["x", 3]}}',
        "utf-8",
    )
    (tmp_path / "a.cases.json").write_text('{"cases": []}', "utf-8")

    second, last = gallery_flows(tmp_path)

    assert (second.name, second.tags, second.cases) == ("Second", ("x",), tmp_path / "a.cases.json")
    assert (last.name, last.description, last.tags, last.cases) == ("b", "", (), None)


def test_a_gallery_with_a_broken_file_says_which(tmp_path):
    (tmp_path / "bad.flow.json").write_text("{", "utf-8")

    with pytest.raises(FlowFileError, match=r"bad\.flow\.json"):
        gallery_flows(tmp_path)


def test_an_empty_folder_is_an_empty_gallery(tmp_path):
    assert gallery_flows(tmp_path) == ()


@pytest.mark.parametrize("name", FILES)
def test_a_flow_is_written_back_byte_for_byte(name, tmp_path):
    before = FILES[name].read_bytes()

    write_flow(tmp_path / "copy.flow.json", FLOWS[name])

    assert (tmp_path / "copy.flow.json").read_bytes() == before
    assert flow_to_json(FLOWS[name]).encode() == before


@pytest.mark.parametrize("name", FILES)
def test_recorded_cases_are_plain_readable_json(name):
    path = FILES[name].with_name(f"{name}.cases.json")
    text = path.read_text("utf-8")

    assert json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n" == text


@pytest.mark.parametrize("name", FLOWS)
def test_every_setting_fits_its_node_type(name):
    for node in FLOWS[name].nodes:
        kind = default_registry().get(node.type)

        assert list(config_problems(kind, node.config)) == [], node.id
        assert set(node.config) <= set(kind.model_fields), node.id


def problems(name, flow):
    def beside(called):
        return FlowFinder().find(called, FILES[name])[0]

    return [str(problem) for problem in check_flow(flow, default_registry(), beside)]


@pytest.mark.parametrize("name", FLOWS)
def test_the_check_has_nothing_to_say(name):
    assert problems(name, FLOWS[name]) == []


def test_the_check_would_find_a_slip_of_the_pen():
    text = flow_to_json(FLOWS["reply-to-a-mail"]).replace(
        "{{ context.draft }}", "{{ context.daft }}"
    )

    [first, *_] = problems("reply-to-a-mail", flow_from_json(text, "test"))

    assert "daft" in first
    assert "draft" in first


@pytest.mark.parametrize("name", FLOWS)
def test_only_pretend_models_are_asked(name):
    for node in FLOWS[name].nodes:
        if "model" in node.config:
            assert node.config["model"].startswith(MODELS), node.id


@pytest.mark.parametrize("name", FLOWS)
def test_a_person_can_read_every_part(name):
    flow = FLOWS[name]

    assert flow.id == name
    assert flow.notes
    labels = [node.label for node in flow.nodes]
    assert all(labels)
    assert len(set(labels)) == len(labels)
    for variable in flow.variables:
        assert variable.description
        assert variable.type != "any"
    for edge in flow.edges:
        assert edge.data.route_key is None or edge.data.label, edge.id


@pytest.mark.parametrize("name", FLOWS)
def test_every_edge_is_what_it_looks_like(name):
    flow = FLOWS[name]
    back = {edge.id for edge, is_back in _with_direction(flow) if is_back}

    for edge in flow.edges:
        kind = default_registry().get(flow.node_by_id[edge.source].type)
        source = flow.node_by_id[edge.source]
        handles = {h.id: h.key for h in preview(kind, source.config).handles()}
        if source.on_error is not None and source.on_error.policy == "branch":
            handles["error_handle"] = "error"
        key, handle = edge.data.route_key, edge.data.source_handle_id

        assert (edge.data.edge_type == "loop_back") == (edge.id in back), edge.id
        if key is None:
            assert None in handles.values(), edge.id
            assert edge.data.edge_type in ("normal", "loop_back"), edge.id
        else:
            assert handles[handle] == key, edge.id
            assert edge.data.edge_type in ("conditional", "loop_back"), edge.id


def _with_direction(flow):
    for parent in {node.parent for node in flow.nodes}:
        structure = analyse(flow, parent)
        yield from zip(structure.edges, structure.back, strict=True)


@pytest.mark.parametrize("name", FLOWS)
def test_nothing_lies_on_anything_else(name):
    flow = FLOWS[name]
    top = node_rectangles(flow)
    notes = note_rectangles(flow)

    assert list(overlaps([*top, *notes])) == []
    for node in flow.nodes:
        assert list(overlaps(node_rectangles(flow, node.id))) == []


@pytest.mark.parametrize("name", FLOWS)
def test_it_is_read_from_left_to_right_and_goes_back_around(name):
    flow = FLOWS[name]

    for edge in flow.edges:
        source, target = flow.node_by_id[edge.source], flow.node_by_id[edge.target]
        if edge.data.edge_type == "loop_back":
            assert edge.data.waypoints, edge.id
        else:
            assert target.position.x > source.position.x, edge.id
        for point in edge.data.waypoints:
            for node in node_rectangles(flow):
                assert not node.holds(point.x, point.y), (edge.id, node.id)


def test_the_gallery_shows_every_kind_of_flow():
    types = {node.type for flow in FLOWS.values() for node in flow.nodes}

    assert types >= {
        "start", "llm", "condition", "router", "loop", "loop_condition", "iteration", "split",
        "aggregator", "human_input", "execute_flow", "set_variables", "template", "direct_reply",
        "json_parser", "list_and_dict", "function",
    }  # fmt: skip


@pytest.mark.parametrize("name", FLOWS)
def test_every_note_is_large_enough_for_its_text(name):
    for note in FLOWS[name].notes:
        assert height_of_text(note.text, note.size.w) <= note.size.h, note.id
