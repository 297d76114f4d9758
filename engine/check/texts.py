"""Templates and expressions that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator

from engine.check.problem import Problem
from engine.check.view import FlowView


def problems(view: FlowView) -> Iterator[Problem]:
    """One problem per text that cannot be read."""
    for text in view.parsed:
        if text.fault is not None:
            yield view.problem(
                "bad-expression" if text.is_expression else "bad-template",
                f"{text.where}: {text.fault.message}",
                text.fault.hint,
                node=text.node.id if text.edge is None else None,
                edge=text.edge.id if text.edge is not None else None,
                field=text.field,
                position=text.fault.position,
            )
