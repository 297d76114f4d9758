from __future__ import annotations

import asyncio
import math

import pytest

from engine.fields import AnyValue
from engine.flow.document import Variable
from engine.node_type import Output
from engine.run.session import RunSession
from tests.engine.run.fakes import Acting, draw, node_type, registry_with
from tests.engine.run.trial import Trial, drive, told, workplace

VALUES = [
    0, False, "", [], {}, None, True, 1, 0.0, -0.0, 1.0, "0", "False", " ", [0], [[]], {"": None},
    2**63, -(10**400), 10**5000, float("nan"), float("inf"), "\ud800", {"\udfff": "\ud800"}, "\x00",
    {"output": 1}, {"error": None}, [None, False, 0, "", [], {}],
]  # fmt: skip
TEXTS = ["{{ x }}", "{{ context.secret }}", "$&", r"\1", "$1", "'\"`", "{% if %}", "}}", "{{", "%s"]


def same(one, other):
    """Whether two values are one, kinds and nothings included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and not math.isnan(one):
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    if isinstance(one, float):
        return math.isnan(other)
    return one == other


def gives(value):
    """A registry with a node type that gives this value."""

    async def run(_node, _step):
        return Output(value)

    return registry_with(src=run)


PASSING = {
    "edge": ("v>a", {}, lambda out: out),
    "template": (
        "v>a", {"a": {"type": "give", "config": {"value": "{{ input }}"}}}, lambda out: out),
    "node name": (
        "v>m m>a", {"a": {"type": "give", "config": {"value": "{{ v.output }}"}}}, lambda out: out),
    "inside a record": (
        "v>a", {"a": {"type": "give", "config": {"value": {"k": ["{{ v }}"]}}}},
        lambda out: out["k"][0]),
    "set variables": (
        "v>a",
        {"a": {"type": "set_variables",
               "config": {"updates": [{"variable": "q", "value": "{{ input }}"}]}}},
        lambda out: out["q"]),
    "get variables": (
        "v>a", {"a": {"type": "get_variables", "config": {"variables": ["kept"]}}},
        lambda out: out["kept"]),
    "save_as": (
        "v>m m>a",
        {"v": {"type": "src", "save_as": "q"},
         "a": {"type": "give", "config": {"value": "{{ context.q }}"}}}, lambda out: out),
    "wait": ("v>a", {"a": {"type": "wait", "config": {"seconds": 0}}}, lambda out: out),
    "disabled": ("v>a", {"a": {"type": "llm", "disabled": True}}, lambda out: out),
    "split and collect": (
        "v>g g>a",
        {"g": {"type": "split", "config": {"items": ["{{ v }}", 7]}}, "a": {"join": "collect"}},
        lambda out: out[0]),
    "iteration": (
        "v>box",
        {"box": {"type": "iteration", "config": {"items": ["{{ v }}", 7]}},
         "k": {"type": "give", "parent": "box", "config": {"value": "{{ $iteration.item }}"}}},
        lambda out: out[0]),
    "iteration's input": (
        "v>box",
        {"box": {"type": "iteration", "config": {"items": ["{{ v }}", 7]}},
         "k": {"type": "probe", "parent": "box"}}, lambda out: out[0]),
    "aggregator": (
        "v>a", {"a": {"type": "aggregator", "config": {"error_strategy": "best_effort"}}},
        lambda out: (out["results"] + [None])[0]),
}  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
@pytest.mark.parametrize("way", PASSING)
def test_every_value_passes_unchanged(value, way):
    edges, nodes, pick = PASSING[way]
    if way == "aggregator" and isinstance(value, dict) and "error" in value:
        pytest.skip("this is how an error looks")
    nodes = dict(nodes)
    flow_nodes = {"v": {"type": "src"}, **nodes}
    flow = draw(f"s>v {edges}", **flow_nodes)
    run = Trial(flow, gives(value), {"context": {"kept": value}}).run()

    assert run.status == "finished", run.error
    assert same(pick(run.condition.top.result()), value)
    assert same(pick(run.again().condition.top.result()), value)
    assert same(run.again().condition.run_input["context"]["kept"], value)


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_every_value_passes_pins_and_stands_over_the_config(value):
    flow = draw(
        "s>v v>a",
        edge_data={"v>a": {"source_pin": "deep[1].x", "target_pin": "value.y[0]"}},
        v={"type": "src"},
        a={"type": "give", "config": {"value": "from the config"}},
    )
    run = Trial(flow, gives({"deep": [None, {"x": value}]})).run()

    assert same(run.condition.top.result(), {"y": [value]})
    assert same(run.step("a")["inputs"], {"v": value})
    assert same(run.again().condition.top.result(), {"y": [value]})


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
@pytest.mark.parametrize("reducer", ["append", "union"])
def test_every_value_is_one_item_of_a_list_variable(value, reducer):
    if reducer == "union" and isinstance(value, list):
        pytest.skip("a union takes a list as its items")
    flow = draw(
        "s>v",
        variables=(Variable(name="q", type="list", default=[], reducer=reducer),),
        v={"type": "src", "save_as": "q"},
    )
    run = Trial(flow, gives(value)).run()

    assert same(list(run.condition.state.context["q"]), [value])
    assert same(list(run.again().condition.state.context["q"]), [value])


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_every_value_comes_back_from_a_nested_flow(value, tmp_path):
    inner = draw("s>a", a={"type": "give", "config": {"value": "{{ context.given }}"}})
    inner = inner.model_copy(update={"id": "inner", "variables": (Variable(name="given"),)})
    config = {"flow": "inner", "input": {"context": {"given": "{{ v }}"}}}
    flow = draw("s>v v>r", v={"type": "src"}, r={"type": "execute_flow", "config": config})
    place = workplace(tmp_path, gives(value), inner=inner)
    asyncio.run(drive(RunSession.start(place, flow, {}, run_id="outer")))

    session = RunSession.open(place, "outer")
    session.close()

    assert session.condition.status == "finished"
    assert same(session.condition.top.result(), value)


@pytest.mark.parametrize("text", TEXTS)
def test_text_of_a_person_is_never_filled_in_or_changed(text):
    flow = draw(
        "s>a a>b b>c c>d d>t t>r",
        a={"type": "give", "config": {"value": "{{ question }}"}},
        b={"type": "give", "config": {"value": ["{{ input }}", "<{{ a.output }}>"]}},
        c={"type": "set_variables",
           "config": {"updates": [{"variable": "q", "value": "{{ question }}"}]}},
        d={"type": "give", "config": {"value": "{{ context.q }}"}},
        t={"type": "template", "config": {"template": "[{{ x }}]", "values": {"x": "{{ input }}"}}},
        r={"type": "direct_reply", "config": {"template": "{{ d }}{{ t }}"}},
    )  # fmt: skip
    run = Trial(flow, None, {"question": text, "context": {"secret": "told"}}).run()

    assert run.outputs("a") == [text]
    assert run.outputs("b") == [[text, f"<{text}>"]]
    assert run.outputs("d") == [text]
    assert run.outputs("t") == [f"[{text}]"]
    assert run.condition.top.result() == {"content": f"{text}[{text}]"}
    assert run.condition.state.messages[0]["content"] == f"{text}[{text}]"


@pytest.mark.parametrize("pin", ["items[3]", "items[0].nme", "itmes", "items[0].name.x"])
def test_a_pin_that_finds_nothing_sends_nothing_and_says_why(pin):
    flow = draw("s>v v>a v>b", edge_data={"v>a": {"source_pin": pin}}, v={"type": "src"})
    run = Trial(flow, gives({"items": [{"name": "x"}]})).run()

    assert run.status == "finished"
    assert run.order == "s v b"
    assert list(run.step("v")["missed"]) == ["e1"]
    assert run.step("v")["missed"]["e1"]


class Needing(Acting):
    wanted: AnyValue


def test_a_step_whose_required_pin_stays_empty_is_skipped_with_the_reason():
    kind = node_type("needs", lambda n, s: None, base=Needing)
    flow = draw(
        "s>v v>a s>k k>a a>x",
        edge_data={"v>a": {"source_pin": "gone", "target_pin": "wanted"}, "k>a": {}},
        v={"type": "src"},
        a={"type": "needs"},
    )
    registry = gives({"there": 1})
    registry.register(kind)
    run = Trial(flow, registry).run()

    assert run.status == "finished"
    assert run.order == "s v k a"
    step = run.step("a")
    assert step["status"] == "skipped"
    assert step["reason"] == "needs `wanted`: nothing came over edge 'e1'"
    assert run.again().condition.steps == 4


def test_pins_that_contradict_each_other_are_an_error_that_names_the_edges():
    flow = draw(
        "s>v v>a s>k k>a",
        edge_data={"v>a": {"target_pin": "value.a.b"}, "k>a": {"target_pin": "value.a[0]"}},
        v={"type": "src"},
        a={"type": "give"},
    )
    run = Trial(flow, gives(1)).run()

    assert run.error["node"] == "a"
    assert "'value.a.b'" in run.error["message"]
    assert "'e1' and 'e3'" in run.error["message"]


NEST = 200


def nested(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


def test_the_deepest_value_passes_fields_variables_and_boxes_or_is_refused_in_words():
    update = {"updates": [{"variable": "q", "value": "{{ input }}"}]}
    box = {"type": "iteration", "config": {"items": ["{{ v }}"]}}
    for nodes in (
        {"a": {"type": "give", "config": {"value": "{{ input }}"}}},
        {"a": {"type": "set_variables", "config": update}},
        {"a": box, "k": {"type": "probe", "parent": "a"}},
        {"a": {"type": "split", "config": {"items": ["{{ v }}"]}}},
        {"a": {"type": "ask", "config": {"value": "{{ input }}"}}},
    ):
        for levels in (NEST - 2, NEST, NEST + 1):
            run = Trial(draw("s>v v>a", v={"type": "src"}, **nodes), gives(nested(levels))).run()
            assert run.status in ("finished", "paused", "error")
            assert run.status != "error" or "nested more than 200 levels" in run.error["message"]
            assert told(run.again().condition) == told(run.condition)


@pytest.mark.parametrize("kind", ["string", "boolean", "list", "object"])
def test_a_value_that_does_not_fit_its_variable_is_an_error_however_long_it_is(kind):
    flow = draw(
        "s>v", variables=(Variable(name="q", type=kind),), v={"type": "src", "save_as": "q"}
    )
    run = Trial(flow, gives(10**5000)).run()

    assert run.error["message"].startswith("Variable 'q': it must be")


@pytest.mark.parametrize("reducer", ["add", "extend", "merge", "min", "max"])
@pytest.mark.parametrize("old", [10**400, {}, "a", 1.5, [1]])
@pytest.mark.parametrize("new", [10**5000, 1.5, [10**5000], "b", None, {}], ids=range(6))
def test_a_reducer_takes_a_value_or_refuses_it_in_words(reducer, old, new):
    variable = Variable(name="q", default=old, reducer=reducer)
    flow = draw("s>v", variables=(variable,), v={"type": "src", "save_as": "q"})
    run = Trial(flow, gives(new)).run()

    assert run.status == "finished" or run.error["message"].startswith("Variable 'q': ")
    assert told(run.again().condition) == told(run.condition)
