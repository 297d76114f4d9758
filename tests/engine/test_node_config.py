from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, model_validator

from engine.errors import NodeError
from engine.fields import AnyValue, Count, LongText, Row, Seconds, ShowWhen, Text
from engine.node_config import config_problems, preview, read_config, with_values
from engine.node_type import Group, Handle, NodeMeta, NodeType, Output
from engine.registry import default_registry


class Line(Row):
    key: Text = Field(title="Key", description="A key.")
    number: int = Field(default=7, title="Number", description="A number.")


class Sample(NodeType):
    """A sample."""

    meta: ClassVar[NodeMeta] = NodeMeta("sample", "Sample", Group.DO, "mdi6.circle")
    prompt: LongText = Field(title="Prompt", description="What.")
    count: Count = Field(default=1, title="Count", description="How many.")
    pause: Seconds | None = Field(default=None, title="Pause", description="How long.")
    mode: Literal["a", "b"] = Field(default="a", title="Mode", description="Which.")
    only_b: Annotated[int, ShowWhen("mode", "b")] = Field(default=0, title="B", description="B.")
    lines: tuple[Line, ...] = Field(default=(), title="Lines", description="Lines.")
    free: AnyValue = Field(default=None, title="Free", description="Anything.")

    @model_validator(mode="after")
    def _not_too_many(self) -> Self:
        if self.count > 100:
            raise ValueError("that is too many")
        return self

    def handles(self):
        return tuple(Handle(line.key) for line in self.lines)

    async def run(self, step):
        return Output(step.input)


def told(config):
    return [str(problem) for problem in config_problems(Sample, config)]


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({}, "Prompt: is missing"),
        ({"prompt": "p", "count": 0}, "Count: must be at least 1"),
        ({"prompt": "p", "count": "x"}, "Count: must be a whole number"),
        ({"prompt": "p", "count": 1.5}, "Count: must be a whole number"),
        ({"prompt": "p", "pause": "x"}, "Pause: must be a number"),
        ({"prompt": "p", "mode": "c"}, "Mode: must be one of 'a' or 'b'"),
        ({"prompt": "p", "lines": 3}, "Lines: must be a list"),
        ({"prompt": "p", "lines": [3]}, "Lines 1: must be an object"),
        ({"prompt": "p", "lines": [{}]}, "Lines 1, Key: is missing"),
        (
            {"prompt": "p", "lines": [{"key": "k"}, {"key": "k", "number": "n"}]},
            "Lines 2, Number: must be a whole number",
        ),
        ({"prompt": "p", "count": 101}, "that is too many"),
        (
            {"prompt": "p", "promt": "q"},
            "'Sample' nodes have no field 'promt'; did you mean 'prompt'?",
        ),
    ],
)
def test_problems_are_told_in_words(config, problem):
    assert told(config) == [problem]


def test_a_template_gets_the_benefit_of_the_doubt():
    config = {
        "prompt": "{{ x }}",
        "count": "{{ x }}",
        "pause": "{{ x }}",
        "lines": [{"key": "k", "number": "{{ x }}"}],
    }

    assert told(config) == []
    assert told({**config, "mode": "{{ x }}"}) == ["Mode: must be one of 'a' or 'b'"]
    assert told({"prompt": "p", "lines": "{{ x }}"}) == []


def test_fields_that_do_not_count_are_not_looked_at():
    config = {"prompt": "p", "only_b": "nonsense"}

    assert told(config) == []
    assert read_config(Sample, config).only_b == 0
    assert told({**config, "mode": "b"}) == ["B: must be a whole number"]


def test_reading_a_wrong_configuration_names_every_fault():
    with pytest.raises(NodeError) as caught:
        read_config(Sample, {"count": 0})

    assert caught.value.message == "Prompt: is missing. Count: must be at least 1."
    assert "Sample" in caught.value.hint


def test_a_look_at_a_node_needs_no_values_of_a_run():
    config = {
        "count": "{{ n }}",
        "lines": [{"key": "one", "number": "{{ n }}"}, {"key": "two"}, {"number": 1}],
    }

    node = preview(Sample, config)

    assert [handle.key for handle in node.handles()] == ["one", "two", "?"]
    assert node.lines[0].number == 7
    assert node.count == 1


@pytest.mark.parametrize("lines", [3, None, "x", [3], {"a": 1}, [[]]])
def test_a_look_at_a_node_never_fails(lines):
    assert isinstance(preview(Sample, {"lines": lines, "count": []}).handles(), tuple)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


@given(st.data())
def test_no_configuration_of_any_type_breaks_the_look_at_it(data):
    node_type = data.draw(st.sampled_from(default_registry().all()))
    names = st.sampled_from([*node_type.model_fields, "other"])
    config = data.draw(st.dictionaries(names, json_values, max_size=5))

    node = preview(node_type, config)

    assert isinstance(node.handles(), tuple)
    assert isinstance(node.summary(), str)
    assert all(str(problem) for problem in config_problems(node_type, config))


def test_values_are_replaced_at_their_places_and_the_rest_is_shared():
    config = {"a": [1, {"b": 2, "c": 3}], "d": {"e": []}}

    changed = with_values(config, {("a", 1, "b"): None, ("a", 0): "x"})

    assert changed == {"a": ["x", {"b": None, "c": 3}], "d": {"e": []}}
    assert changed["d"] is config["d"]
    assert config == {"a": [1, {"b": 2, "c": 3}], "d": {"e": []}}
