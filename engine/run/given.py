"""What a run was given, with the gaps of its start form filled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.errors import NodeError, UnknownNodeTypeError
from engine.forms import check_form
from engine.node_config import preview
from engine.run.plan import Plan


def completed(given: Mapping[str, Any], plan: Plan) -> dict[str, Any]:
    """The input with every field of the start form in its type, defaults filled in.

    A form that does not fit stays as it is: the Start node says what is wrong with it.
    """
    whole = dict(given)
    start = next((node for node in plan.flow.nodes if node.type == "start"), None)
    if start is None:
        return whole
    kind = plan.kind_of(start)
    if isinstance(kind, UnknownNodeTypeError):
        return whole
    settings = preview(kind, start.config)
    fields = getattr(settings, "form_fields", ())
    # Only the Start node itself can fill in a default that is a template.
    if getattr(settings, "input_mode", "") == "form" and "{{" not in str(start.config):
        try:
            whole["form"] = check_form(fields, whole.get("form", {}))
        except NodeError:
            return whole
    return whole
