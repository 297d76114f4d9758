"""Code and ready-made functions: what they see, what they give, what they change."""

from __future__ import annotations

import copy

import pytest

from engine.errors import NodeError
from engine.fields import Language, texts_in
from engine.node_config import config_problems
from engine.nodes.function import Function
from tests.engine.nodes.fake_step import FakeStep, ran

CONTEXT = {"n": 1, "names": ["Ada"]}


def done(config, given=None, **more):
    step = FakeStep(given, state={"context": copy.deepcopy(CONTEXT)}, **more)
    return ran(Function, config, step)


def value(config, given=None, **more):
    return done(config, given, **more).value


def fault(config, given=None):
    with pytest.raises(NodeError) as caught:
        done(config, given)
    return caught.value


@pytest.mark.parametrize(
    ("name", "inputs", "result"),
    [
        ("math_add", {"a": 1, "b": 2}, 3),
        ("math_add", {"a": "1", "b": "2.5"}, 3.5),
        ("math_add", {"values": [1, 2, 3]}, 6),
        ("math_add", {"a": 0}, 0),
        ("math_add", {"x": 1, "y": 2, "z": 3}, 6),
        ("math_add", {"a": 10**400, "b": 1}, 10**400 + 1),
        ("math_multiply", {"a": 3, "b": 0}, 0),
        ("math_multiply", {"values": [2, 2.5]}, 5.0),
        ("string_concat", {"text1": "a", "text2": ""}, "a"),
        ("string_concat", {"text1": "a", "text2": 1, "text3": [0]}, "a1[0]"),
        ("string_concat", {"values": ["a", "b"], "separator": ", "}, "a, b"),
        ("string_concat", {"a": "{{ input }}", "b": "!"}, "{{ x }}!"),
        ("dict_get", {"record": {"a": 0}, "key": "a"}, 0),
        ("dict_get", {"record": {"a": None}, "key": "a"}, None),
        ("dict_get", {"record": {}, "key": "a", "default": False}, False),
        ("dict_get", {"record": [5, 6], "key": 1}, 6),
        ("dict_set", {"record": {"a": 1}, "key": "b", "value": None}, {"a": 1, "b": None}),
        ("dict_set", {"record": {"a": 1}, "key": "a", "value": 0}, {"a": 0}),
        ("dict_set", {"key": "a", "value": ""}, {"a": ""}),
        ("dict_set", {"record": [1], "key": 0, "value": 2}, [2]),
    ],
)
def test_a_ready_made_function_gives(name, inputs, result):
    config = {"function_name": name, "inputs": inputs}

    assert value(config, "{{ x }}") == result


@pytest.mark.parametrize(
    ("name", "inputs", "message"),
    [
        ("math_add", {}, "There is nothing to work on."),
        ("math_add", {"a": "x"}, "Input 'a': A text (\"x\") cannot become a number"),
        ("math_add", {"a": True}, "Input 'a': A yes/no value (True) cannot become a number"),
        ("math_add", {"values": [1, None]}, "Input 'values[1]': Nothing (None) cannot become"),
        ("math_add", {"values": 5}, "Input 'values': a list is needed here"),
        ("math_add", {"a": 10**400, "b": 0.5}, "The result is too large."),
        ("math_multiply", {"a": 10**400, "b": 0.5}, "The result is too large."),
        ("math_multiply", {"values": [10**4000] * 200}, "The result is too large."),
        ("string_concat", {}, "There is nothing to work on."),
        ("dict_get", {"record": {"name": 1}, "key": "nam"}, "The record has no key 'nam'; did you"),
        ("dict_get", {"key": "a"}, "The input `record` is missing."),
        ("dict_set", {"record": {}, "key": "a"}, "The input `value` is missing."),
    ],
)
def test_what_a_ready_made_function_cannot_do_is_told(name, inputs, message):
    assert fault({"function_name": name, "inputs": inputs}).message.startswith(message)


def test_a_ready_made_function_changes_nothing_in_place():
    record = {"a": 1}
    step = FakeStep(record)

    ran(
        Function,
        {"function_name": "dict_set", "inputs": {"record": "{{ input }}", "key": "b", "value": 2}},
        step,
    )

    assert record == {"a": 1}


@pytest.mark.parametrize(
    ("language", "code"),
    [
        (
            "python",
            "[input['q'], inputs['before']['q'], inputs['a'], a, context['n'], "
            "state['context']['n']]",
        ),
        ("javascript", "[input.q, inputs.before.q, inputs.a, a, context.n, state.context.n]"),
    ],
)
def test_code_sees_its_inputs_and_the_run(language, code):
    config = {"language": language, "function_code": code, "inputs": {"a": "{{ input.q }}"}}

    assert value(config, {"q": 0}) == [0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("given", [0, False, "", [], {}, None, 0.5, 10**30, "{{ x }} $& \\1 \"'"])
@pytest.mark.parametrize("language", ["python", "javascript"])
def test_a_value_passes_code_unchanged(language, given):
    config = {"language": language, "function_code": "x", "inputs": {"x": "{{ input }}"}}

    result = value(config, given)

    assert result == given
    assert type(result) is type(given)


def test_code_is_never_a_template():
    config = {"function_code": "'{{ input }}' + x", "inputs": {"x": "{{ input }}"}}

    assert value(config, "{{ y }}") == "{{ input }}{{ y }}"
    assert [
        text.text for text in texts_in(Function, config) if text.language is Language.TEMPLATE
    ] == ["{{ input }}"]


def test_code_cannot_change_the_run():
    step = FakeStep({"list": [1]}, state={"context": {"n": [1]}})
    code = (
        "input['list'].append(2)\ncontext['n'].append(2)\n"
        "state['context']['n'] = 5\nstate['messages'] = 1"
    )

    ran(Function, {"function_code": code}, step)

    assert step.input == {"list": [1]}
    assert step.state == {"context": {"n": [1]}, "messages": []}


def test_an_input_without_a_name_in_the_language_is_there_by_its_key():
    config = {
        "function_code": "inputs['first name'] + inputs['class']",
        "inputs": {"first name": "a", "class": "b"},
    }

    assert value(config) == "ab"


def test_what_code_prints_goes_to_the_log():
    step = FakeStep()

    ran(Function, {"function_code": "print('a')\nprint('b', 1)"}, step)

    assert step.logged == [("info", "a\nb 1")]


def test_variables_change_with_the_result():
    config = {
        "function_code": "{'n': input + 1, 'text': '{{ evil }}'}",
        "updates": [
            {"variable": "n", "operation": "add", "value": "{{ output.n }}"},
            {"variable": "m", "operation": "set", "value": {"{{ k }}": ["{{ output.text }}", 0]}},
            {"variable": "names", "operation": "append", "value": "is {{ output.n }}"},
        ],
    }

    result = done(config, 4)

    assert result.value == {"n": 5, "text": "{{ evil }}"}
    assert [tuple(change) for change in result.changes] == [
        ("context", "n", "add", 5),
        ("context", "m", "replace", {"{{ k }}": ["{{ evil }}", 0]}),
        ("context", "names", "append", "is 5"),
    ]


@pytest.mark.parametrize("result", [0, False, "", [], {}, None])
def test_a_variable_takes_any_result(result):
    config = {
        "function_code": "x",
        "inputs": {"x": "{{ input }}"},
        "updates": [{"variable": "n", "value": "{{ output }}"}],
    }

    assert done(config, result).changes[0].value == result


def test_a_change_that_does_not_fit_is_told():
    config = {
        "function_code": "5",
        "updates": [{"variable": "n", "operation": "merge", "value": 1}],
    }

    assert fault(config).message.startswith("Variable 'n' holds a number (1)")


def test_a_name_that_is_not_there_is_told_in_the_field():
    config = {"function_code": "5", "updates": [{"variable": "n", "value": "{{ outptu }}"}]}

    assert "Changes, n, Value" in fault(config).message


def test_limits_are_those_of_the_node():
    slow = fault({"function_code": "while True: pass", "time_limit": 0.1})
    large = fault({"function_code": "x = [0] * 4_000_000", "memory_limit": 16})

    assert (slow.kind, large.kind) == ("timeout", "memory")
    assert "0.1 s" in slow.message
    assert "16 MB" in large.message


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "write some code, or choose a function"),
        ({"function_code": "  \n"}, "write some code, or choose a function"),
        ({"function_code": "1", "inputs": {"result": 1}}, "an input cannot be called 'result'"),
        ({"function_code": "1", "inputs": {"": 1}}, "an input cannot be called ''"),
        ({"function_code": "1", "language": "ruby"}, "must be one of 'python' or 'javascript'"),
        ({"function_name": "math_power"}, "must be one of"),
        ({"function_code": "1", "time_limit": 0}, "must be at least 0.1"),
        ({"function_code": "1", "time_limit": 10**6}, "must be at most 600"),
        ({"function_code": "1", "memory_limit": 1}, "must be at least 16"),
    ],
)
def test_a_faulty_configuration_is_told(config, message):
    assert message in " ".join(str(problem) for problem in config_problems(Function, config))


def test_an_empty_name_of_a_function_means_code():
    assert value({"function_name": "", "function_code": "5"}) == 5


def test_the_canvas_shows_the_first_line_or_the_function():
    assert Function(function_code="\n  x = 1\ny").summary() == "x = 1"
    assert Function(function_name="math_add").summary() == "math_add"
