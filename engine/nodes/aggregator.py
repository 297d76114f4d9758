"""Puts the results of several branches together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from engine.errors import NodeError
from engine.fields import Labels
from engine.flow.document import JoinPolicy
from engine.language.words import shown
from engine.node_tools import is_list
from engine.node_type import Change, Group, NodeMeta, NodeType, Output, StepContext


class _Part(NamedTuple):
    """What one branch, or one strand of it, gave."""

    source: str
    task_id: str
    value: Any

    @property
    def failed(self) -> bool:
        """Whether it gave an error instead of a result."""
        return isinstance(self.value, Mapping) and self.value.get("error") is not None

    @property
    def error(self) -> str:
        """The error in words."""
        error = self.value["error"]
        if isinstance(error, Mapping):
            error = error.get("message", error)
        return error if isinstance(error, str) else shown(error)


class Aggregator(NodeType):
    """Waits for several branches and puts their results together.

    A branch whose result is a record with an `error` counts as failed. *Fail fast* then makes this
    node fail too; *best effort* goes on with what worked. To collect every item that a *One by
    one* node sent, let it wait for everything.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="aggregator",
        title="Collect",
        group=Group.LOOP,
        icon="mdi6.call-merge",
        words=("aggregate", "join", "merge", "gather", "combine", "reduce", "sum", "wait for all"),
        examples=(
            ("All results that worked", {"error_strategy": "best_effort", "method": "list"}),
            ("The sum of every item", {"method": "sum", "wait": "everything"}),
        ),
    )

    error_strategy: Annotated[
        Literal["fail_fast", "best_effort"],
        Labels.of(
            fail_fast="Fail fast: one error is enough", best_effort="Best effort: use what worked"
        ),
    ] = Field(
        default="fail_fast", title="When a branch fails", description="What an error leads to."
    )
    method: Annotated[
        Literal["list", "append", "sum", "merge", "latest"],
        Labels.of(
            list="A list of the results",
            append="One long list of all items",
            sum="The sum",
            merge="One record",
            latest="The last result",
        ),
    ] = Field(default="list", title="Put together as", description="How the results are joined.")
    wait: Annotated[
        Literal["branches", "everything"],
        Labels.of(
            branches="One result of each branch",
            everything="Everything that will ever come",
        ),
    ] = Field(default="branches", title="Wait for", description="When there is enough.")

    def join(self, drawn: JoinPolicy) -> JoinPolicy:
        """Waiting for everything is the join `collect`."""
        return "collect" if self.wait == "everything" else drawn

    async def run(self, step: StepContext) -> Output:
        """The results in order, and how many there are."""
        parts = tuple(self._parts(step.inputs))
        good = [part for part in parts if not part.failed]
        bad = [part for part in parts if part.failed]
        if bad and self.error_strategy == "fail_fast":
            raise _failure(bad, len(parts))
        status = "success" if not bad else "partial" if good else "error"
        value = {
            "status": status,
            "success_count": len(good),
            "error_count": len(bad),
            "results": self._together(good),
            "errors": [{"source": part.source, "error": part.error} for part in bad],
        }
        return Output(value, changes=tuple(_changes(parts)))

    def _parts(self, inputs: Mapping[str, Any]) -> Iterator[_Part]:
        for source, value in inputs.items():
            if self.wait == "everything" and is_list(value):
                for number, each in enumerate(value):
                    yield _Part(source, f"{source}#{number}", each)
            else:
                yield _Part(source, source, value)

    def _together(self, parts: Sequence[_Part]) -> Any:
        match self.method:
            case "append":
                return [item for part in parts for item in _items(part.value)]
            case "sum":
                return sum((_number(part) for part in parts), 0)
            case "merge":
                return {key: value for part in parts for key, value in _record(part).items()}
            case "latest":
                return parts[-1].value if parts else None
        return [part.value for part in parts]


def _changes(parts: Sequence[_Part]) -> Iterator[Change]:
    for part in parts:
        record = {
            "status": "error" if part.failed else "success",
            "result": None if part.failed else part.value,
            "error_msg": part.error if part.failed else None,
            "task_id": part.task_id,
        }
        yield Change("task_states", part.task_id, "merge", record)
        yield Change("task_results", "", "append", record)


def _failure(bad: Sequence[_Part], count: int) -> NodeError:
    told = "; ".join(f"'{part.source}': {part.error}" for part in bad[:3])
    more = f"; and {len(bad) - 3} more" if len(bad) > 3 else ""
    return NodeError(
        f"{len(bad)} of {count} branches failed: {told}{more}.",
        "Mend the branch, or choose best effort to go on with what worked.",
    )


def _items(value: Any) -> Sequence[Any]:
    return value if is_list(value) else [value]


def _number(part: _Part) -> int | float:
    value = part.value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise _unfit(part, "a sum needs numbers")


def _record(part: _Part) -> Mapping[str, Any]:
    if isinstance(part.value, Mapping):
        return part.value
    raise _unfit(part, "only records can be merged")


def _unfit(part: _Part, why: str) -> NodeError:
    return NodeError(
        f"'{part.source}' gave {shown(part.value)}: {why}.",
        "Choose another way to put the results together, or send one value with a pin.",
    )
