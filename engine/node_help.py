"""The help page of a node type and its facts as data, both read from the type itself.

`python -m engine.node_help FOLDER` writes the pages of all built-in types.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from engine.fields import FieldKind, FieldSpec, choices_of, field_specs
from engine.node_config import preview
from engine.node_type import Handle, NodeType
from engine.registry import NodeRegistry, default_registry

_KINDS = {
    FieldKind.TEXT: "text",
    FieldKind.LONG_TEXT: "long text",
    FieldKind.NUMBER: "number",
    FieldKind.WHOLE_NUMBER: "whole number",
    FieldKind.YES_NO: "yes or no",
    FieldKind.CHOICE: "choice",
    FieldKind.EXPRESSION: "expression",
    FieldKind.CODE: "code",
    FieldKind.NAME: "name",
    FieldKind.VARIABLE: "variable",
    FieldKind.MODEL: "model",
    FieldKind.FLOW: "flow",
    FieldKind.FILE: "file",
    FieldKind.LIST: "list",
    FieldKind.MAP: "names and values",
    FieldKind.RECORD: "record",
    FieldKind.ROWS: "rows",
    FieldKind.ANY: "any value",
}


def help_text(node_type: type[NodeType]) -> str:
    """What the type does, in plain words: its docstring."""
    return inspect.cleandoc(node_type.__doc__ or "")


def help_page(node_type: type[NodeType]) -> str:
    """The whole help page of a type, as Markdown."""
    meta = node_type.meta
    head = f"# {meta.title}\n\nType `{meta.type_id}`, group *{meta.group.value}*.\n"
    parts = [head, f"{help_text(node_type)}\n", _fields_part(node_type), _handles_part(node_type)]
    parts += [_example_part(title, config) for title, config in meta.examples]
    return "\n".join(part for part in parts if part)


def node_facts(node_type: type[NodeType]) -> dict[str, Any]:
    """Everything about a type as JSON data."""
    meta = node_type.meta
    return {
        "type": meta.type_id,
        "title": meta.title,
        "group": meta.group.value,
        "icon": meta.icon,
        "words": list(meta.words),
        "help": help_text(node_type),
        "outside_effects": meta.outside_effects,
        "condition_like": meta.condition_like,
        "loops": meta.loops,
        "has_children": meta.has_children,
        "fields": [_field_facts(spec) for spec in field_specs(node_type)],
        "handles": [_handle_facts(handle) for handle in preview(node_type, {}).handles()],
        "examples": [{"title": title, "config": config} for title, config in meta.examples],
    }


def write_pages(folder: Path, registry: NodeRegistry | None = None) -> tuple[Path, ...]:
    """Writes a page for every type, and a page that lists them; returns the files."""
    types = (registry or default_registry()).all()
    pages = {f"{each.meta.type_id}.md": help_page(each) for each in types}
    pages["README.md"] = _list_page(types)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    return tuple(folder / name for name in sorted(pages))


def _list_page(types: Sequence[type[NodeType]]) -> str:
    lines = ["# The nodes", "", "| Node | Type | What it does |", "|---|---|---|"]
    for each in sorted(types, key=lambda kind: (kind.meta.group.value, kind.meta.title)):
        meta, first = each.meta, help_text(each).split("\n")[0]
        lines.append(f"| [{meta.title}]({meta.type_id}.md) | `{meta.type_id}` | {_cell(first)} |")
    return "\n".join(lines) + "\n"


def _fields_part(node_type: type[NodeType]) -> str:
    rows = list(_rows(field_specs(node_type), ""))
    if not rows:
        return ""
    table = ["## Fields", "", "| Field | In the file | Kind | Default | What it does |"]
    return "\n".join([*table, "|---|---|---|---|---|", *rows]) + "\n"


def _rows(specs: Sequence[FieldSpec], before: str) -> Iterator[str]:
    for spec in specs:
        kind = _kind_words(spec)
        told = [spec.description, _choice_words(spec), _when_words(spec)]
        text = _cell(" ".join(part for part in told if part))
        default = "**required**" if spec.required else _default_words(spec)
        yield f"| {spec.title} | `{before}{spec.name}` | {kind} | {default} | {text} |"
        inside = f"{before}{spec.name}." if spec.kind is FieldKind.RECORD else None
        yield from _rows(spec.fields, inside or f"{before}{spec.name}[].")


def _kind_words(spec: FieldSpec) -> str:
    kind = _KINDS[spec.kind]
    held = _KINDS[spec.item.kind] if spec.item is not None else ""
    if spec.kind is FieldKind.LIST and held:
        kind = f"list of {held}"
    return f"{kind} ({spec.unit})" if spec.unit else kind


def _default_words(spec: FieldSpec) -> str:
    if spec.default is None or spec.default in ("", (), {}):
        return ""
    value = spec.default
    plain = value.model_dump(by_alias=True) if isinstance(value, BaseModel) else value
    return f"`{_cell(json.dumps(plain, ensure_ascii=False))}`"


def _choice_words(spec: FieldSpec) -> str:
    if spec.choices_by is not None:
        rule = spec.choices_by
        listed = [
            f"{value}: {', '.join(f'`{c.value}`' for c in choices_of(spec, {rule.field: value}))}"
            for value in rule.by_value
        ]
        return f"For {'; '.join(listed)}."
    if not spec.choices:
        return ""
    named = (f"`{c.value}`" + (f" {c.label}" if c.label != c.value else "") for c in spec.choices)
    return f"One of {'; '.join(named)}."


def _when_words(spec: FieldSpec) -> str:
    parts = [f"`{rule.field}` is {_value_words(rule.values)}" for rule in spec.show_when]
    return f"Only when {' and '.join(parts)}." if parts else ""


def _value_words(values: Iterable[object]) -> str:
    empty = (None, "")
    words = [f"`{json.dumps(v) if isinstance(v, bool) else v}`" for v in values if v not in empty]
    if any(value in empty for value in values):
        words.append("not set")
    return " or ".join(words)


def _handles_part(node_type: type[NodeType]) -> str:
    examples = node_type.meta.examples or (("", {}),)
    by_example = [(title, preview(node_type, config).handles()) for title, config in examples]
    if all(handles == by_example[0][1] for _, handles in by_example):
        lines = [_handles_words(by_example[0][1])]
    else:
        lines = [f"- Example *{title}*: {_handles_words(handles)}" for title, handles in by_example]
    return "\n".join(["## Ways out", "", *lines]) + "\n"


def _handles_words(handles: Sequence[Handle]) -> str:
    if not handles:
        return "None: nothing comes after it."
    named = [f"`{h.key}` ({h.label})" if h.label else f"`{h.key}`" for h in handles if h.key]
    return ", ".join(named) if named else "One."


def _example_part(title: str, config: dict[str, Any]) -> str:
    text = json.dumps(config, ensure_ascii=False, indent=2)
    return f"## Example: {title}\n\n```json\n{text}\n```\n"


def _field_facts(spec: FieldSpec) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "name": spec.name,
        "title": spec.title,
        "description": spec.description,
        "kind": spec.kind.value,
        "language": spec.language.value,
        "required": spec.required,
    }
    if not spec.required:
        facts["default"] = _plain(spec.default)
    if spec.choices:
        facts["choices"] = [{"value": c.value, "label": c.label} for c in spec.choices]
    if spec.choices_by is not None:
        by_value = {str(key): list(values) for key, values in spec.choices_by.by_value.items()}
        facts["choices_by"] = {"field": spec.choices_by.field, "values": by_value}
    limits = {"unit": spec.unit or None, "minimum": spec.minimum, "maximum": spec.maximum}
    facts |= {name: value for name, value in limits.items() if value is not None}
    if spec.show_when:
        facts["show_when"] = [{"field": r.field, "values": list(r.values)} for r in spec.show_when]
    if spec.advanced:
        facts["advanced"] = True
    if spec.fields:
        facts["fields"] = [_field_facts(inner) for inner in spec.fields]
    if spec.item is not None:
        facts["items"] = {"kind": spec.item.kind.value, "language": spec.item.language.value}
    return facts


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True, mode="json")
    return list(value) if isinstance(value, tuple) else value


def _handle_facts(handle: Handle) -> dict[str, Any]:
    return {"key": handle.key, "label": handle.label, "id": handle.id}


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
