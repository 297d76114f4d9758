from __future__ import annotations

import copy
import json

import pytest

from engine.errors import FlowFileError
from engine.flow.document import VERSION
from engine.flow.file import flow_from_json
from engine.flow.migrations import STEPS, migrate

VERSION_0 = {
    "format": "loopwright.flow",
    "version": 0,
    "id": "old",
    "variables": {"score": 0, "name": None},
    "nodes": [{"id": "a", "type": "condition"}, {"id": "b", "type": "template"}],
    "edges": [
        {"id": "e1", "source": "a", "target": "b", "edge_type": "conditional",
         "route_key": "true", "color": "red"},
        {"id": "e2", "source": "b", "target": "a"},
    ],
}  # fmt: skip


def test_a_file_of_version_0_opens_with_all_it_says():
    document = flow_from_json(json.dumps(VERSION_0), "old.flow.json")

    first, second = document.edges
    assert (first.data.edge_type, first.data.route_key) == ("conditional", "true")
    assert first.extra == {"color": "red"}
    assert second.data.edge_type == "normal"
    assert {v.name: v.default for v in document.variables} == {"score": 0, "name": None}
    assert document.version == VERSION


def test_a_migration_changes_nothing_in_what_it_is_given():
    before = copy.deepcopy(VERSION_0)

    migrate(VERSION_0, 0)

    assert before == VERSION_0


def test_there_is_a_step_from_every_older_version():
    assert sorted(STEPS) == list(range(VERSION))


@pytest.mark.parametrize("edges", [None, 3, [3], {"a": 1}, [{"data": 5}]])
def test_what_a_migration_does_not_understand_is_refused_in_words(edges):
    with pytest.raises(FlowFileError, match=r"old\.flow\.json"):
        flow_from_json(json.dumps({**VERSION_0, "edges": edges}), "old.flow.json")
