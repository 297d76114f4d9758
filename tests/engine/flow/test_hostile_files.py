from __future__ import annotations

import copy

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import FlowFileError
from engine.flow.document import Flow
from engine.flow.file import flow_data, flow_from_json, flow_to_json, read_flow
from tests.engine.flow.builders import json_values, triage

CONTENT = flow_to_json(triage()).encode()


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


PLACES = list(places(flow_data(triage())))[1:]


def opened(source):
    """The flow, when the source holds one; a refusal must speak."""
    try:
        return flow_from_json(source, "a.flow.json")
    except FlowFileError as refusal:
        message = str(refusal)
    assert message.startswith("a.flow.json")
    assert "Traceback" not in message
    assert "pydantic" not in message
    return None


@settings(max_examples=200)
@given(st.sampled_from(PLACES), json_values)
def test_any_value_in_any_place_is_a_flow_or_a_refusal_in_words(place, value):
    data = copy.deepcopy(flow_data(triage()))
    inside = data
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = value

    document = opened(data)

    if document is not None:
        assert opened(flow_to_json(document)) == document


@settings(max_examples=150)
@given(st.integers(0, len(CONTENT) - 1), st.binary(max_size=3), st.integers(0, 40))
def test_a_damaged_file_is_a_flow_or_a_refusal_in_words(tmp_path_factory, at, new, gone):
    path = tmp_path_factory.getbasetemp() / "damaged.flow.json"
    path.write_bytes(CONTENT[:at] + new + CONTENT[at + gone :])

    try:
        result = read_flow(path)
    except FlowFileError as refusal:
        result = refusal

    assert isinstance(result, Flow) or (str(path) in str(result) and result.hint)


def test_odd_characters_and_endless_names_do_not_reach_a_message_as_they_are():
    names = ["\x1b[31mred", "\ud800", "x" * 10_000, "two\nlines"]
    for name in names:
        data = flow_data(triage())
        data["edges"][0]["source"] = name
        data["pinned"] = {name: {"output": 1}}
        data["nodes"][0] |= {"id": name, "join": name, "parent": name, "type": ""}

        try:
            flow_from_json(data, "x")
        except FlowFileError as refusal:
            message = str(refusal) + refusal.detail
            message.encode("utf-8")
            assert "\x1b" not in message
            assert len(message) < 2_000
