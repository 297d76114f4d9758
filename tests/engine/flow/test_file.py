from __future__ import annotations

import json
import os
import stat
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import FlowFileError
from engine.flow.document import Flow, Node
from engine.flow.edits import set_label
from engine.flow.file import flow_data, flow_from_json, flow_to_json, read_flow, write_flow
from tests.engine.flow.builders import edge, flow, json_values, node, texts, triage

HEAD = '"format": "loopwright.flow", "version": 1, "id": "f"'
NAMES = [f"n{number}" for number in range(4)]


@st.composite
def flows(draw) -> Flow:
    ids = draw(st.lists(texts.filter(bool), min_size=1, max_size=4, unique=True))
    number = st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6)
    nodes = [
        node(
            node_id,
            label=draw(texts),
            config=draw(st.dictionaries(texts, json_values, max_size=3)),
            position={"x": draw(number), "y": draw(number)},
            on_error=draw(st.sampled_from([None, "continue", "retry"])),
            timeout_s=draw(st.none() | st.integers(1, 9) | st.floats(0.5, 9)),
            extra=draw(st.dictionaries(texts, json_values, max_size=2)),
        )
        for node_id in ids
    ]
    ends = draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(ids)), max_size=4))
    edges = [
        edge(source, target, f"e{number}", label=draw(texts), extra={"x": draw(json_values)})
        for number, (source, target) in enumerate(ends)
    ]
    pinned = {name: {"output": draw(json_values)} for name in draw(st.sets(st.sampled_from(ids)))}
    return flow(*nodes, *edges, pinned=pinned, name=draw(texts))


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(flows())
def test_a_flow_reads_back_equal_and_its_text_is_the_same_again(document):
    text = flow_to_json(document)
    again = flow_from_json(text, "f.flow.json")

    assert again == document
    assert flow_to_json(again) == text
    assert text.endswith("}\n")


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(flows())
def test_a_written_file_read_and_written_again_is_the_same_to_the_byte(tmp_path, document):
    path = tmp_path / "a.flow.json"
    write_flow(path, document)
    before = path.read_bytes()

    write_flow(path, read_flow(path))

    assert path.read_bytes() == before


def test_ids_come_first_and_unknown_keys_last():
    document = flow(node("a", extra={"zoo": 1}), edge("a", "a"), extra={"plan": "b"})

    data = json.loads(flow_to_json(document))

    assert list(data)[:4] == ["format", "version", "id", "name"]
    assert list(data)[-1] == "extra"
    assert list(data["nodes"][0])[:2] == ["id", "type"]
    assert list(data["nodes"][0])[-1] == "extra"
    assert "extra" not in data["edges"][0]


def test_positions_are_written_as_they_came():
    text = f'{{{HEAD}, "nodes": [{{"id": "a", "type": "t", "position": {{"x": 3, "y": 3.0}}}}]}}'

    written = json.loads(flow_to_json(flow_from_json(text, "x")), parse_float=str, parse_int=str)

    assert written["nodes"][0]["position"] == {"x": "3", "y": "3.0"}


def test_the_order_of_keys_in_a_configuration_stays():
    document = flow(node("a", config={"b": 1, "a": {"z": 1, "c": 2}}))

    again = flow_from_json(flow_to_json(document), "x").nodes[0].config

    assert list(again) == ["b", "a"]
    assert list(again["a"]) == ["z", "c"]


def test_unknown_keys_survive_everywhere_under_extra(tmp_path):
    part = '"new_key": {"deep": [1, null]}'
    text = f"""{{{HEAD}, {part},
      "variables": [{{"name": "v", {part}}}], "settings": {{{part}}},
      "nodes": [{{"id": "a", "type": "t", "position": {{"x": 1, "y": 2, {part}}}, {part}}}],
      "edges": [{{"id": "e", "source": "a", "target": "a", "data": {{{part}}}, {part}}}],
      "notes": [{{"id": "n", "size": {{"w": 1, "h": 1, {part}}}, {part}}}],
      "viewport": {{{part}}}}}"""
    path = tmp_path / "a.flow.json"
    path.write_text(text, encoding="utf-8")

    write_flow(path, read_flow(path))
    written = json.loads(path.read_text(encoding="utf-8"))

    parts = [written, written["settings"], written["viewport"], written["edges"][0]["data"]]
    parts += [written[room][0] for room in ("variables", "nodes", "edges", "notes")]
    parts += [written["nodes"][0]["position"], written["notes"][0]["size"]]
    assert [part["extra"] for part in parts] == [{"new_key": {"deep": [1, None]}}] * 10


def test_a_key_with_two_values_beside_and_under_extra_is_refused():
    text = f'{{{HEAD}, "k": 1, "extra": {{"k": 2}}}}'

    with pytest.raises(FlowFileError, match="'k' stands twice with different values"):
        flow_from_json(text, "x")


def test_a_node_of_an_unknown_type_keeps_its_configuration_and_edges():
    document = flow(node("a", "from_the_future", config={"x": [1]}), node("b"), edge("a", "b"))

    again = flow_from_json(flow_to_json(document), "x")

    assert again.node_by_id["a"].config == {"x": [1]}
    assert again.edges_from["a"] == document.edges


def test_a_byte_order_mark_does_no_harm(tmp_path):
    path = tmp_path / "a.flow.json"
    path.write_bytes(b"\xef\xbb\xbf" + flow_to_json(triage()).encode())

    assert read_flow(path) == triage()


def test_plain_data_given_as_a_flow_are_copied():
    config = {"rows": [1]}
    data = {**flow_data(flow()), "nodes": [{"id": "a", "type": "t", "config": config}]}

    document = flow_from_json(data, "x")
    config["rows"].append(2)

    assert document.nodes[0].config == {"rows": [1]}


def test_plain_data_of_a_flow_are_apart_from_it():
    document = triage()
    before = flow_to_json(document)

    flow_data(document)["nodes"][1]["config"]["routes"].clear()

    assert flow_to_json(document) == before


def test_a_value_without_a_json_form_is_refused_with_its_place():
    document = flow(node("a", config={"rows": [{1, 2}]}))

    with pytest.raises(FlowFileError, match=r"nodes\[0\]\.config\.rows\[0\]: a value of kind set"):
        flow_to_json(document)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("{\n  nope\n}", "line 2, column 3"),
        (f'{{{HEAD}, "name": "a", "name": "b"}}', "the name 'name' stands twice"),
        (f'{{{HEAD}, "nodes": ' + "[" * 5000 + "]" * 5000 + "}", "nested too deep"),
        ("[1, 2]", "it holds a list"),
        ("17", "not a Loopwright flow"),
        ('{"nodes": [], "edges": []}', '"format": "loopwright.flow"'),
        ('{"format": "other.flow", "version": 1}', "its format is 'other.flow'"),
        ('{"format": "loopwright.flow", "id": "f"}', "version is missing"),
        ('{"format": "loopwright.flow", "version": "1", "id": "f"}', "version must be a whole"),
        ('{"format": "loopwright.flow", "version": true, "id": "f"}', "version must be a whole"),
        ('{"format": "loopwright.flow", "version": 1.0, "id": "f"}', "version must be a whole"),
        ('{"format": "loopwright.flow", "version": -1, "id": "f"}', "no format version -1"),
        ('{"format": "loopwright.flow", "version": 7, "id": "f"}', "that reads version 7"),
        ('{"format": "loopwright.flow", "version": 1}', "id is missing"),
        (f'{{{HEAD}, "nodes": {{}}}}', "nodes must be a list in [ ], not an object"),
        (f'{{{HEAD}, "nodes": [null]}}', "node 1 of 1: it must be an object"),
        (f'{{{HEAD}, "nodes": [{{"id": "a"}}]}}', "node 'a': type is missing"),
        (f'{{{HEAD}, "extra": []}}', "extra must be an object"),
        (f'{{{HEAD}, "extra": [], "x": 1}}', "extra must be an object"),
        (f'{{{HEAD}, "settings": {{"max_steps": 0}}}}', "settings.max_steps must be at least 1"),
        (f'{{{HEAD}, "pinned": {{"x": {{"output": 1}}}}}}', "'x' belongs to no node"),
        (f'{{{HEAD}, "pinned": {{"x": 3}}}}', "pinned output of 'x': it must be an object"),
        (f'{{{HEAD}, "variables": [{{"name": "a"}}, {{"name": "a"}}]}}', "two variables"),
    ],
)
def test_a_text_that_is_no_sound_flow_is_refused_in_words(text, words, tmp_path):
    path = tmp_path / "a.flow.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(FlowFileError) as refusal:
        read_flow(path)

    assert words in str(refusal.value)
    assert str(path) in refusal.value.message
    assert refusal.value.hint


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"timeout_s": 0}, "node 'check': timeout_s must be greater than 0"),
        ({"timeout_s": "soon"}, "node 'check': timeout_s must be a number, not 'soon'"),
        ({"join": "al"}, "not 'al'. Did you mean 'all'?"),
        ({"position": {"x": "left"}}, "node 'check': position.x must be a number"),
        ({"position": {"x": True}}, "node 'check': position.x must be a number"),
        ({"position": {"x": float("inf")}}, "node 'check': position.x must be"),
        ({"config": []}, "node 'check': config must be an object in { }, not a list"),
        ({"label": None}, "node 'check': label must be text, not null"),
        ({"on_error": {"retry": {"attempts": 0}}}, "on_error.retry.attempts must be at least 1"),
        ({"on_error": {"retry": {"atempts": 3}}}, "on_error.retry.atempts is not known here"),
        ({"concurrency": 0}, "node 'check': concurrency must be at least 1"),
        ({"parent": "nobody"}, "node 'check': its parent 'nobody' is no node"),
        ({"parent": "check"}, "node 'check' would lie inside itself"),
    ],
)
def test_a_wrong_value_is_named_with_its_node(fields, words):
    data = {**flow_data(flow()), "nodes": [{"id": "check", "type": "condition", **fields}]}

    with pytest.raises(FlowFileError) as refusal:
        flow_from_json(data, "a.flow.json")

    assert words in refusal.value.message


def test_many_faults_are_counted_and_all_told_in_the_detail():
    nodes = [{"id": f"n{number}", "type": ""} for number in range(9)]

    with pytest.raises(FlowFileError, match="and 6 more") as refusal:
        flow_from_json({**flow_data(flow()), "nodes": nodes}, "x")

    assert refusal.value.detail.count("type must not be empty") == 9


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"nodes": [{"id": "a", "type": "agentFlow", "data": {}}], "edges": []}, "Flowise yet"),
        ({"nodes": [{"id": "a", "data": {"inputs": {}}}], "edges": []}, "Flowise yet"),
        ({"version": "1.0", "nodes": [{"data": {"config": {}}}], "edges": []}, "JoySafeter yet"),
        ({"id": "x", "nodes": [{"block_id": "b"}], "links": []}, "AutoGPT yet"),
        ({"nodes": [], "connections": {}}, "n8n"),
        ([{"id": "a", "wires": []}], "Node-RED"),
    ],
)
def test_a_file_of_another_system_is_recognised(data, words):
    with pytest.raises(FlowFileError) as refusal:
        flow_from_json(json.dumps(data), "x.json")

    assert words in str(refusal.value)
    assert "not a Loopwright flow" in str(refusal.value)


def test_a_missing_file_names_those_that_are_near(tmp_path):
    write_flow(tmp_path / "refund.flow.json", triage())

    with pytest.raises(FlowFileError, match=r"Did you mean .*refund\.flow\.json"):
        read_flow(tmp_path / "refnd.flow.json")
    with pytest.raises(FlowFileError, match=r"Did you mean .*refund\.flow\.json"):
        read_flow(tmp_path / "refund")
    with pytest.raises(FlowFileError, match=r"In that folder there are: refund\.flow\.json"):
        read_flow(tmp_path / "zzzzzzzzzz.flow.json")


def test_a_path_that_is_no_readable_file_is_refused_in_words(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    faults = {
        tmp_path: "this is a folder",
        tmp_path / "nowhere" / "a.flow.json": "there is no folder",
        tmp_path / "file" / "a.flow.json": "is a file, not a folder",
        tmp_path / "pipe": "a pipe between programs",
        tmp_path / "nul\0": "cannot be read",
        tmp_path / ("x" * 5000): "cannot be read",
    }

    for path, words in faults.items():
        with pytest.raises(FlowFileError, match=words):
            read_flow(path)


def test_text_in_another_encoding_is_refused_with_its_line(tmp_path):
    path = tmp_path / "a.flow.json"
    path.write_bytes(b'{\n"name": "caf\xe9"}')

    with pytest.raises(FlowFileError, match="line 2 is not UTF-8"):
        read_flow(path)


def test_a_file_without_permission_is_refused_in_words(tmp_path, monkeypatch):
    path = tmp_path / "a.flow.json"
    write_flow(path, triage())

    def refuse(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "read_bytes", refuse)

    with pytest.raises(FlowFileError, match="no permission to read"):
        read_flow(path)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "a.flow.json"
    write_flow(path, triage())
    before = path.read_bytes()

    def disk_full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", disk_full)
    with pytest.raises(FlowFileError, match="No space left on device"):
        write_flow(path, set_label(triage(), "check", "New"))

    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["a.flow.json"]


def test_a_flow_that_cannot_be_written_does_not_touch_the_file(tmp_path):
    path = tmp_path / "a.flow.json"
    write_flow(path, triage())
    before = path.read_bytes()

    with pytest.raises(FlowFileError):
        write_flow(path, flow(Node(id="a", type="t", config={"bad": object()})))

    assert path.read_bytes() == before


def test_writing_keeps_the_permissions_and_follows_a_link(tmp_path):
    path, link = tmp_path / "a.flow.json", tmp_path / "link.flow.json"
    write_flow(path, triage())
    path.chmod(0o640)
    link.symlink_to(path)

    write_flow(link, set_label(triage(), "check", "New"))

    assert link.is_symlink()
    assert read_flow(path).node_by_id["check"].label == "New"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_writing_where_no_file_can_be_is_refused_in_words(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")

    with pytest.raises(FlowFileError, match="this is a folder"):
        write_flow(tmp_path, triage())
    with pytest.raises(FlowFileError, match="there is no folder"):
        write_flow(tmp_path / "nowhere" / "a.flow.json", triage())
    with pytest.raises(FlowFileError, match="cannot be written"):
        write_flow(tmp_path / "file" / "a.flow.json", triage())


def test_a_file_of_5000_nodes_opens_quickly(tmp_path):
    nodes = [node(f"n{number}", config={"x": "y" * 40}) for number in range(5000)]
    edges = [edge(f"n{n}", f"n{n + 1}", f"e{n}") for n in range(4999)]
    path = tmp_path / "big.flow.json"
    write_flow(path, flow(*nodes, *edges))

    # The best of three: the machine may be busy with something else.
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        opened = read_flow(path)
        times.append(time.perf_counter() - begin)

    assert len(opened.nodes) == 5000
    assert min(times) < 1
