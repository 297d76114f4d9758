"""Takes one of two paths."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from engine.comparison import CHOICES, Kind, Operation, check, shown_rule
from engine.errors import NodeError
from engine.fields import AnyValue, ChoicesBy, ExpressionText, Labels, Row, Text
from engine.node_tools import brief, values_read
from engine.node_type import Group, Handle, NodeMeta, NodeType, Route, StepContext


class Rule(Row):
    """One comparison."""

    left: AnyValue = Field(default=None, title="Value", description="What is looked at.")
    type: Annotated[Kind, Labels.of(string="Text", number="Number", boolean="Yes or no")] = Field(
        default="string",
        title="As",
        description=(
            "How both sides are read. The text 10 counts as the number 10; a text that is no "
            "number is an error."
        ),
    )
    operation: Annotated[Operation, ChoicesBy("type", CHOICES)] = Field(
        default="equals", title="Comparison", description="What must hold."
    )
    right: AnyValue = Field(default=None, title="With", description="What it is compared with.")

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        offered = CHOICES[self.type]
        if self.operation not in offered:
            kind = {"string": "a text", "number": "a number", "boolean": "a yes or no"}[self.type]
            msg = f"'{self.operation}' does not go with {kind}; choose {', '.join(offered)}"
            raise ValueError(msg)
        return self


class Condition(NodeType):
    """Asks a question and takes the path *Yes* or *No*.

    Write an expression such as `context.score > 80`, or put rules together without writing
    anything. Text is compared exactly as it is, with its capitals, blanks and marks. What cannot be
    worked out is an error, never a silent No.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="condition",
        title="If",
        group=Group.DECIDE,
        icon="mdi6.help-rhombus-outline",
        words=("if", "condition", "branch", "decide", "yes", "no", "compare", "check", "test"),
        condition_like=True,
        disabled_route="true",
        examples=(
            ("An expression", {"expression": "context.score > 80"}),
            (
                "Two rules",
                {
                    "match": "all",
                    "rules": [
                        {"left": "{{ input }}", "operation": "contains", "right": "refund"},
                        {
                            "left": "{{ context.amount }}",
                            "type": "number",
                            "operation": ">",
                            "right": 100,
                        },
                    ],
                },
            ),
        ),
    )

    expression: ExpressionText = Field(
        default="",
        title="Expression",
        description="True takes the first path. Leave it empty to use rules.",
    )
    rules: tuple[Rule, ...] = Field(
        default=(), title="Rules", description="Comparisons, put together by the next field."
    )
    match: Annotated[
        Literal["all", "any"], Labels.of(all="All rules must hold", any="One rule is enough")
    ] = Field(default="all", title="Which rules", description="How the rules are put together.")
    true_label: Text = Field(
        default="Yes", title="Name of the first path", description="Shown on the canvas."
    )
    false_label: Text = Field(
        default="No", title="Name of the second path", description="Shown on the canvas."
    )

    @model_validator(mode="after")
    def _asks_one_question(self) -> Self:
        if not self.expression.strip() and not self.rules:
            raise ValueError("give an expression or at least one rule")
        if self.expression.strip() and self.rules:
            raise ValueError("give either an expression or rules, not both")
        return self

    def handles(self) -> tuple[Handle, ...]:
        """Yes and No."""
        return (Handle("true", self.true_label), Handle("false", self.false_label))

    def summary(self) -> str:
        """The expression."""
        return self.expression or f"{len(self.rules)} rules"

    async def run(self, step: StepContext) -> Route:
        """Takes one of the two paths."""
        result, evaluated = self._by_rules() if self.rules else self._by_expression(step)
        key = "true" if result else "false"
        value = {"result": result, "evaluated": evaluated}
        return Route(key, value, reason=f"The condition is {key}: {evaluated}.")

    def _by_expression(self, step: StepContext) -> tuple[bool, str]:
        value = step.evaluate(self.expression, "Expression")
        read = values_read(step, (self.expression,))
        shown = f"{self.expression.strip()} is {brief(value)}"
        return bool(value), f"{shown} ({read})" if read else shown

    def _by_rules(self) -> tuple[bool, str]:
        """Looks at the rules in order, no further than needed."""
        deciding = self.match == "any"
        told: list[str] = []
        for number, rule in enumerate(self.rules, 1):
            holds = self._holds(number, rule)
            told.append(f"{shown_rule(rule)}: {'yes' if holds else 'no'}")
            if holds is deciding:
                return deciding, "; ".join(told)
        return not deciding, "; ".join(told)

    def _holds(self, number: int, rule: Any) -> bool:
        try:
            return check(rule)
        except NodeError as error:
            raise NodeError(f"Rule {number}: {error.message}", error.hint) from None
