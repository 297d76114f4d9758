from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.check import catalogue, check_flow
from engine.check.page import catalogue_page
from engine.errors import FlowCheckError
from engine.flow.document import Edge, EdgeData, ErrorPolicy, Flow, Node, Variable
from engine.flow.file import flow_from_json, flow_to_json, read_flow
from tests.engine.check.drawing import REGISTRY, begun, edge, node, problems, says, writes
from tests.engine.flow.builders import triage
from tests.engine.flow.test_edits_keep_flows_sound import EDITS, Chooser

ROOT = Path(__file__).resolve().parents[3]
TEMPLATES = sorted((ROOT / "resources" / "templates").rglob("*.flow.json"))


def faulty() -> Flow:
    """A flow with a problem of nearly every kind."""
    return begun(
        Variable(name="total", type="number", default="3", reducer="merge"),
        Variable(name="email"),
        node("t", "start", config={}),
        says("a", "{{ context.emial }} {{ $flow.state.nobody }} {{ s.question }}"),
        node("b", on_error=ErrorPolicy(policy="branch"), disabled=True),
        node("c", "condition", label="Big?"),
        writes("w1", "email"),
        writes("w2", "email"),
        writes("w3", "undeclared"),
        node("box", "iteration", config={"items": [1], "concurrency": 0, "colour": 1}),
        says("in", "{{ $iteration.itme }}", parent="box"),
        says("no_child", "text", parent="a"),
        node("x", "wiat"),
        node("lone"),
        "s > a > b", "t > a", "s > w1", "s > w2 > w3", "b > c", "s > box",
        edge("c", "x", "ture"), edge("c", "x", "false", condition="output ="),
        edge("a", "w3", edge_type="loop_back"), edge("a", "w3", id="twice", edge_type="loop_back"),
        edge("in", "x", id="across"), edge("x", "x", id="self", source_pin="a..b"),
        pinned={"w3": {"output": 1}},
    )  # fmt: skip


def errors(found):
    return Counter(p.code for p in found if p.severity == "error")


def same(problem):
    return (problem.code, problem.node, problem.edge, problem.field, problem.position)


def check_every_fix(document):
    before = problems(document)
    for problem in before:
        if problem.fix is None:
            continue
        changed = problem.fix.apply(document)
        flow_from_json(flow_to_json(changed), "changed")
        after = problems(changed)
        assert same(problem) not in map(same, after), problem
        assert errors(after) <= errors(before), problem


def test_each_fix_removes_its_problem_and_brings_no_error():
    found = problems(faulty())

    assert len([p for p in found if p.fix]) >= 15
    check_every_fix(faulty())


def test_errors_come_first_and_then_the_order_of_the_document():
    found = problems(faulty())
    rank = {"error": 0, "warning": 1, "info": 2}
    place = {n.id: i for i, n in enumerate(faulty().nodes)}
    source = {e.id: e.source for e in faulty().edges}

    order = [
        (rank[p.severity], place[p.node or source[p.edge]] if p.node or p.edge else -1)
        for p in found
    ]
    assert order == sorted(order)


def test_messages_are_sentences_that_name_nodes_by_title():
    for problem in problems(faulty()):
        assert problem.message[0].isupper() or problem.message[0] == "'", problem
        assert problem.message.rstrip()[-1] in ".?", problem
        assert problem.hint == "" or problem.hint[-1] in ".?", problem
    assert any("'Big?'" in p.message for p in problems(faulty()))


def test_a_problem_is_plain_json():
    for problem in problems(faulty()):
        written = json.loads(json.dumps(problem.to_json()))
        assert written["code"] == problem.code
        assert (written["fix"] is None) == (problem.fix is None)


def test_every_code_is_in_the_catalogue_once():
    known = [each.code for each in catalogue()]

    assert len(set(known)) == len(known)
    assert {p.code for p in problems(faulty())} <= set(known)
    assert all(each.explanation.endswith(".") for each in catalogue())


def test_the_page_in_the_documentation_is_current():
    stored = (ROOT / "docs" / "problems.md").read_text(encoding="utf-8")

    assert stored == catalogue_page(), "python -m engine.check.page docs/problems.md"


# ---- any flow at all -----------------------------------------------------------------------


@settings(max_examples=100)
@given(st.data())
def test_a_check_never_raises_and_always_finds_the_same(data):
    document = triage()
    for name in data.draw(st.lists(st.sampled_from(sorted(EDITS)), min_size=1, max_size=6)):
        try:
            document = EDITS[name](document, Chooser(data, document))
        except FlowCheckError:
            continue

    found = check_flow(document, REGISTRY)

    assert found == check_flow(document, REGISTRY)
    assert not [p for p in found if p.code == "type-failed"]


_TYPES = [*REGISTRY.type_ids(), "unknown"]
_TEXTS = st.sampled_from(
    ["{{ context.v }}", "{{ n1.output }}", "{{ n0.x }}", "{{", "{{ $iteration.item }}", "x ="]
)
_KEYS = st.sampled_from([None, "true", "false", "error", "default", "loop_back", "done", "x"])
_CONFIGS = st.dictionaries(
    st.sampled_from(["template", "expression", "items", "updates", "flow", "condition", "prompt"]),
    _TEXTS | st.lists(st.dictionaries(st.sampled_from(["variable", "value"]), _TEXTS), max_size=2)
    | st.none() | st.integers(),
    max_size=3,
)  # fmt: skip


@st.composite
def drawn_flows(draw):
    count = draw(st.integers(1, 7))
    nodes = []
    for number in range(count):
        parents = [None, *(f"n{i}" for i in range(number))]
        nodes.append(
            Node(
                id=f"n{number}",
                type=draw(st.sampled_from(_TYPES)),
                parent=draw(st.sampled_from(parents)) if draw(st.booleans()) else None,
                config=draw(_CONFIGS),
                save_as=draw(st.sampled_from([None, "v", "w"])),
                on_error=draw(st.sampled_from([None, "branch", "stop"])),
                disabled=draw(st.integers(0, 5)) == 0,
            )
        )
    ends = st.integers(0, count - 1).map("n{}".format)
    edges = [
        Edge(
            id=f"e{number}",
            source=draw(ends),
            target=draw(ends),
            data=EdgeData(
                route_key=draw(_KEYS),
                edge_type=draw(st.sampled_from(["normal", "loop_back"])),
                condition=draw(st.none() | _TEXTS),
                target_pin=draw(st.sampled_from([None, None, "template", "items[0]", "a..b"])),
            ),
        )
        for number in range(draw(st.integers(0, 10)))
    ]
    return Flow(id="f", nodes=tuple(nodes), edges=tuple(edges))


@settings(max_examples=150)
@given(drawn_flows())
def test_any_drawing_can_be_checked_and_each_fix_leaves_a_sound_flow(document):
    found = check_flow(document, REGISTRY)

    assert found == check_flow(document, REGISTRY)
    for problem in found:
        if problem.fix is not None:
            changed = problem.fix.apply(document)
            assert same(problem) not in map(same, check_flow(changed, REGISTRY)), problem


EXAMPLES = [
    pytest.param(kind.meta.type_id, config, id=f"{kind.meta.type_id}: {title}")
    for kind in REGISTRY.all()
    for title, config in kind.meta.examples
]


@pytest.mark.parametrize(("type_id", "config"), EXAMPLES)
def test_an_example_from_the_help_is_no_error(type_id, config):
    named = ["amount", "answers", "count", "customer", "lengths", "mail", "names", "numbers"]
    variables = [Variable(name=name) for name in [*named, "price", "score"]]
    if type_id == "start":
        document = Flow(id="f", nodes=(Node(id="s", type="start", config=config),))
    else:
        document = begun(*variables, node("a", type_id, config=config), "s > a")

    assert [str(p) for p in problems(document) if p.severity == "error"] == []


# ---- large ones ----------------------------------------------------------------------------


def chain(count):
    """Decisions, writers and readers in a row, with ways around some."""
    nodes = [node("n0", "start", config={})]
    edges = []
    for i in range(1, count):
        if i % 3 == 0:
            nodes.append(node(f"n{i}", "condition", config={"expression": f"context.v > {i}"}))
        elif i % 3 == 1:
            nodes.append(writes(f"n{i}"))
        else:
            nodes.append(says(f"n{i}", f"{{{{ context.v }}}} {{{{ n{i - 2}.output }}}}"))
        edges.append(edge(f"n{i - 1}", f"n{i}", "true" if i > 1 and (i - 1) % 3 == 0 else None))
        if i > 4 and i % 3 == 2:
            edges.append(edge(f"n{i - 2}", f"n{i}", "false"))
    return Flow(id="f", nodes=tuple(nodes), edges=tuple(edges), variables=(Variable(name="v"),))


def exclusive(count):
    """As many ways as nodes, all of which write one variable."""
    rules = [{"id": f"k{i}", "condition": "True"} for i in range(count)]
    router = node("r", "router", config={"routes": rules})
    nodes = (node("s", "start"), router, *(writes(f"n{i}") for i in range(count)))
    edges = (edge("s", "r"), *(edge("r", f"n{i}", f"k{i}") for i in range(count)))
    return Flow(id="f", nodes=nodes, edges=edges)


def boxes(count):
    nodes = [node("n0", "start")]
    for i in range(1, count):
        nodes += [node(f"n{i}", "iteration"), node(f"in{i}", parent=f"n{i}")]
    edges = tuple(edge(f"n{i - 1}", f"n{i}") for i in range(1, count))
    return Flow(id="f", nodes=tuple(nodes), edges=edges)


@pytest.mark.parametrize(
    "document", [chain(5000), exclusive(5000), boxes(2500)], ids=["chain", "ways", "boxes"]
)
def test_five_thousand_nodes_are_checked_in_a_moment(document):
    begin = time.process_time()

    check_flow(document, REGISTRY)

    assert time.process_time() - begin < 3, "well under 2 s on a machine that is not busy"


# ---- what is shipped -----------------------------------------------------------------------


@pytest.mark.skipif(not TEMPLATES, reason="there is no gallery yet")
@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_flow_of_the_gallery_is_clean(path):
    def beside(name):
        known = {f.id: f for f in map(read_flow, TEMPLATES)}
        known |= {f.name: f for f in known.values()}
        known |= {p.name.removesuffix(".flow.json"): read_flow(p) for p in TEMPLATES}
        return known.get(name.removesuffix(".flow.json"))

    found = check_flow(read_flow(path), REGISTRY, beside)

    assert [f"{p.code}: {p}" for p in found if p.severity != "info"] == []
