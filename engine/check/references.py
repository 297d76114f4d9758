"""Names in templates and expressions: whether each one exists and can have a value there."""

from __future__ import annotations

from collections.abc import Iterator

from engine.check.named import NameRules
from engine.check.problem import Problem
from engine.check.variables import declare_fix
from engine.check.view import FlowView
from engine.check.writes import variables_read
from engine.flow.names import quoted


def problems(view: FlowView) -> Iterator[Problem]:
    """What is wrong with the names that texts and fields read."""
    rules = NameRules(view)
    for text in view.parsed:
        for reference in text.references:
            # Where there is a default, a name may lead nowhere.
            if not reference.has_default:
                yield from rules.problems(text, reference)
    yield from _listed_variables(view)


def _listed_variables(view: FlowView) -> Iterator[Problem]:
    """Variables that a node's own fields list."""
    for facts in view.facts.values():
        for path, name in variables_read(facts):
            if name in view.variables:
                continue
            near = view.near(name, "variables", sorted(view.variables))
            yield view.problem(
                "unknown-variable",
                f"{view.title(facts.node.id)}: there is no variable {quoted(name)}"
                + (f"; did you mean {quoted(near)}?" if near else "."),
                "" if near else "Declare it among the flow's variables.",
                node=facts.node.id,
                field=path,
                fix=None if near else declare_fix(name),
            )
