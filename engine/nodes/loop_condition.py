"""Repeats what hangs on its first path."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from engine.fields import Count, ExpressionText, Labels, ShowWhen
from engine.flow.names import ended
from engine.node_tools import items_of, values_read
from engine.node_type import Change, Group, Handle, NodeMeta, NodeType, Route, StepContext


class _Verdict(NamedTuple):
    """Whether to go round again, why, and with which item."""

    again: bool
    reason: str
    item: Any = None


class LoopCondition(NodeType):
    """Repeats the nodes on its *repeat* path until it is time to leave.

    *For each* goes through a list that is fixed when the loop begins, *while* repeats as long as a
    condition is true, and *do while* is the same but runs the first round in any case. Draw an
    edge back to this node from the last node of the loop; or put this node at the end of the loop.

    Inside, `{{ loop.item }}` is the item and `{{ loop.count }}` the number of the round, 0 at
    first. There are never more rounds than the limit says.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="loop_condition",
        title="Repeat",
        group=Group.LOOP,
        icon="mdi6.sync",
        words=("loop", "while", "for", "each", "until", "repeat", "again", "iterate"),
        condition_like=True,
        loops=True,
        disabled_route="exit_loop",
        examples=(
            ("Three rounds", {"conditionType": "while", "condition": "loop_count < 3"}),
            ("Every name", {"conditionType": "forEach", "listVariable": "context.names"}),
        ),
    )

    conditionType: Annotated[  # noqa: N815 - as it is stored
        Literal["forEach", "while", "doWhile"],
        Labels.of(
            forEach="For each item of a list",
            doWhile="Once, then while a condition is true",
            **{"while": "While a condition is true"},
        ),
    ] = Field(default="while", title="Repeat", description="What decides about another round.")
    listVariable: Annotated[  # noqa: N815 - as it is stored
        ExpressionText, ShowWhen("conditionType", "forEach")
    ] = Field(
        default="",
        title="List",
        description="An expression that gives the list, for example `context.names`.",
    )
    condition: Annotated[ExpressionText, ShowWhen("conditionType", "while", "doWhile")] = Field(
        default="",
        title="Condition",
        description="An expression; while it is true there is another round.",
    )
    maxIterations: Count | None = Field(  # noqa: N815 - as it is stored
        default=None,
        title="At most",
        description="The largest number of rounds; empty: the limit of the flow (10).",
    )

    @model_validator(mode="after")
    def _knows_when_to_leave(self) -> Self:
        if self.conditionType == "forEach" and not self.listVariable.strip():
            raise ValueError("List: is missing")
        if self.conditionType != "forEach" and not self.condition.strip():
            raise ValueError("Condition: is missing")
        return self

    def handles(self) -> tuple[Handle, ...]:
        """Another round, or out."""
        return (Handle("continue_loop", "Repeat"), Handle("exit_loop", "Done"))

    def summary(self) -> str:
        """What it repeats for."""
        if self.conditionType == "forEach":
            return f"for each of {self.listVariable}"
        return f"while {self.condition}"

    async def run(self, step: StepContext) -> Route:
        """Goes round again, or out of the loop."""
        loop = step.loop
        # At its end, the round that this node stands in is over.
        done = loop.round if loop.at_header or not loop.inside else loop.round + 1
        state: dict[str, Any] = {"loop_count": done}
        if self.conditionType == "forEach":
            verdict = self._next_item(step, done, state)
        else:
            verdict = self._by_condition(step, done)
        verdict = self._within_limit(step, done, verdict)
        if verdict.again:
            state |= {"current_index": done, "current_item": verdict.item}
        value = {"index": done, "item": verdict.item, "count": done, "reason": verdict.reason}
        key = "continue_loop" if verdict.again else "exit_loop"
        change = Change("loop_states", step.node_id, "merge", state)
        return Route(key, value, changes=(change,), reason=verdict.reason)

    def _next_item(self, step: StepContext, done: int, state: dict[str, Any]) -> _Verdict:
        """The item of the next round; the list is kept from the first look at it."""
        items = step.loop.state.get("items")
        if items is None:
            items = items_of(step.evaluate(self.listVariable, "List"), "List")
            state["items"] = items
        if done >= len(items):
            reason = f"All {len(items)} items are done." if items else "The list is empty."
            return _Verdict(False, reason)
        return _Verdict(True, f"Item {done + 1} of {len(items)}.", items[done])

    def _by_condition(self, step: StepContext, done: int) -> _Verdict:
        if self.conditionType == "doWhile" and done == 0:
            return _Verdict(True, "The first round runs in any case.")
        again = bool(step.evaluate(self.condition, "Condition"))
        read = values_read(step, (self.condition,))
        reason = f"{self.condition.strip()} is {'true' if again else 'false'}"
        return _Verdict(again, f"{reason} ({read})." if read else ended(reason))

    def _within_limit(self, step: StepContext, done: int, verdict: _Verdict) -> _Verdict:
        limit = step.max_iterations if self.maxIterations is None else self.maxIterations
        if not verdict.again or done < limit:
            return verdict
        rounds = "round" if limit == 1 else "rounds"
        return _Verdict(False, f"The limit of {limit} {rounds} is reached: {verdict.reason}")
