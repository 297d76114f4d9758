"""Variables, text, lists: values pass unchanged, and user text is never expanded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import NodeError
from engine.fields import Language, texts_in
from engine.node_type import Iterate, Outputs
from engine.nodes.direct_reply import DirectReply
from engine.nodes.get_variables import GetVariables
from engine.nodes.iteration import Iteration
from engine.nodes.set_variables import SetVariables
from engine.nodes.split import Split
from engine.nodes.template import Template
from engine.run.reducers import REDUCERS
from tests.engine.nodes.fake_step import FakeStep, ran

VALUES = [0, False, "", [], {}, None, 0.5, "{{ x }} $& \\1 \"'", [None], {"a": {}}, 10**30]


def row(variable, operation, value):
    return {"variable": variable, "operation": operation, "value": value}


def updated(*rows, **context):
    return ran(SetVariables, {"updates": list(rows)}, FakeStep(state={"context": context}))


@pytest.mark.parametrize("value", VALUES)
def test_a_value_keeps_its_kind(value):
    step = FakeStep(value)

    result = ran(SetVariables, {"updates": [row("x", "set", "{{ input }}")]}, step)

    assert result.value == {"x": value}
    assert type(result.value["x"]) is type(value)
    assert [tuple(change) for change in result.changes] == [("context", "x", "replace", value)]


def test_templates_inside_a_value_are_filled_in():
    step = FakeStep({"n": 1})

    result = ran(SetVariables, {"updates": [row("x", "set", {"a": ["{{ input }}", "n"]})]}, step)

    assert result.value == {"x": {"a": [{"n": 1}, "n"]}}


@pytest.mark.parametrize(
    ("operation", "old", "value", "new"),
    [
        ("append", None, 1, [1]),
        ("append", [1], [2], [1, [2]]),
        ("add", None, 2, 2),
        ("add", 0, 2, 2),
        ("add", "a", "b", "ab"),
        ("add", [1], [2], [1, 2]),
        ("add", [1], 2, [1, 2]),
        ("merge", None, {"a": 1}, {"a": 1}),
        ("merge", {"a": 1, "b": 1}, {"a": 0}, {"a": 0, "b": 1}),
        ("remove", [1, 2, 1], 1, [2]),
        ("remove", [1, True, 0, False], True, [1, 0, False]),
        ("remove", {"a": 1, "b": 2}, "a", {"b": 2}),
        ("remove", None, 1, None),
        ("remove", 5, 5, None),
        ("remove", 5, 6, 5),
    ],
)
def test_an_operation_gives_what_the_run_will_make_of_it(operation, old, value, new):
    result = updated(row("x", operation, value), x=old)

    assert result.value == {"x": new}
    (change,) = result.changes
    made = REDUCERS[change.op](old, change.value)
    assert (list(made) if isinstance(new, list) else made) == new


def test_several_changes_of_one_variable_follow_each_other():
    result = updated(row("n", "set", 1), row("n", "add", 2), row("m", "append", 0))

    assert result.value == {"n": 3, "m": [0]}
    assert [change.op for change in result.changes] == ["replace", "add", "append"]


@pytest.mark.parametrize(
    ("operation", "old", "value"),
    [
        ("append", "text", 1),
        ("add", 1, "a"),
        ("add", True, 1),
        ("add", {}, {}),
        ("merge", {}, []),
        ("merge", [], {}),
    ],
)
def test_an_operation_that_does_not_fit_is_an_error_in_words(operation, old, value):
    with pytest.raises(NodeError, match=f"Variable 'x' holds .*{operation} works on"):
        updated(row("x", operation, value), x=old)


@pytest.mark.parametrize("operation", ["increment", "", None])
def test_an_unknown_operation_is_refused(operation):
    with pytest.raises(NodeError, match="Changes 1, Operation: must be one of"):
        updated(row("x", operation, 1))


def test_variables_are_read_as_they_are():
    context = {str(number): value for number, value in enumerate(VALUES)}
    step = FakeStep(state={"context": context})

    assert ran(GetVariables, {"variables": list(context)}, step).value == context


def test_a_missing_variable_is_an_error_with_the_nearest_name():
    step = FakeStep(state={"context": {"email": "x"}})

    with pytest.raises(NodeError, match="no variable 'emial'; did you mean 'email'"):
        ran(GetVariables, {"variables": ["emial"]}, step)
    allowed = {"variables": ["emial", "email"], "error_on_missing": False}
    assert ran(GetVariables, allowed, step).value == {"emial": None, "email": "x"}


def test_a_text_is_filled_in_with_names_of_its_own():
    config = {
        "template": "{{ name }} has {{ n }} of {{ context.all }}",
        "values": {"name": "{{ input }}", "n": 0},
    }
    step = FakeStep("{{ n }} $& \\1", state={"context": {"all": [1]}})

    assert ran(Template, config, step).value == "{{ n }} $& \\1 has 0 of [1]"


def test_the_text_of_a_template_is_left_to_the_node():
    found = list(texts_in(Template, {"template": "{{ name }}", "values": {"name": "{{ x }}"}}))

    assert [(text.path, text.language) for text in found] == [
        (("values", "name"), Language.TEMPLATE)
    ]


def test_a_template_always_gives_text_and_names_a_missing_name():
    assert ran(Template, {"template": "{{ input }}"}, FakeStep({"a": None})).value == '{"a": null}'
    with pytest.raises(NodeError, match=r"Field 'Text'.*`nmae`.*`name`"):
        ran(Template, {"template": "{{ nmae }}", "values": {"name": 1}})


@given(st.text(max_size=30))
def test_user_text_is_said_as_it_is(text):
    result = ran(DirectReply, {"template": "{{ input }}"}, FakeStep(text))

    assert result.value == {"content": text}
    assert result.changes[0].value == {"role": "assistant", "content": text}


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([], []),
        (VALUES, VALUES),
        ("[1, null]", [1, None]),
        ({"a": 0}, [{"key": "a", "value": 0}]),
        ('{"a": 0}', [{"key": "a", "value": 0}]),
        ((1, 2), [1, 2]),
    ],
)
def test_items_are_taken_one_by_one_as_they_are(items, expected):
    step = FakeStep(items)

    assert ran(Split, {"items": "{{ input }}"}, step) == Outputs(expected)
    config = {"items": "{{ input }}", "concurrency": 2, "on_item_error": "continue"}
    assert ran(Iteration, config, step) == Iterate(expected, 2, "continue")


@pytest.mark.parametrize("items", [None, 0, True, "abc", "", "5", '"text"', "[" * 100_000])
@pytest.mark.parametrize("node_type", [Split, Iteration])
def test_what_has_no_items_is_an_error_in_words(node_type, items):
    with pytest.raises(NodeError, match="Field 'Items': a list is needed here"):
        ran(node_type, {"items": "{{ input }}"}, FakeStep(items))


def test_templates_in_a_literal_list_are_filled_in():
    assert ran(Split, {"items": ["{{ input }}", 2]}, FakeStep(1)) == Outputs([1, 2])


@pytest.mark.parametrize("concurrency", [0, -1, 1001, "many", 1.5])
def test_how_many_at_once_has_limits(concurrency):
    with pytest.raises(NodeError, match="At the same time: must be"):
        ran(Iteration, {"items": [], "concurrency": concurrency})


def test_how_many_at_once_may_come_from_a_template():
    assert ran(Iteration, {"items": [], "concurrency": "{{ input }}"}, FakeStep(3)).concurrency == 3
