"""What the test node types compute: pure functions of a node's id, its config and its inputs.

The node types of `probes` and the model of `oracle` share these formulas, so that a flow and its
model can differ only in *which* steps run and in *what they receive*.

Every value is `{"from": text, "item": number}`. `from` tells the whole descent, for example
`j(a(s()),b(s()))`, with a digest in place of long arguments: two values are equal only if they
came the same way. `item` is the number that the values of a split carry on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

Value = Any
LONGEST = 60
ITEM_RANGE = 1000


def digest(text: str) -> str:
    """Eight letters that stand for a long text."""
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:8]


def descent(inputs: Mapping[str, Value]) -> str:
    """The arguments as text, by source; a list is a value of `collect`."""
    return ",".join(_shown(inputs[source]) for source in sorted(inputs))


def _shown(value: Value) -> str:
    if isinstance(value, list):
        return "[" + "|".join(_shown(each) for each in value) + "]"
    return str(value["from"])


def _items(value: Value) -> int:
    if isinstance(value, list):
        return sum(_items(each) for each in value)
    return int(value["item"])


def item_of(inputs: Mapping[str, Value]) -> int:
    """The item number that the inputs carry: their sum, so that no input is left out."""
    return sum(_items(value) for value in inputs.values()) % ITEM_RANGE


def result_of(node_id: str, inputs: Mapping[str, Value]) -> Value:
    """What `start`, `probe` and `choose` give."""
    arguments = descent(inputs)
    if len(arguments) > LONGEST:
        arguments = "~" + digest(arguments)
    return {"from": f"{node_id}({arguments})", "item": item_of(inputs)}


def results_of(node_id: str, inputs: Mapping[str, Value], count: int) -> list[Value]:
    """What `spread` and `trickle` give, one after the other."""
    whole = result_of(node_id, inputs)
    return [{"from": f"{whole['from']}#{index}", "item": index} for index in range(count)]


def picked(table: Sequence[Any], by: str, round_number: int, inputs: Mapping[str, Value]) -> Any:
    """The entry of a table that a node takes.

    `by` "round": by the number of the innermost loop's round, the last entry for all later ones.
    `by` "item": by the item number, and `by` "value": by a digest of what came in, both turning.
    """
    if by == "round":
        return table[min(round_number, len(table) - 1)]
    if by == "item":
        return table[item_of(inputs) % len(table)]
    if by == "value":
        return table[int(digest(descent(inputs)), 16) % len(table)]
    msg = f"nothing is picked by '{by}'"
    raise ValueError(msg)
