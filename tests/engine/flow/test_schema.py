from __future__ import annotations

import jsonschema
import pytest

from engine.flow.file import flow_data
from engine.flow.schema import SCHEMA_FILE, flow_schema, schema_text
from tests.engine.flow.builders import node, triage


@pytest.fixture(scope="module")
def validator():
    jsonschema.Draft202012Validator.check_schema(flow_schema())
    return jsonschema.Draft202012Validator(flow_schema())


def test_the_shipped_schema_is_current():
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text()


def test_the_schema_accepts_what_is_written(validator):
    validator.validate(flow_data(triage()))


def test_the_schema_accepts_unknown_keys_and_short_error_policies(validator):
    data = flow_data(triage())
    data["nodes"].append({**flow_data(triage())["nodes"][0], "id": "x", "on_error": "retry"})
    data["edges"][0]["data"]["new"] = 1
    data["extra"] = {"kept": True}

    validator.validate(data)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"version": 2},
        {"nodes": [{"id": "a"}]},
        {"nodes": [{"id": "a", "type": "t", "timeout_s": 0}]},
        {"pinned": {"a": {}}},
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(validator, change):
    assert not validator.is_valid({**flow_data(triage()), **change})


def test_every_field_of_a_node_is_described(validator):
    written = flow_data(triage())["nodes"][0]

    assert set(written) <= set(flow_schema()["$defs"]["Node"]["properties"])
    assert node("a").model_dump().keys() >= written.keys()
