"""One way to run a person's code, whatever it is written in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from engine.sandbox.limits import Limits, OnPrint

CodeLanguage = Literal["python", "javascript"]


async def run_code(
    language: CodeLanguage,
    code: str,
    inputs: Mapping[str, Any],
    limits: Limits | None = None,
    on_print: OnPrint | None = None,
) -> Any:
    """The value of code, which sees copies of `inputs` by their names and nothing else.

    Raises:
        NodeError: It names the line, the cause, and what to try.
    """
    # Each box is loaded only when it is used.
    if language == "python":
        from engine.sandbox.python_box import run_python

        return await run_python(code, inputs, limits, on_print)
    from engine.sandbox.javascript_box import run_javascript

    return await run_javascript(code, inputs, limits, on_print)
