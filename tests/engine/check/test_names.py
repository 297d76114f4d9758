from __future__ import annotations

import pytest

from engine.check.named import STATE_ENTRIES
from engine.flow.document import Variable
from engine.language.rules import TEMPLATE_NAMES
from engine.run import names as run_names
from tests.engine.check.drawing import begun, codes, edge, flow, node, only, problems, says

EMAIL = Variable(name="email", type="string", default="")


def reading(text, *parts):
    return begun(EMAIL, says("a", "text"), node("b", "direct_reply", config={"template": text}),
                 "s > a > b", *parts)  # fmt: skip


def asking(expression, *parts):
    return begun(EMAIL, node("c", "condition", config={"expression": expression}), node("x"),
                 "s > c", "c > x : true", "c > x : false", *parts)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "{{ context.email }}", "{{ $flow.state.email }}", "{{ $state.email }}", "{{ email }}",
        "{{ state.email }}", "{{ state.messages }}", "{{ a }}", "{{ a.output.x[0] }}",
        '{{ $node["a"].output }}', "{{ input.x }}", "{{ inputs.a }}", "{{ question }}",
        "{{ $vars.anything }}", "{{ loop.count }}", "{{ $loopCount }}", "{{ $run.id }}",
        "{{ $flow.sessionId }}", "{{ $webhook.body.x }}", "{{ chat_history }}",
        '{{ context.nothing | default("") }}', '{{ nobody.output | default("") }}', "no braces",
        '{{ "{{" }}',
    ],
)  # fmt: skip
def test_names_that_exist_are_no_problem(text):
    assert codes(reading(text)) == []


@pytest.mark.parametrize(
    ("text", "code", "near"),
    [
        ("Dear {{ context.emial }}", "unknown-variable", "email"),
        ("{{ $flow.state.emial }}", "unknown-variable", "email"),
        ("{{ $state.emial }}", "unknown-variable", "email"),
        ("{{ emial }}", "unknown-name", "email"),
        ("{{ questoin }}", "unknown-name", "question"),
        ("{{ $flwo.id }}", "unknown-name", "$flow"),
        ("{{ state.mesages }}", "unknown-part", "messages"),
        ("{{ state.context.emial }}", "unknown-variable", "email"),
        ("{{ loop.conut }}", "unknown-part", "count"),
        ("{{ $flow.sesionId }}", "unknown-part", "sessionId"),
        ("{{ inputs.aa }}", "unknown-input", "a"),
        ('{{ $node["aa"].output }}', "unknown-node", "a"),
    ],
)
def test_a_slip_of_the_pen_is_found_with_its_place_and_mended(text, code, near):
    document = reading(text)
    found = only(document, code)

    assert found.severity == "error"
    assert found.node == "b"
    assert found.field == ("template",)
    assert found.position == (text.index("{{") + 3)
    assert near in found.message
    assert codes(found.fix.apply(document)) == []


def test_a_variable_that_is_nowhere_can_be_declared():
    document = reading("{{ context.zzz }}")
    found = only(document, "unknown-variable")

    assert codes(found.fix.apply(document)) == []


def test_a_node_gives_its_output_behind_its_name():
    document = reading("{{ a.text }}")
    found = only(document, "unknown-part")

    assert found.fix.apply(document).node_by_id["b"].config["template"] == "{{ a.output.text }}"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{{ $iteration.item }}", "iteration-outside-box"),
        ("{{ $secrets.key }}", "secret-not-allowed"),
        ("{{ $form.name }}", "unknown-form-field"),
        ("{{ nobody.output }}", "unknown-name"),
        ("{{ output }}", "unknown-name"),
        ("{{ b }}", "not-run-before"),
    ],
)
def test_names_without_a_value_there_are_found(text, code):
    assert codes(reading(text)) == [code]


def test_the_item_of_a_box_is_there_inside_it():
    inside = says("in", "{{ $iteration.item.x }} {{ $iteration.is_first }}", parent="box")
    wrong = says("in", "{{ $iteration.itme }}", parent="box")
    box = node("box", "iteration")

    assert codes(begun(box, inside, "s > box")) == []
    assert codes(begun(box, wrong, "s > box")) == ["unknown-part"]


def test_answers_are_those_of_the_form():
    form = {"input_mode": "form", "form_fields": [{"name": "city"}]}
    document = flow(node("s", "start", config=form), says("a", "{{ $form.ctiy }}"), "s > a")
    found = only(document, "unknown-form-field")

    assert found.severity == "error"
    assert codes(found.fix.apply(document)) == []


def test_expressions_are_read_as_well():
    assert codes(asking("context.email == 'x' and loop_count > 1")) == []
    assert codes(asking("context.get('nobody', 1) > 0")) == []
    assert codes(asking("[x for x in messages if x.content] and true")) == []
    assert codes(asking("context.emial > 1")) == ["unknown-variable"]
    assert codes(asking("s.output.x")) == []
    assert codes(asking("s.x")) == ["unknown-part"]
    assert codes(asking("len > 2")) == ["unknown-name"]


def test_a_bad_expression_tells_where():
    found = only(asking("context.email = 'x'"), "bad-expression")

    assert (found.node, found.field, found.position) == ("c", ("expression",), 14)
    assert "==" in found.hint


def test_a_bad_template_tells_where():
    found = only(reading("Dear {{ context.email"), "bad-template")

    assert (found.node, found.position) == ("b", 5)


def test_the_template_that_a_node_fills_in_itself_knows_its_values():
    def filled(text):
        given = {"template": text, "values": {"name": "{{ context.email }}"}}
        return begun(EMAIL, node("t", "template", config=given), "s > t")

    assert codes(filled("{{ name }} {{ context.email }}")) == []
    assert codes(filled("{{ nmae }}")) == ["unknown-name"]
    assert codes(filled("{{ name")) == ["bad-template"]


def test_changes_of_variables_see_the_result():
    def function(value):
        row = {"variable": "email", "value": value}
        config = {"function_code": "1 + x", "inputs": {"x": 1}, "updates": [row]}
        return begun(EMAIL, node("f", "function", config=config), "s > f")

    assert codes(function("{{ output }} {{ context.email }}")) == []
    assert codes(function(["{{ output"])) == ["bad-template"]
    found = only(function({"deep": "{{ context.emial }}"}), "unknown-variable")
    assert found.field == ("updates", 0, "value", "deep")


def test_a_condition_on_an_edge_sees_its_sources_own_output():
    def with_condition(text):
        return begun(EMAIL, node("a"), node("b"), "s > a", edge("a", "b", condition=text))

    assert codes(with_condition("output == 'x' and a.output == output")) == []
    found = only(with_condition("context.emial"), "unknown-variable")
    assert (found.edge, found.node, found.field) == ("a-b", None, ("condition",))
    assert codes(found.fix.apply(with_condition("context.emial"))) == []
    assert codes(with_condition("1 +")) == ["bad-expression"]


def test_a_node_that_runs_later_or_elsewhere_cannot_be_read():
    later = begun(says("a", "{{ b }}"), node("b"), "s > a > b")
    elsewhere = begun(
        node("c", "condition"), says("a", "{{ b }}"), node("b"),
        "s > c", "c > a : true", "c > b : false",
    )  # fmt: skip
    beside = begun(says("a", "{{ b }}"), node("b"), "s > a", "s > b")
    never = begun(says("a", "{{ x }}"), node("x"), node("y"), "s > a", "x > y > x")

    assert "runs only after" in only(later, "not-run-before").message
    assert "another path" in only(elsewhere, "not-run-before").message
    assert codes(beside) == []
    assert "never runs" in only(never, "not-run-before").message


def test_in_a_loop_a_later_node_has_run_in_the_round_before():
    document = begun(
        node("h", "loop_condition"), says("a", "{{ b.output }} {{ a }}"), node("b"),
        "s > h", "h > a : continue_loop", "a > b", edge("b", "h", edge_type="loop_back"),
        node("x"), "h > x : exit_loop",
    )  # fmt: skip

    assert codes(document) == []


def test_inside_a_box_outer_nodes_can_be_read_but_not_the_other_way_round():
    box = node("box", "iteration", label="Each")
    parts = (node("a"), box, node("in", parent="box"), "s > a > box > z")
    inward = begun(*parts[:2], says("in", "{{ a }}", parent="box"), node("z"), parts[3])
    outward = begun(*parts[:3], says("z", "{{ in }}"), parts[3])
    own_box = begun(*parts[:2], says("in", "{{ box }}", parent="box"), node("z"), parts[3])

    assert codes(inward) == []
    assert "'Each'" in only(outward, "node-not-visible").message
    assert codes(own_box) == ["not-run-before"]


def test_a_label_that_two_nodes_have_is_ambiguous_where_it_is_used():
    twins = (node("a", label="Twin"), node("b", label="Twin"))
    used = says("z", '{{ $node["Twin"].output }}')

    assert codes(begun(*twins, used, "s > a > b > z")) == ["ambiguous-label"]
    assert codes(begun(*twins, node("z"), "s > a > b > z")) == []


def test_a_variable_that_is_only_written_can_be_read_and_declared():
    document = begun(node("a", save_as="found"), says("b", "{{ context.found }}"), "s > a > b")
    found = only(document, "undeclared-variable")

    assert found.severity == "info"
    assert codes(document) == ["undeclared-variable"]
    assert codes(found.fix.apply(document)) == []


def test_variables_that_a_node_lists_must_exist():
    listed = node("g", "get_variables", config={"variables": ["email", "emial"]})
    found = only(begun(EMAIL, listed, "s > g"), "unknown-variable")

    assert found.field == ("variables", 1)


def test_the_names_are_those_that_a_run_knows():
    assert set(STATE_ENTRIES) == set(run_names._ENTRIES)
    assert set(TEMPLATE_NAMES) - {"output", "$secrets"} == set(run_names._ROOTS)


def test_hundreds_of_wrong_names_do_not_take_for_ever():
    many = [says(f"n{i}", f"{{{{ context.nobody_{i} }}}}") for i in range(500)]
    document = begun(EMAIL, *many, *(f"s > n{i}" for i in range(500)))

    assert len(problems(document, "unknown-variable")) == 500
