"""JSON Schema: what does not fit, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

from engine.errors import ExpressionError, NodeError
from engine.language.words import kind_of, shown
from engine.operations.read_json import read_json

_MOST_TOLD = 3
_KINDS = {
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a record",
    "null": "null",
}


def check_schema(value: Any, schema: Any) -> None:
    """Passes when the value fits the schema.

    Raises:
        NodeError: It tells the first places that do not fit; or the schema is faulty.
    """
    rules = _rules(schema)
    # Loaded late: jsonschema is slow to load, and few flows need it.
    from jsonschema.exceptions import SchemaError
    from referencing.exceptions import Unresolvable

    try:
        validator = _validator_type(_draft(rules))
        validator.check_schema(rules)
        faults = list(islice(validator(rules, registry=_registry()).iter_errors(value), 50))
    except SchemaError as fault:
        where = _path(fault.absolute_path)
        raise NodeError(f"The schema is faulty at `{where}`: {_short(fault.message)}.") from None
    except Unresolvable as fault:
        raise NodeError(
            f"The schema refers to something that is not in it: {_short(str(fault))}.",
            "References to other addresses are not followed; put everything into one schema.",
        ) from None
    except RecursionError:
        raise NodeError("The schema refers to itself without end.") from None
    except ExpressionError as fault:
        raise NodeError(f"The schema holds a faulty pattern. {fault.message}", fault.hint) from None
    if faults:
        raise _misfit(faults)


def _rules(schema: Any) -> Any:
    if isinstance(schema, str):
        schema = read_json(schema, "The schema")
    if not isinstance(schema, Mapping | bool):
        raise NodeError(f"A schema is a record, not {shown(schema)}.")
    return schema


def _draft(rules: Any) -> Any:
    """The edition of JSON Schema that the schema names, else the newest."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for

    return validator_for(rules, default=Draft202012Validator)


@cache
def _validator_type(draft: Any) -> Any:
    from jsonschema.validators import extend

    ours = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional,
        "unevaluatedProperties": _unevaluated,
    }
    return extend(draft, {name: ours[name] for name in ours if name in draft.VALIDATORS})


def _registry() -> Any:
    """The schemas of JSON Schema itself; nothing is ever fetched."""
    from jsonschema_specifications import REGISTRY

    return REGISTRY


def _found(pattern: str, text: str) -> bool:
    # The library's own patterns can be made to run for years.
    from engine.language.patterns import compiled, work_of

    work_of(pattern, text)
    try:
        return compiled(pattern).search(text) is not None
    except UnicodeEncodeError:
        raise ExpressionError("A text holds half a character (a lone surrogate).") from None


def _pattern(_validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if isinstance(value, str) and not _found(pattern, value):
        yield ValidationError(f"does not fit the pattern {pattern}")


def _pattern_properties(validator: Any, rules: Any, value: Any, _schema: Any) -> Iterator[Any]:
    for pattern, rule in rules.items() if isinstance(value, Mapping) else ():
        for key, inner in value.items():
            if _found(pattern, key):
                yield from validator.descend(inner, rule, path=key, schema_path=pattern)


def _additional(validator: Any, rule: Any, value: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if not isinstance(value, Mapping):
        return
    patterns = schema.get("patternProperties", {})
    for key, inner in value.items():
        if key in schema.get("properties", {}) or any(_found(p, key) for p in patterns):
            continue
        if rule is False:
            yield ValidationError(f"has a key '{key}' that is not expected")
        else:
            yield from validator.descend(inner, rule, path=key)


def _unevaluated(_validator: Any, _rule: Any, _value: Any, _schema: Any) -> Iterator[Any]:
    raise NodeError(
        "The schema uses `unevaluatedProperties`, which is not offered here.",
        "Use `additionalProperties`.",
    )
    yield  # makes it what the library expects


def _misfit(faults: list[Any]) -> NodeError:
    told = [f"`{_path(fault.absolute_path)}` {_words(fault)}" for fault in faults[:_MOST_TOLD]]
    more = len(faults) - len(told)
    rest = f" And {'at least ' if len(faults) == 50 else ''}{more} more." if more else ""
    return NodeError(
        f"The data do not fit the schema: {'; '.join(told)}.{rest}",
        "Look at where the data come from, or change the schema.",
        kind="schema",
    )


def _path(path: Any) -> str:
    text = "$"
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return _short(text)


def _words(fault: Any) -> str:
    rule, value = fault.validator_value, fault.instance
    match fault.validator:
        case "type":
            kinds = rule if isinstance(rule, list) else [rule]
            wanted = " or ".join(_KINDS.get(kind, str(kind)) for kind in kinds)
            return f"must be {wanted}, and is {shown(value)}"
        case "required":
            missing = [name for name in rule if name not in value]
            return f"lacks the key '{_short(str(missing[0]))}'" if missing else "lacks a key"
        case "enum":
            return f"must be one of {_short(', '.join(map(str, rule)))}, and is {shown(value)}"
        case "const":
            return f"must be {_short(str(rule))}, and is {shown(value)}"
        case "minimum" | "exclusiveMinimum":
            return f"must be {'at least' if fault.validator == 'minimum' else 'more than'} {rule}"
        case "maximum" | "exclusiveMaximum":
            return f"must be {'at most' if fault.validator == 'maximum' else 'less than'} {rule}"
        case "minLength" | "minItems" | "minProperties":
            return f"is too short: {kind_of(value)} of {len(value)}, at least {rule} wanted"
        case "maxLength" | "maxItems" | "maxProperties":
            return f"is too long: {kind_of(value)} of {len(value)}, at most {rule} wanted"
        case _:
            return _short(fault.message)


def _short(text: str) -> str:
    return text if len(text) <= 200 else text[:200] + "…"
