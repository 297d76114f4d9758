"""A node's stored configuration as an instance of its type, and its faults in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from engine.errors import NodeError
from engine.fields import FieldKind, FieldSpec, Language, field_specs, is_shown, texts_in
from engine.language.words import nearest
from engine.node_type import NodeType

Path = tuple[str | int, ...]
AnyNodeType = TypeVar("AnyNodeType", bound=NodeType)

_WORDS = {
    "missing": "is missing",
    "string_too_short": "must not be empty",
    "string_type": "must be a text",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """One fault of a configuration.

    Args:
        path: Where it stands in the configuration; empty for the whole.
        title: The field, as a person reads it.
        message: What is wrong, for example `must be a number`.
        kind: A stable word: `missing`, `wrong` or `unknown_field`.
    """

    path: Path
    title: str
    message: str
    kind: str = "wrong"

    def __str__(self) -> str:
        return f"{self.title}: {self.message}" if self.title else self.message


def without_idle_fields(model: type[BaseModel], config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration without the fields that do not count for its other values."""
    specs = field_specs(model)
    kept = dict(config)
    for spec in specs:
        if spec.show_when and spec.name in kept and not is_shown(spec, specs, config):
            del kept[spec.name]
    return kept


def with_values(config: Mapping[str, Any], values: Mapping[Path, Any]) -> dict[str, Any]:
    """The configuration with the values at these paths replaced; shares all that stays."""
    replaced: dict[str, Any] = _replaced(config, [(path, values[path]) for path in values])
    return replaced


def _replaced(value: Any, changes: Sequence[tuple[Path, Any]]) -> Any:
    by_key: dict[str | int, list[tuple[Path, Any]]] = {}
    for path, new in changes:
        if not path:
            return new
        by_key.setdefault(path[0], []).append((path[1:], new))
    copied: Any = dict(value) if isinstance(value, Mapping) else list(value)
    for key, inner in by_key.items():
        copied[key] = _replaced(copied[key], inner)
    return copied


def read_config(node_type: type[AnyNodeType], config: Mapping[str, Any]) -> AnyNodeType:
    """The node that a configuration describes; its templates must be filled in already.

    Raises:
        NodeError: It names every field that is missing or wrong.
    """
    try:
        return node_type.model_validate(without_idle_fields(node_type, config))
    except ValidationError as fault:
        problems = [str(_problem(node_type, error)) for error in fault.errors()]
        raise NodeError(
            f"{'. '.join(problems)}.", f"Look at the settings of this {node_type.meta.title} node."
        ) from fault


def config_problems(
    node_type: type[NodeType], config: Mapping[str, Any]
) -> tuple[ConfigProblem, ...]:
    """What is wrong with a stored configuration; templates get the benefit of the doubt."""
    counting = without_idle_fields(node_type, config)
    unknown = tuple(_unknown_fields(node_type, config))
    try:
        node_type.model_validate(counting)
    except ValidationError as fault:
        templates = _template_paths(node_type, counting)
        found = (_problem(node_type, e) for e in fault.errors() if not _concerns(e, templates))
        return (*found, *unknown)
    return unknown


def preview(node_type: type[AnyNodeType], config: Mapping[str, Any]) -> AnyNodeType:
    """The node as far as its stored configuration tells: for its handles, summary and join.

    Values that are wrong, missing or only known when the flow runs are replaced by defaults.
    """
    counting = without_idle_fields(node_type, config)
    try:
        return node_type.model_validate(counting)
    except ValidationError:
        specs = field_specs(node_type)
        values = {spec.name: _nearest_value(node_type, spec, counting) for spec in specs}
        return cast(AnyNodeType, node_type.model_construct(**values))


def _nearest_value(node_type: type[NodeType], spec: FieldSpec, config: Mapping[str, Any]) -> Any:
    """The field's value with its wrong parts mended; its default if that cannot be done."""
    value = config.get(spec.name, spec.default)
    for _ in range(3):
        try:
            return _adapter(node_type, spec.name).validate_python(value)
        except ValidationError as fault:
            if any(not error["loc"] for error in fault.errors()):
                break
            value = _mended(spec, value, fault.errors())
    return _blank(spec) if spec.required else spec.default


def _mended(spec: FieldSpec, value: Any, errors: Sequence[ErrorDetails]) -> Any:
    """The value with a blank wherever an error points."""
    changes: dict[Path, Any] = {}
    for error in errors:
        path, inner = _known_part((spec,), (spec.name, *error["loc"]))
        if error["type"] == "missing":
            holder = _at(value, path[1:-1])
            changes[path[1:-1]] = {**holder, str(path[-1]): _blank(inner)}
        else:
            changes[path[1:]] = _blank(inner)
    return with_values({"": value}, {("", *path): new for path, new in changes.items()})[""]


def _at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def _blank(spec: FieldSpec) -> Any:
    """Something that a field of this kind accepts and that says nothing."""
    if not spec.required and spec.default is not None:
        return spec.default
    if spec.choices:
        return spec.choices[0].value
    by_kind: dict[FieldKind, Any] = {
        FieldKind.NUMBER: spec.minimum or 0.0,
        FieldKind.WHOLE_NUMBER: int(spec.minimum or 0),
        FieldKind.YES_NO: False,
        FieldKind.LIST: (),
        FieldKind.ROWS: (),
        FieldKind.MAP: {},
        FieldKind.RECORD: {},
        FieldKind.ANY: None,
    }
    return by_kind.get(spec.kind, "?")


@cache
def _adapter(node_type: type[NodeType], name: str) -> TypeAdapter[Any]:
    info = node_type.model_fields[name]
    annotation: Any = Annotated[info.annotation, info]
    return TypeAdapter(annotation)


def _template_paths(node_type: type[NodeType], config: Mapping[str, Any]) -> tuple[Path, ...]:
    found = texts_in(node_type, config)
    return tuple(t.path for t in found if t.language is Language.TEMPLATE and "{{" in t.text)


def _concerns(error: ErrorDetails, templates: tuple[Path, ...]) -> bool:
    """Whether the error is about a value that a template will give."""
    where = error["loc"]
    return any(where[: len(path)] == path for path in templates)


def _problem(node_type: type[NodeType], error: ErrorDetails) -> ConfigProblem:
    path, _ = _known_part(field_specs(node_type), error["loc"])
    kind = "missing" if error["type"] in ("missing", "string_too_short") else "wrong"
    return ConfigProblem(path, _title(node_type, path), _message(error), kind)


def _known_part(specs: tuple[FieldSpec, ...], where: Sequence[str | int]) -> tuple[Path, FieldSpec]:
    """As much of a place as the specs know, and the innermost one: pydantic adds names of types."""
    path: list[str | int] = []
    spec = FieldSpec("", "", "", FieldKind.ANY)
    for part in where:
        named = next((each for each in specs if each.name == part), None)
        if named is not None:
            spec, specs = named, named.fields
        elif isinstance(part, str) and not (spec.kind is FieldKind.MAP and spec.item):
            break
        path.append(part)
    return tuple(path), spec


def _title(node_type: type[NodeType], path: Path) -> str:
    specs, words = field_specs(node_type), ""
    for part in path:
        named = next((each for each in specs if each.name == part), None)
        if named is not None:
            words = f"{words}, {named.title}" if words else named.title
            specs = named.fields or specs
        else:
            words += f" {part + 1}" if isinstance(part, int) else f", {part}"
    return words


def _message(error: ErrorDetails) -> str:
    facts = error.get("ctx", {})
    match error["type"]:
        case "value_error":
            return str(facts["error"])
        case "literal_error":
            return f"must be one of {facts['expected']}"
        case "greater_than_equal":
            return f"must be at least {_number(facts['ge'])}"
        case "greater_than":
            return f"must be more than {_number(facts['gt'])}"
        case "less_than_equal":
            return f"must be at most {_number(facts['le'])}"
        case "less_than":
            return f"must be less than {_number(facts['lt'])}"
        case other:
            return _WORDS.get(other, error["msg"][:1].lower() + error["msg"][1:])


def _number(bound: float) -> str:
    return f"{int(bound):,}" if bound == int(bound) else f"{bound:g}"


def _unknown_fields(
    node_type: type[NodeType], config: Mapping[str, Any]
) -> Iterator[ConfigProblem]:
    names = [spec.name for spec in field_specs(node_type)]
    for name in config:
        if name not in names:
            near = nearest(name, names)
            hint = f"; did you mean '{near}'?" if near else ""
            message = f"'{node_type.meta.title}' nodes have no field '{name}'{hint}"
            yield ConfigProblem((name,), "", message, "unknown_field")
