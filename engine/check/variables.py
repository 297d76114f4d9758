"""Flow variables: first values that do not fit, ways of joining that do not, undeclared ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from engine.check.problem import Fix, Problem
from engine.check.view import FlowView
from engine.flow.document import Flow, Variable
from engine.flow.edits import add_variable, change_variable
from engine.flow.names import quoted

_WORDS = {
    "string": "a text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "list": "a list",
    "object": "an object",
}
_LONGEST_WHOLE = 300
_FITTING_TYPES: Mapping[str, frozenset[str]] = {
    "append": frozenset({"list"}),
    "extend": frozenset({"list"}),
    "union": frozenset({"list"}),
    "add": frozenset({"number", "integer", "string", "list"}),
    "merge": frozenset({"object"}),
    "min": frozenset({"number", "integer", "string", "list"}),
    "max": frozenset({"number", "integer", "string", "list"}),
}


def problems(view: FlowView) -> Iterator[Problem]:
    """What is wrong with the flow's variables."""
    for variable in view.flow.variables:
        if not fits(variable.type, variable.default):
            yield _misfit(view, variable)
        wanted = _FITTING_TYPES.get(variable.reducer)
        if wanted is not None and variable.type != "any" and variable.type not in wanted:
            yield view.problem(
                "reducer-does-not-fit",
                f"The variable {quoted(variable.name)} is {_WORDS[variable.type]}, but its writes "
                f"are joined by '{variable.reducer}', which does not go with that.",
                "Choose another way of joining writes, or another type.",
                field=("variables", variable.name, "reducer"),
                fix=Fix("Let a write replace it", partial(_replacing, variable.name)),
            )
    for name, writes in view.writes.items():
        if name not in view.flow.variable_by_name:
            yield view.problem(
                "undeclared-variable",
                f"{view.title(writes[0].node)} writes the variable {quoted(name)}, which the flow "
                "does not declare.",
                "Declare it to give it a type and a first value.",
                node=writes[0].node,
                field=("variables", name),
                fix=declare_fix(name),
            )


def declare_fix(name: str) -> Fix:
    """Declares a variable of any type, with nothing in it at first."""
    return Fix(f"Declare the variable {quoted(name)}", partial(_declared, name))


def _declared(name: str, flow: Flow) -> Flow:
    return add_variable(flow, Variable(name=name))


def _replacing(name: str, flow: Flow) -> Flow:
    return change_variable(flow, name, reducer="replace")


def _with_default(name: str, value: Any, flow: Flow) -> Flow:
    return change_variable(flow, name, default=value)


def fits(kind: str, value: Any) -> bool:
    """Whether a first value is of a variable's type as it stands; nothing fits every type."""
    if kind == "any" or value is None:
        return True
    match kind:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "integer":
            whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
            return whole and not isinstance(value, bool)
        case "list":
            return isinstance(value, list | tuple)
    return isinstance(value, Mapping)


def _misfit(view: FlowView, variable: Variable) -> Problem:
    other = _converted(variable.type, variable.default)
    shown = quoted(variable.default) if isinstance(variable.default, str) else _kind(variable)
    if other is not None:
        fix = Fix(f"Use {other!r}", partial(_with_default, variable.name, other))
    else:
        fix = Fix("Leave it empty", partial(_with_default, variable.name, None))
    return view.problem(
        "default-does-not-fit",
        f"The variable {quoted(variable.name)} is {_WORDS[variable.type]}, but its first value is "
        f"{shown}.",
        "Change the first value or the type.",
        field=("variables", variable.name, "default"),
        fix=fix,
        severity="warning" if other is not None else "error",
    )


def _kind(variable: Variable) -> str:
    for kind in ("boolean", "number", "list", "object"):
        if fits(kind, variable.default):
            return _WORDS[kind] if kind != "boolean" else "a yes or no"
    return "of another kind"


def _converted(kind: str, value: Any) -> Any:
    """The same value in that type where nothing is lost by it, else None."""
    if kind == "string" and isinstance(value, bool):
        return "true" if value else "false"
    if kind == "string" and isinstance(value, float):
        return str(value)
    if kind == "string" and isinstance(value, int):
        return str(value) if value.bit_length() < _LONGEST_WHOLE else None
    if not isinstance(value, str) or len(value) > _LONGEST_WHOLE:
        return None
    if kind == "boolean":
        return {"true": True, "false": False}.get(value.strip().lower())
    if kind in ("number", "integer"):
        return _as_number(kind, value.strip())
    return None


def _as_number(kind: str, text: str) -> int | float | None:
    for convert in (int, float):
        try:
            number = convert(text)
        except ValueError:
            continue
        if fits(kind, number):
            return int(number) if kind == "integer" else number
    return None
