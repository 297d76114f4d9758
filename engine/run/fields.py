"""A node's fields, compiled once: constant ones are checked once, templates filled in per step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import LanguageError, NodeError
from engine.fields import Language, texts_in
from engine.flow.document import Node
from engine.language.scope import Names
from engine.language.template import Template, parse_template
from engine.node_config import Path, read_config, with_values
from engine.node_type import NodeType


class FieldPlan:
    """The fields of one node.

    Args:
        kind: The node's type; None when it is not installed.
        config: The stored configuration.
    """

    def __init__(self, kind: type[NodeType] | None, config: Mapping[str, Any]) -> None:
        self._kind = kind
        self._config = config
        self._templates: list[tuple[Path, str, Template]] = []
        self._constant: NodeType | None = None
        self._fault: NodeError | None = None
        if kind is not None:
            self._compile(kind)

    def _compile(self, kind: type[NodeType]) -> None:
        for text in texts_in(kind, self._config):
            if text.language is not Language.TEMPLATE or "{{" not in text.text:
                continue
            try:
                template = parse_template(text.text)
            except LanguageError as error:
                msg = f"Field '{text.title}': {error.message}"
                self._fault = self._fault or NodeError(msg, error.hint)
                continue
            self._templates.append((text.path, text.title, template))

    @property
    def constant(self) -> NodeType | None:
        """The node, where nothing of it depends on the run and it has been read before."""
        return self._constant

    def resolved(
        self, names: Names, pins: Mapping[str, Any], kind: type[NodeType]
    ) -> tuple[NodeType, dict[str, Any]]:
        """The node with its fields filled in, and the values of the fields that held templates.

        Args:
            names: What templates can name.
            pins: Values laid over fields of the same name.
            kind: The node's type.

        Raises:
            NodeError: A field cannot be filled in, or its value does not fit.
        """
        if not self._templates and not pins and self._fault is None:
            if self._constant is None:
                self._constant = read_config(kind, self._config)
            return self._constant, {}
        if self._fault is not None:
            raise self._fault
        values = {
            path: _filled(template, title, names)
            for path, title, template in self._templates
            if path[0] not in pins
        }
        config = with_values(self._config, values) if values else dict(self._config)
        laid_over = {name: value for name, value in pins.items() if name in kind.model_fields}
        config.update(laid_over)
        shown = {str(path[0]): config[str(path[0])] for path in values}
        return read_config(kind, config), {**shown, **laid_over}


def _filled(template: Template, title: str, names: Names) -> Any:
    try:
        return template.render(names)
    except LanguageError as error:
        msg = f"Field '{title}': {error.message}"
        raise NodeError(msg, error.hint) from None


def plan_fields(kind: type[NodeType] | None, node: Node, model: str | None) -> FieldPlan:
    """A node's fields made ready; `model` takes the place of the model it names."""
    config = node.config
    if model is not None and kind is not None and "model" in kind.model_fields:
        config = {**config, "model": model}
    return FieldPlan(kind, config)
