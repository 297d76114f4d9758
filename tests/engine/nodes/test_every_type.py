"""What holds for every node type, read from the registry."""

from __future__ import annotations

import json
import re
import warnings

import pytest

from engine.fields import FieldSpec, field_specs, shown_fields, texts_in
from engine.node_config import config_problems, preview, read_config
from engine.node_help import help_page, node_facts
from engine.registry import NodeRegistry

TYPES = NodeRegistry().all()
EXAMPLES = [
    pytest.param(each, config, id=f"{each.meta.type_id}: {title}")
    for each in TYPES
    for title, config in each.meta.examples
]


def all_specs(specs: tuple[FieldSpec, ...]):
    for spec in specs:
        yield spec
        yield from all_specs(spec.fields)


@pytest.fixture(params=TYPES, ids=lambda each: each.meta.type_id)
def node_type(request):
    return request.param


def test_it_has_help_an_icon_and_words_to_find_it_by(node_type):
    meta = node_type.meta

    assert len(node_type.__doc__.strip().split("\n")[0]) > 10
    assert re.fullmatch(r"mdi6\.[a-z0-9-]+", meta.icon)
    assert len(meta.words) >= 3
    assert meta.title[0].isupper()
    assert node_type.__module__.endswith(f".{meta.type_id}")


def test_every_field_has_a_label_and_a_description(node_type):
    for spec in all_specs(field_specs(node_type)):
        assert spec.title, spec.name
        assert spec.title != spec.name, spec.name
        assert spec.description.endswith((".", "?", ")")), spec.name


def test_fields_that_may_be_hidden_have_a_default(node_type):
    for spec in all_specs(field_specs(node_type)):
        assert not (spec.show_when and spec.required), spec.name
        for rule in spec.show_when:
            assert rule.values, spec.name


def test_what_show_when_and_choices_point_at_exists(node_type):
    def look(specs):
        names = {spec.name for spec in specs}
        for spec in specs:
            assert {rule.field for rule in spec.show_when} <= names
            if spec.choices_by is not None:
                assert spec.choices_by.field in names
                offered = {v for values in spec.choices_by.by_value.values() for v in values}
                assert offered == {choice.value for choice in spec.choices}
            look(spec.fields)

    look(field_specs(node_type))


def test_it_has_an_example(node_type):
    assert node_type.meta.examples


def test_it_can_be_looked_at_without_any_configuration(node_type):
    bare = preview(node_type, {})

    handles = bare.handles()
    assert len({handle.id for handle in handles}) == len(handles)
    assert isinstance(bare.summary(), str)
    assert bare.join("any") in ("any", "collect")


def test_its_facts_and_its_help_can_be_told(node_type):
    facts = json.loads(json.dumps(node_facts(node_type), allow_nan=False))

    assert facts["type"] == node_type.meta.type_id
    assert [each["name"] for each in facts["fields"]] == [s.name for s in field_specs(node_type)]
    assert help_page(node_type).startswith(f"# {node_type.meta.title}\n")


@pytest.mark.parametrize(("node_type", "config"), EXAMPLES)
def test_an_example_is_right_and_survives_json(node_type, config):
    assert config_problems(node_type, config) == ()

    again = json.loads(json.dumps(config))

    assert again == config
    assert list(texts_in(node_type, again)) == list(texts_in(node_type, config))
    assert preview(node_type, again) == preview(node_type, config)


@pytest.mark.parametrize(("node_type", "config"), EXAMPLES)
def test_a_node_is_written_as_json_and_read_again_unchanged(node_type, config):
    node = preview(node_type, config)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = node.model_dump_json(by_alias=True)

    again = node_type.model_validate_json(text)
    assert again == node
    assert again.handles() == node.handles()


@pytest.mark.parametrize(("node_type", "config"), EXAMPLES)
def test_what_a_form_leaves_out_makes_no_difference(node_type, config):
    shown = {spec.name for spec in shown_fields(field_specs(node_type), config)}

    assert set(config) <= shown


def test_a_missing_required_field_is_told_by_its_title(node_type):
    required = [spec for spec in field_specs(node_type) if spec.required]

    told = {
        problem.title for problem in config_problems(node_type, {}) if problem.kind == "missing"
    }

    assert told == {spec.title for spec in required}


def test_a_wrong_name_of_a_field_is_told_with_the_right_one(node_type):
    name = field_specs(node_type)[0].name

    problems = config_problems(node_type, {f"{name}x": 1})

    assert any(f"did you mean '{name}'" in problem.message for problem in problems)


def test_reading_never_changes_the_configuration(node_type):
    for _, config in node_type.meta.examples:
        before = json.dumps(config)
        preview(node_type, config)
        config_problems(node_type, config)
        if not any("{{" in text.text for text in texts_in(node_type, config)):
            read_config(node_type, config)
        assert json.dumps(config) == before
