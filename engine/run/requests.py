"""Questions to a person: their records, and the check of an answer before it is taken."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from engine.errors import RunError
from engine.node_type import Request
from engine.run.condition import Condition
from engine.run.values import in_short

REPEAT = "repeat_after_crash"
_SHOWN_OF_QUESTION = 80
_EXAMPLES = {
    "approve": '{"type": "proceed"}',
    "tool_approval": '{"type": "proceed"}',
    "choose": '{"choice": "..."}',
    "form": '{"form": {...}}',
    "text": '{"text": "..."}',
}


def with_id(request: Request) -> Request:
    """The request with an id that no other request of any run has."""
    return request if request.id else replace(request, id=secrets.token_hex(6))


def to_request_record(request: Request) -> dict[str, Any]:
    """The request as JSON."""
    record = asdict(request)
    record["options"] = list(request.options)
    return record


def repeat_request(title: str) -> Request:
    """The question before a step with outside effects runs a second time."""
    return Request(
        kind="approve",
        prompt=f"'{title}' had begun when the program was stopped, and may have done its work "
        "already. Shall it run again?",
        options=("proceed", "reject"),
        schema={
            "type": "object",
            "properties": {
                "type": {"enum": ["proceed", "reject"]},
                "feedback": {"type": "string"},
            },
            "required": ["type"],
            "additionalProperties": False,
        },
        feedback=True,
        data={REPEAT: True},
    )


def check_answer(
    condition: Condition, request_id: str | None, answer: Any
) -> tuple[str, dict[str, Any]]:
    """The request that an answer is for, and the answer, if it may be taken.

    Args:
        condition: The run.
        request_id: None means the only one that waits.
        answer: As the person gave it.

    Raises:
        RunError: No such request waits, or the answer does not fit it.
    """
    waiting = condition.open_requests()
    key = request_id or _only(waiting, condition)
    if key not in waiting:
        if key in condition.answered:
            msg = f"The request '{key}' was answered already."
            raise RunError(msg, "Each request takes one answer.")
        msg = f"No request '{key}' waits for an answer in run '{condition.run_id}'."
        raise RunError(msg, _what_waits(waiting))
    request = waiting[key][1]
    if not isinstance(answer, Mapping):
        msg = f"The answer must be an object in {{ }}, not {_shown(answer)}."
        raise RunError(msg, _expected(request))
    _check_schema(request, answer)
    return key, dict(answer)


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    text = in_short(value) if not isinstance(value, bool) else str(value).lower()
    return text if len(text) <= 60 else f"{text[:59]}…"


def _only(waiting: Mapping[str, Any], condition: Condition) -> str:
    if len(waiting) == 1:
        return next(iter(waiting))
    if not waiting:
        msg = f"Nothing in run '{condition.run_id}' waits for an answer."
        raise RunError(msg, f"Its status is '{condition.status}'.")
    msg = f"{len(waiting)} requests wait in run '{condition.run_id}': say which one is answered."
    raise RunError(msg, _what_waits(waiting))


def _what_waits(waiting: Mapping[str, Any]) -> str:
    if not waiting:
        return "No request waits in this run."
    lines = [f"  --request {key}   {_question(request)}" for key, (_, request) in waiting.items()]
    return "\n".join(["Waiting, each with its question:", *lines])


def _question(request: Request) -> str:
    """The question on one line."""
    text = " ".join(request.prompt[:_SHOWN_OF_QUESTION].split())
    return f"{text} …" if len(request.prompt) > _SHOWN_OF_QUESTION else text


def ways_to_answer(condition: Condition) -> str:
    """The commands that answer what waits, one line each when several do."""
    waiting = condition.open_requests()
    begin = f"loopwright resume {condition.run_id}"
    if len(waiting) == 1:
        ((_, request),) = waiting.values()
        return f"Answer it: {begin} --answer '{_EXAMPLES[request.kind]}'"
    ways = [
        f"  {begin} --request {key} --answer '{_EXAMPLES[request.kind]}'   {_question(request)}"
        for key, (_, request) in waiting.items()
    ]
    return "\n".join(["Answer one of them:", *ways])


def _check_schema(request: Request, answer: Mapping[str, Any]) -> None:
    from jsonschema import Draft202012Validator  # only when a person answers

    if not request.schema:
        return
    try:
        fault = min(
            Draft202012Validator(dict(request.schema)).iter_errors(dict(answer)),
            key=lambda error: (len(error.path), error.message),
            default=None,
        )
    except ValueError:  # its message would hold a whole number too long to be written
        msg = "The answer does not fit the question: a number in it is too long."
        raise RunError(msg, _expected(request)) from None
    if fault is None:
        return
    where = ".".join(str(part) for part in fault.path)
    place = f" at '{where}'" if where else ""
    msg = f"The answer does not fit the question{place}: {_fault_words(fault)}."
    raise RunError(msg, _expected(request))


_KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object in { }",
    "array": "a list in [ ]",
    "null": "nothing",
}


def _fault_words(fault: Any) -> str:
    """What does not fit, without the words of schemas and programs."""
    value, rule = fault.instance, fault.validator_value
    match fault.validator:
        case "type":
            kinds = [rule] if isinstance(rule, str) else rule
            return f"it must be {' or '.join(_KINDS.get(kind, kind) for kind in kinds)}"
        case "required":
            missing = next((name for name in rule if name not in value), "")
            return f"'{missing}' is missing"
        case "additionalProperties":
            known = fault.schema.get("properties", {})
            name = next((name for name in value if name not in known), "")
            return f"'{name}' is not a part of it"
        case "enum":
            return f"it must be one of {', '.join(_json(option) for option in rule)}"
        case "anyOf":
            kinds = [part["type"] for part in rule if isinstance(part.get("type"), str)]
            wanted = " or ".join(_KINDS.get(kind, kind) for kind in kinds)
            return f"it must be {wanted}" if wanted else "it is none of what may stand there"
    return str(fault.message)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _expected(request: Request) -> str:
    examples = {
        "approve": 'Answer with {"type": "proceed"} or {"type": "reject", "feedback": "..."}.',
        "tool_approval": 'Answer with {"type": "proceed"} or {"type": "reject"}.',
        "choose": 'Answer with {"choice": ...}, one of: ' + ", ".join(request.options) + ".",
        "form": 'Answer with {"form": {...}}: '
        + ", ".join(request.schema.get("properties", {}).get("form", {}).get("properties", {}))
        + ".",
        "text": 'Answer with {"text": "..."}.',
    }
    return examples[request.kind]
