"""Runs a small piece of code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field, model_validator

from engine.fields import AnyValue, CodeText, Labels, Language, Mark, ShowWhen, Unit
from engine.node_tools import VariableUpdate, changes_of, new_values
from engine.node_type import Group, NodeMeta, NodeType, Output, StepContext
from engine.operations.named import FunctionName, call
from engine.sandbox.box import CodeLanguage, run_code
from engine.sandbox.limits import Limits

_RESERVED = ("result",)
_COSTLY = ("state", "context")


class ResultUpdate(VariableUpdate):
    """One change to a flow variable, made with the result."""

    value: Annotated[AnyValue, Language.OWN_TEMPLATE] = Field(
        default=None,
        title="Value",
        description="What to set, append, add, merge or remove; {{ output }} is the result.",
    )


class Function(NodeType):
    """Runs Python or JavaScript that you write, or one of a few ready-made functions.

    Code sees its inputs by their names, and `input`, `inputs`, `context` and `state`. All of them
    are copies: code cannot change the flow's data. Its value is what it returns; else what it puts
    into `result`; else the value of its last line:

        total = sum(item["price"] for item in inputs["cart"])
        result = round(total, 2)

    What it prints goes to the log of the run. Code runs in a box without files, network and other
    programs, with a limit on time and memory, so running it twice does no harm. Python is the
    everyday part of the language: no `yield`, no inheritance, no packages of other people.

    The ready-made functions take their values from *Inputs*. `math_add` and `math_multiply` take
    all of them (or a list called `values`), `string_concat` too, with an optional `separator`.
    `dict_get` takes `record`, `key` and an optional `default`; `dict_set` takes `record`, `key` and
    `value`, and gives a new record.
    """

    meta: ClassVar[NodeMeta] = NodeMeta(
        type_id="function",
        title="Python function",
        group=Group.DO,
        icon="mdi6.function-variant",
        words=("code", "python", "javascript", "script", "function", "calculate", "program"),
        examples=(
            (
                "Python",
                {
                    "function_code": 'result = [word.upper() for word in text.split(" ")]',
                    "inputs": {"text": "{{ input }}"},
                },
            ),
            (
                "JavaScript",
                {
                    "language": "javascript",
                    "function_code": "return numbers.filter((n) => n > 10);",
                    "inputs": {"numbers": "{{ context.numbers }}"},
                },
            ),
            (
                "Add two numbers",
                {"function_name": "math_add", "inputs": {"a": "{{ context.price }}", "b": 5}},
            ),
            (
                "Remember the result",
                {
                    "function_code": "len(input)",
                    "updates": [
                        {"variable": "lengths", "operation": "append", "value": "{{ output }}"}
                    ],
                },
            ),
        ),
    )

    function_name: Annotated[
        FunctionName | None,
        BeforeValidator(lambda value: value or None),
        Labels.of(
            math_add="Add numbers",
            math_multiply="Multiply numbers",
            string_concat="Join texts",
            dict_get="Get from a record",
            dict_set="Set in a record",
        ),
    ] = Field(
        default=None,
        title="Function",
        description="A ready-made function. Left alone, the code below runs.",
    )
    language: Annotated[
        CodeLanguage,
        Labels.of(python="Python", javascript="JavaScript"),
        ShowWhen("function_name", None, ""),
    ] = Field(default="python", title="Language", description="What the code is written in.")
    function_code: Annotated[CodeText, ShowWhen("function_name", None, "")] = Field(
        default="",
        title="Code",
        description="The code. Double braces mean nothing in it: values come in by inputs.",
    )
    inputs: dict[str, AnyValue] = Field(
        default_factory=dict,
        title="Inputs",
        description="Values by name. Code sees each one under its name.",
    )
    updates: tuple[ResultUpdate, ...] = Field(
        default=(),
        title="Changes",
        description="Flow variables to change afterwards; {{ output }} is the result.",
    )
    time_limit: Annotated[
        float,
        Field(ge=0.1, le=600, allow_inf_nan=False),
        Unit("s"),
        Mark.ADVANCED,
        ShowWhen("function_name", None, ""),
    ] = Field(default=1.0, title="Time limit", description="Code that runs longer is stopped.")
    memory_limit: Annotated[
        int, Field(ge=16, le=4096), Unit("MB"), Mark.ADVANCED, ShowWhen("function_name", None, "")
    ] = Field(
        default=100, title="Memory limit", description="Code that needs more memory is stopped."
    )

    @model_validator(mode="after")
    def _has_something_to_run(self) -> Self:
        if self.function_name is None and not self.function_code.strip():
            msg = "write some code, or choose a function"
            raise ValueError(msg)
        for name in self.inputs:
            if not name or name in _RESERVED:
                msg = f"an input cannot be called '{name}'"
                raise ValueError(msg)
        return self

    def summary(self) -> str:
        """The function, or the first line of the code."""
        if self.function_name is not None:
            return self.function_name
        lines = (line.strip() for line in self.function_code.split("\n"))
        return next((line for line in lines if line), "")[:60]

    async def run(self, step: StepContext) -> Output:
        """The result; the variables change with it."""
        result = await self._result(step)
        updates = [_with_output(row, step, result) for row in self.updates]
        # Says at once when a change does not fit its variable.
        new_values(step, updates)
        return Output(result, changes=changes_of(updates))

    async def _result(self, step: StepContext) -> Any:
        if self.function_name is not None:
            return call(self.function_name, self.inputs)
        limits = Limits(self.time_limit, self.memory_limit)
        names = self._names(step)
        return await run_code(self.language, self.function_code, names, limits, step.log)

    def _names(self, step: StepContext) -> dict[str, Any]:
        """What the code sees. The large ones are only copied for code that names them."""
        context = step.state.get("context", {})
        everything: Mapping[str, Any] = {
            "input": step.input,
            "inputs": {**step.inputs, **self.inputs},
            "context": context,
            "state": step.state,
        }
        named = {name: everything[name] for name in everything if self._mentions(name)}
        return {**named, **self.inputs}

    def _mentions(self, name: str) -> bool:
        return re.search(rf"\b{name}\b", self.function_code) is not None


def _with_output(row: ResultUpdate, step: StepContext, result: Any) -> VariableUpdate:
    field = f"Changes, {row.variable}, Value"
    value = _filled_in(row.value, step, field, {"output": result})
    return VariableUpdate(variable=row.variable, operation=row.operation, value=value)


def _filled_in(value: Any, step: StepContext, field: str, names: Mapping[str, Any]) -> Any:
    """The templates in a configured value; the keys of records are none."""
    if isinstance(value, str):
        return step.render(value, field, names)
    if isinstance(value, Mapping):
        return {key: _filled_in(value[key], step, field, names) for key in value}
    if isinstance(value, list | tuple):
        return [_filled_in(item, step, field, names) for item in value]
    return value
