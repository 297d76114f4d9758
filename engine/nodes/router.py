"""Chooses one of several paths by rules."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any, ClassVar

from pydantic import Field

from engine.errors import NodeError
from engine.fields import ExpressionText, Name, Row, Text
from engine.flow.names import ended
from engine.node_tools import brief, values_read
from engine.node_type import Group, Handle, NodeMeta, NodeType, Route, StepContext


class Rule(Row):
    """One path and when it is taken."""

    id: Name = Field(default="", title="Id", description="A short name for the rule.")
    condition: Annotated[ExpressionText, Field(min_length=1)] = Field(
        title="When", description="An expression, for example `context.score > 80`."
    )
    targetEdgeKey: Name = Field(  # noqa: N815 - as it is stored
        default="",
        title="Path",
        description="The name of the path; empty: the rule's id.",
    )
    label: Text = Field(default="", title="Label", description="What the path says on the canvas.")
    priority: int | None = Field(
        default=None,
        title="Priority",
        description="Rules with a small number are tried first, those without one last.",
    )

    @property
    def key(self) -> str:
        """The route key of its path."""
        return self.targetEdgeKey or self.id

    @property
    def title(self) -> str:
        """What a person calls it."""
        return self.label or self.id or self.key or self.condition


class Router(NodeType):
    """Looks at its rules in order and takes the path of the first that is true.

    When none is true, it takes the default path. A rule that cannot be worked out is an error,
    never a silent no.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="router",
        title="Choose a path",
        group=Group.DECIDE,
        icon="mdi6.directions-fork",
        words=("router", "switch", "branch", "case", "rules", "route", "if", "else", "select"),
        condition_like=True,
        disabled_route="default",
        examples=(
            (
                "By score",
                {
                    "routes": [
                        {"id": "high", "condition": "context.score > 80", "targetEdgeKey": "high"},
                        {"id": "mid", "condition": "context.score > 40", "targetEdgeKey": "mid"},
                    ]
                },
            ),
        ),
    )

    routes: tuple[Rule, ...] = Field(title="Rules", description="The paths, and when to take each.")
    defaultRoute: Annotated[Name, Field(min_length=1)] = Field(  # noqa: N815 - as it is stored
        default="default",
        title="Default path",
        description="The path that is taken when no rule is true.",
    )

    def handles(self) -> tuple[Handle, ...]:
        """One per path, then the default; rules may share a path."""
        labels: dict[str, str] = {}
        for rule in self.routes:
            labels.setdefault(rule.key, rule.title)
        labels.pop(self.defaultRoute, None)
        named = tuple(Handle(key, label) for key, label in labels.items() if key)
        return (*named, Handle(self.defaultRoute, "Otherwise"))

    def summary(self) -> str:
        """How many rules."""
        return f"{len(self.routes)} rules" if len(self.routes) != 1 else "1 rule"

    @cached_property
    def _in_order(self) -> tuple[tuple[str, str, str], ...]:
        """Title, condition and path of each rule, in the order in which they are tried."""
        ordered = sorted(self.routes, key=_order)
        return tuple((rule.title, rule.condition, rule.key) for rule in ordered)

    async def run(self, step: StepContext) -> Route:
        """Takes the first true rule's path."""
        tried: list[dict[str, Any]] = []
        evaluate = step.evaluate
        for title, condition, key in self._in_order:
            try:
                result = evaluate(condition, "When")
            except NodeError as error:
                raise _in_rule(title, error) from error
            tried.append({"rule": title, "condition": condition, "result": result})
            if result:
                why = f"Rule '{title}' is the first that is true"
                return self._route(step, key, tried, why)
        return self._route(step, self.defaultRoute, tried, "No rule is true")

    def _route(self, step: StepContext, key: str, tried: list[dict[str, Any]], why: str) -> Route:
        results = "; ".join(
            [
                f"{each['condition']} is False"
                if each["result"] is False
                else f"{each['condition']} is {brief(each['result'])}"
                for each in tried
            ]
        )
        read = values_read(step, self._conditions[: len(tried)])
        reason = f"{why}: {results}" if results else why
        reason = f"{reason} ({read})." if read else ended(reason)
        return Route(key, {"route": key, "evaluated": tried}, reason=reason)

    @cached_property
    def _conditions(self) -> tuple[str, ...]:
        return tuple(condition for _, condition, _ in self._in_order)


def _in_rule(title: str, error: NodeError) -> NodeError:
    message = f"Rule '{title}': {error.message}"
    return NodeError(message, error.hint, error.detail, kind=error.kind)


def _order(rule: Rule) -> tuple[bool, int]:
    return rule.priority is None, rule.priority or 0
