"""The node types that are there, by id: the built-in ones and a person's own files.

A built-in type is the file `engine/nodes/<type_id>.py`, imported when it is first asked for.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import pkgutil
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType, ModuleType

import engine.nodes
from engine.errors import UnknownNodeTypeError
from engine.language.words import nearest
from engine.node_type import NodeMeta, NodeType

_TYPE_ID = re.compile(r"[a-z][a-z0-9_]{0,79}")


_NO_TEXT = ("null bytes", "(unicode error) 'utf-8'")


class NodeRegistry:
    """Node types by id.

    Args:
        built_in: Whether the types that ship with Loopwright are among them.
    """

    def __init__(self, *, built_in: bool = True) -> None:
        self._built_in = built_in
        self._loaded: dict[str, type[NodeType]] = {}
        self._broken: dict[Path, str] = {}
        self._from_file: dict[Path, list[str]] = {}

    @property
    def broken(self) -> Mapping[Path, str]:
        """The person's node files that could not be used, and why."""
        return MappingProxyType(self._broken)

    def get(self, type_id: str) -> type[NodeType]:
        """The type of that id.

        Raises:
            UnknownNodeTypeError: It names the nearest one.
        """
        found = self._loaded.get(type_id)
        if found is None and self._built_in and type_id in _built_in_ids():
            found = self._loaded[type_id] = _built_in_type(type_id)
        if found is None:
            raise self._unknown(type_id)
        return found

    def __contains__(self, type_id: object) -> bool:
        return type_id in self._loaded or (self._built_in and type_id in _built_in_ids())

    def is_built_in(self, type_id: str) -> bool:
        """Whether a type of that id ships with Loopwright."""
        return self._built_in and type_id in _built_in_ids()

    def type_ids(self) -> tuple[str, ...]:
        """Every id, sorted; nothing is imported for it."""
        own = _built_in_ids() if self._built_in else frozenset()
        return tuple(sorted(own | self._loaded.keys()))

    def all(self) -> tuple[type[NodeType], ...]:
        """Every type, sorted by id; imports what was not asked for yet."""
        return tuple(self.get(type_id) for type_id in self.type_ids())

    def register(self, node_type: type[NodeType]) -> type[NodeType]:
        """Adds one type and returns it, so that it can be used as a decorator.

        Raises:
            ValueError: The type is not whole, or its id is taken.
        """
        fault = _fault_of(node_type)
        if fault:
            raise ValueError(fault)
        type_id = node_type.meta.type_id
        if type_id in self:
            msg = f"There is a node type '{type_id}' already."
            raise ValueError(msg)
        self._loaded[type_id] = node_type
        return node_type

    def load_folder(self, folder: Path) -> tuple[str, ...]:
        """Adds the types of every Python file in a folder and returns their ids.

        A file that cannot be used is noted in `broken`; the others are added all the same. A file
        that was loaded before is read anew. Names that begin with an underscore are left alone.
        """
        added: list[str] = []
        for file in sorted(folder.glob("*.py")) if folder.is_dir() else []:
            if not file.name.startswith("_"):
                added += self._load_file(file.resolve())
        return tuple(added)

    def _load_file(self, file: Path) -> Iterator[str]:
        self._broken.pop(file, None)
        for type_id in self._from_file.pop(file, ()):
            del self._loaded[type_id]
        try:
            if file.is_dir():
                self._broken[file] = "This is a folder; a node file is a text file of Python."
                return
            module = _import_file(file)
            found = list(_types_in(module))
            if not found:
                self._broken[file] = "It holds no node type: a class based on NodeType."
            for node_type in found:
                self.register(node_type)
                self._from_file.setdefault(file, []).append(node_type.meta.type_id)
                yield node_type.meta.type_id
        # A person's file may fail in any way, and must not take the program with it.
        except (Exception, SystemExit) as fault:  # noqa: BLE001
            self._broken[file] = _in_words(fault, file)

    def _unknown(self, type_id: str) -> UnknownNodeTypeError:
        near = nearest(type_id, self.type_ids())
        hint = f"Did you mean '{near}'?" if near else "`loopwright nodes` lists those there are."
        return UnknownNodeTypeError(f"There is no node type '{type_id}'.", hint)


@cache
def default_registry() -> NodeRegistry:
    """The registry of this program: the built-in types, and what `load_folder` adds to it."""
    return NodeRegistry()


@cache
def _built_in_ids() -> frozenset[str]:
    found = pkgutil.iter_modules(engine.nodes.__path__)
    return frozenset(module.name for module in found if _TYPE_ID.fullmatch(module.name))


def _built_in_type(type_id: str) -> type[NodeType]:
    module = importlib.import_module(f"engine.nodes.{type_id}")
    found = [each for each in _types_in(module) if each.meta.type_id == type_id]
    assert len(found) == 1, f"{module.__name__} must define the node type '{type_id}'"
    return found[0]


def _types_in(module: ModuleType) -> Iterator[type[NodeType]]:
    """The node types that a module defines itself; a base without `meta` is none."""
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, NodeType) and value is not NodeType:
            own = value.__module__ == module.__name__ and not value.__name__.startswith("_")
            if own and not getattr(value, "__abstractmethods__", None):
                yield value


def _import_file(file: Path) -> ModuleType:
    digest = hashlib.sha256(str(file).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    name = f"loopwright_own_nodes_{digest}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # pydantic looks for the names in annotations in the module of this name.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _fault_of(node_type: type[NodeType]) -> str:
    """What is missing for a class to be a node type; empty when nothing is."""
    name = node_type.__name__
    meta = getattr(node_type, "meta", None)
    if not isinstance(meta, NodeMeta):
        return f"The class {name} has no `meta`: what the palette needs to know of it."
    if not _TYPE_ID.fullmatch(meta.type_id):
        return (
            f"The class {name} has the type id '{meta.type_id}'. A type id begins with a small "
            "letter and holds small letters, digits and underscores."
        )
    if node_type.run is NodeType.run:
        return f"The class {name} has no method `run`: what the node does."
    if not (node_type.__doc__ or "").strip():
        return f"The class {name} has no docstring: its help page."
    return ""


def _in_words(fault: BaseException, file: Path) -> str:
    if isinstance(fault, OSError):
        return f"The file cannot be read: {(fault.strerror or str(fault)).lower()}."
    if isinstance(fault, UnicodeError) or any(word in str(fault) for word in _NO_TEXT):
        return "It is no text in UTF-8. Save it again as a text file of Python."
    lines = [f.lineno for f in traceback.extract_tb(fault.__traceback__) if f.filename == str(file)]
    line = fault.lineno if isinstance(fault, SyntaxError) else lines[-1] if lines else None
    place = f"Line {line}: " if line else ""
    if isinstance(fault, SystemExit):
        return f"{place}It ends the program. Take the call of `exit` out of it."
    text = fault.msg if isinstance(fault, SyntaxError) else str(fault)
    return f"{place}{text or type(fault).__name__}"
