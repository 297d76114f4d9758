"""The steps of a run beside those of the model, in a form that can be counted and read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

Line = tuple[str, str, str]


def counted(steps: Iterable[tuple[str, Mapping[str, Any], Any]]) -> Counter[Line]:
    """How often each node ran with each inputs and output."""
    return Counter((node, _text(inputs), _text(output)) for node, inputs, output in steps)


def _text(value: object) -> str:
    # Whatever read-only views the interpreter hands out, their content counts.
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def difference(expected: Counter[Line], got: Counter[Line]) -> str:
    """What is missing and what is too much, a step a line; empty when nothing is."""
    lines = [f"missing {count} x {' '.join(line)}" for line, count in (expected - got).items()]
    lines += [f"too much {count} x {' '.join(line)}" for line, count in (got - expected).items()]
    return "\n".join(lines)
