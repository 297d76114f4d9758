"""What a run starts with: question, form, web call, variables and files, each checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.cli.values import read_value
from engine.errors import LoopwrightError, UnknownNodeTypeError, UsageError
from engine.flow.document import Flow, Node
from engine.flow.faults import nearest
from engine.forms import check_form
from engine.node_config import preview
from engine.node_type import NodeType
from engine.registry import NodeRegistry
from engine.run.variables import fit

PARTS = ("question", "form", "webhook", "context", "files")
_CALL = ("body", "headers", "query", "method")
_EXAMPLE = """For example --input '{"question": "When do you open?"}', or --input @file.json."""


def read_input(text: str | None, question: str | None) -> dict[str, Any]:
    """The input as it was given with `--input` and `--question`, not yet checked.

    Raises:
        UsageError: It is no JSON object, or there are two questions.
    """
    given: Any = {}
    if text is not None:
        given = read_value(text, "--input", _hint_for(text))
    if not isinstance(given, dict):
        raise UsageError("--input must be an object in { }.", _hint_for(text or ""))
    if question is None:
        return given
    if "question" in given:
        msg = "The question stands in --input and in --question."
        raise UsageError(msg, "Leave one of them out.")
    return {**given, "question": question}


def _hint_for(text: str) -> str:
    plain = text.strip().strip('"')
    if plain and not plain.startswith(("{", "[", "@")) and "'" not in plain and len(plain) < 80:
        return f"If it is the question, write --question '{plain}'."
    return _EXAMPLE


def check_input(given: Mapping[str, Any], flow: Flow, registry: NodeRegistry) -> dict[str, Any]:
    """The input with every part checked, and a form's gaps filled with its defaults.

    Raises:
        UsageError: A name is unknown, or a value does not fit; the message says which.
    """
    for name in given:
        if name not in PARTS:
            hint = nearest(name, PARTS) or f"An input may hold {', '.join(PARTS)}."
            raise UsageError(f"The input has no part '{name}'.", hint)
    start = start_of(flow, registry)
    checked = dict(given)
    if "question" in given and not isinstance(given["question"], str):
        raise UsageError("The input's question must be text.", _EXAMPLE)
    if "form" in given or asks_for_form(start):
        checked["form"] = _form(given.get("form", {}), start)
    if "webhook" in given:
        checked["webhook"] = _web_call(given["webhook"], start)
    if "context" in given:
        checked["context"] = _context(given["context"], flow)
    if "files" in given:
        checked["files"] = _files(given["files"])
    return checked


def start_of(flow: Flow, registry: NodeRegistry) -> NodeType | None:
    """The flow's Start node, as far as its settings tell; None without one."""
    node = next((each for each in flow.nodes if each.type == "start"), None)
    return None if node is None else _previewed(node, registry)


def _previewed(node: Node, registry: NodeRegistry) -> NodeType | None:
    try:
        return preview(registry.get(node.type), node.config)
    except UnknownNodeTypeError:
        return None


def asks_for_form(start: NodeType | None) -> bool:
    """Whether the flow starts with a form."""
    return getattr(start, "input_mode", "") == "form"


def form_fields(start: NodeType | None) -> Sequence[Any]:
    """The fields of the form that the flow starts with."""
    return getattr(start, "form_fields", ()) if asks_for_form(start) else ()


def _form(values: Any, start: NodeType | None) -> Any:
    if not asks_for_form(start):
        if not isinstance(values, Mapping):
            msg = "The input's form must be an object of names and values."
            raise UsageError(msg, 'For example {"form": {"name": "Ann"}}.')
        return values
    try:
        return check_form(form_fields(start), values)
    except LoopwrightError as fault:
        hint = f"{fault.hint} Give it with --input '{{\"form\": {{...}}}}'.".strip()
        raise UsageError(f"The start form: {fault.message}", hint) from fault


def _web_call(call: Any, start: NodeType | None) -> dict[str, Any]:
    example = 'For example {"webhook": {"body": {}, "headers": {}, "query": {}}}.'
    if not isinstance(call, Mapping):
        raise UsageError("The input's webhook must be an object.", example)
    for name in call:
        if name not in _CALL:
            raise UsageError(f"The webhook has no part '{name}'.", nearest(name, _CALL) or example)
    for name in ("headers", "query"):
        if not isinstance(call.get(name, {}), Mapping):
            raise UsageError(f"The webhook's {name} must be an object.", example)
    whole = {"body": {}, "headers": {}, "query": {}, **call}
    holders = [part for part in (whole["body"], whole["query"]) if isinstance(part, Mapping)]
    settings = getattr(start, "webhook", None)
    needed = getattr(settings, "required_params", ())
    if getattr(start, "input_mode", "") == "webhook":
        for name in needed:
            if not any(name in part for part in holders):
                msg = f"The webhook lacks the required parameter '{name}'."
                raise UsageError(msg, "Give it in the body or in the query.")
    return whole


def _context(values: Any, flow: Flow) -> dict[str, Any]:
    if not isinstance(values, Mapping):
        raise UsageError("The input's context must be an object of variables and values.")
    declared = flow.variable_by_name
    checked = {}
    for name, value in values.items():
        if name not in declared:
            known = list(declared)
            listed = f"Its variables are {', '.join(known[:12])}." if known else "It has none."
            msg = f"The flow has no variable '{name}'."
            raise UsageError(msg, nearest(name, known) or listed)
        try:
            checked[name] = fit(declared[name], value)
        except LoopwrightError as fault:
            raise UsageError(f"Variable '{name}': {fault.message}", fault.hint) from fault
    return checked


def _files(values: Any) -> list[Any]:
    if not isinstance(values, list):
        raise UsageError("The input's files must be a list of paths.", 'Such as ["mail.txt"].')
    for value in values:
        if isinstance(value, Mapping):
            continue
        if not isinstance(value, str):
            raise UsageError("Each of the input's files must be a path.", 'Such as ["mail.txt"].')
        if not Path(value).is_file():
            msg = f"The input's file '{value}' does not exist."
            raise UsageError(msg, "Check the path; it counts from the current folder.")
    return [str(Path(v).absolute()) if isinstance(v, str) else v for v in values]
