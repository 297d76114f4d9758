"""Paths of templates, followed through data: `inputs.fetch.items[0].name`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import TemplateError
from engine.language.access import no_item
from engine.language.scope import Names, NodeValue
from engine.language.values import is_list, is_record
from engine.language.words import kind_of, missing, sentence

Segment = str | int

_BLOCKED = frozenset({"constructor", "prototype"})


class LeadsNowhere(Exception):  # noqa: N818 - it is no error: a default may follow
    """A path that cannot be followed; the words are made only when a person will read them.

    Args:
        reached: The value that has no such part.
        step: Number of the segment that failed; -1 for the root.
    """

    def __init__(self, reached: Any, step: int) -> None:
        super().__init__()
        self.reached = reached
        self.step = step


def is_blocked(segment: Segment) -> bool:
    """Whether a segment never resolves, not even where the data have such a key."""
    return isinstance(segment, str) and (segment.startswith("_") or segment in _BLOCKED)


def follow(root: str, path: tuple[Segment, ...], names: Names) -> Any:
    """The value at the end of a path without blocked segments.

    Raises:
        LeadsNowhere: A name or part is not there.
    """
    try:
        value = names.lookup(root)
    except KeyError:
        raise LeadsNowhere(None, -1) from None
    for step, segment in enumerate(path):
        if type(value) is dict and segment in value:
            value = value[segment]
        else:
            value = _into(value, segment, step)
    return value.output if isinstance(value, NodeValue) else value


def _into(value: Any, segment: Segment, step: int) -> Any:
    if isinstance(value, NodeValue):
        if segment == "output":
            return value.output
        raise LeadsNowhere(value, step)
    if is_record(value):
        return _field(value, segment, step)
    if isinstance(segment, int) and (is_list(value) or isinstance(value, str)):
        try:
            return value[segment]
        except IndexError:
            raise LeadsNowhere(value, step) from None
    raise LeadsNowhere(value, step)


def _field(record: Mapping[Any, Any], segment: Segment, step: int) -> Any:
    # The keys of JSON are texts, so `.0` and `[0]` also mean the key "0".
    for key in (segment, str(segment)):
        try:
            return record[key]
        except KeyError:
            continue
    raise LeadsNowhere(record, step)


def written(root: str, path: Sequence[Segment]) -> str:
    """A path as it is written."""
    parts = [root]
    for segment in path:
        if isinstance(segment, int):
            parts.append(f"[{segment}]")
        else:
            plain = segment.replace("-", "_").isidentifier()
            parts.append(f".{segment}" if plain else f'["{segment}"]')
    return "".join(parts)


def in_words(
    miss: LeadsNowhere, root: str, path: tuple[Segment, ...], names: Names, position: int
) -> TemplateError:
    """The error for a path that leads nowhere, naming the nearest names."""
    if miss.step < 0:
        return TemplateError(*missing(root, names.names(), ""), position)
    where = written(root, path[: miss.step])
    segment = path[miss.step]
    return TemplateError(*_words(miss.reached, segment, where, path[miss.step :]), position)


def _words(
    reached: Any, segment: Segment, where: str, rest: tuple[Segment, ...]
) -> tuple[str, str]:
    if isinstance(reached, NodeValue):
        right = written(f"{where}.output", rest)
        return f"There is no `{segment}` in the node {where}.", f"Did you mean `{right}`?"
    if is_record(reached):
        if where == "$node":
            message, hint = missing(str(segment), reached, "the flow")
            return message.replace("There is no", "There is no node"), hint
        return missing(str(segment), reached, where)
    if isinstance(segment, int) and (is_list(reached) or isinstance(reached, str)):
        return no_item(reached, segment, where)
    message = f"There is no `{segment}` in {where}: it is {kind_of(reached)}."
    if is_list(reached):
        return message, f"Take one item first: `{where}[0].{segment}`."
    return sentence(message), "Only records and lists have parts."


def blocked_words(root: str, path: tuple[Segment, ...], position: int) -> TemplateError:
    """The error for a path with a segment that never resolves."""
    name = next(segment for segment in (root, *path) if is_blocked(segment))
    return TemplateError(
        f"The name `{name}` cannot be used: it is reserved.",
        "Names with a leading underscore never resolve.",
        position,
    )
