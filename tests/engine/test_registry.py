from __future__ import annotations

from typing import ClassVar

import pytest

from engine.errors import UnknownNodeTypeError
from engine.node_type import Group, NodeMeta, NodeType, Output
from engine.registry import NodeRegistry, default_registry

OWN = '''
from __future__ import annotations
from typing import Annotated, ClassVar
from pydantic import Field
from engine.fields import Text
from engine.node_type import Group, NodeMeta, NodeType, Output

class Shout(NodeType):
    """Writes a text in capitals."""

    meta: ClassVar[NodeMeta] = NodeMeta("{type_id}", "Shout", Group.DATA, "mdi6.horn")
    text: Text = Field(title="Text", description="What to shout.")

    async def run(self, step):
        return Output(self.text.upper())
'''


def test_a_built_in_type_is_found_by_its_id():
    assert default_registry().get("wait").meta.title == "Wait"
    assert "wait" in default_registry()
    assert "wait" in default_registry().type_ids()


def test_an_unknown_type_names_the_nearest():
    with pytest.raises(UnknownNodeTypeError) as caught:
        default_registry().get("wiat")

    assert str(caught.value) == "There is no node type 'wiat'. Did you mean 'wait'?"


@pytest.mark.parametrize(
    "type_id", ["__init__", "os", "../wait", "wait.Wait", "", "WAIT", "a" * 999]
)
def test_what_is_no_type_is_never_imported(type_id):
    with pytest.raises(UnknownNodeTypeError):
        NodeRegistry().get(type_id)


def test_a_persons_own_file_is_loaded_beside_the_others(tmp_path):
    (tmp_path / "shout.py").write_text(OWN.replace("{type_id}", "shout"))
    registry = NodeRegistry()

    assert registry.load_folder(tmp_path) == ("shout",)

    assert registry.get("shout")(text="hello").text == "hello"
    assert {"shout", "wait"} <= set(registry.type_ids())
    assert "shout" not in default_registry()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def broken(:", "Line 1: "),
        ("x = 1\n1 / 0", "Line 2: division by zero"),
        ("import sys; sys.exit(3)", "Line 1: It ends the program"),
        ("raise SystemExit", "Line 1: It ends the program"),
        ("x = 1", "It holds no node type"),
        (OWN.replace("{type_id}", "wait"), "There is a node type 'wait' already"),
        (OWN.replace("{type_id}", "Bad Id"), "type id 'Bad Id'"),
        (OWN.replace("{type_id}", "x").replace("async def run", "async def go"), "no method `run`"),
        (
            OWN.replace('"""Writes a text in capitals."""', "").replace("{type_id}", "x"),
            "no docstring",
        ),
        (OWN.replace("    meta: ClassVar", "    facts: ClassVar"), "no `meta`"),
    ],
)
def test_a_broken_file_is_told_and_hurts_nobody(tmp_path, text, told):
    (tmp_path / "bad.py").write_text(text)
    (tmp_path / "good.py").write_text(OWN.replace("{type_id}", "good"))
    (tmp_path / "_private.py").write_text("1 / 0")
    registry = NodeRegistry()

    assert registry.load_folder(tmp_path) == ("good",)

    (message,) = registry.broken.values()
    assert told in message
    assert registry.get("wait").meta.type_id == "wait"


def test_a_mended_file_is_no_longer_broken(tmp_path):
    file = tmp_path / "own.py"
    file.write_text("1 / 0")
    registry = NodeRegistry()
    registry.load_folder(tmp_path)

    file.write_text(OWN.replace("{type_id}", "own"))
    registry.load_folder(tmp_path)

    assert not registry.broken
    assert "own" in registry


def test_a_file_that_was_loaded_before_is_read_anew(tmp_path):
    file = tmp_path / "own.py"
    file.write_text(OWN.replace("{type_id}", "own"))
    registry = NodeRegistry()
    registry.load_folder(tmp_path)

    file.write_text(OWN.replace("{type_id}", "own").replace('"Shout"', '"Shout louder"'))
    registry.load_folder(tmp_path)

    assert not registry.broken
    assert registry.get("own").meta.title == "Shout louder"


def test_a_folder_that_is_not_there_is_an_empty_one(tmp_path):
    assert NodeRegistry().load_folder(tmp_path / "nowhere") == ()


def test_types_can_be_registered_for_tests():
    registry = NodeRegistry(built_in=False)

    @registry.register
    class Nothing(NodeType):
        """Does nothing."""

        meta: ClassVar[NodeMeta] = NodeMeta("nothing", "Nothing", Group.DO, "mdi6.circle")

        async def run(self, step):
            return Output(step.input)

    assert registry.all() == (Nothing,)
    with pytest.raises(ValueError, match="already"):
        registry.register(Nothing)
