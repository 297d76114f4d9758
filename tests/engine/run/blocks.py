"""Block trees: how the random test flows are described.

A tree is a `Seq` of blocks. Each block begins with one node, its *head*; its open ends go to
the head of the block behind it. What the blocks mean is said in `structured`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

# Where a token goes instead of on: behind the innermost loop, or back to its head.
Turn = Literal["break", "again"]


@dataclass(frozen=True)
class Leaf:
    """A part that hangs off a node and never comes back; `tail` ends with a step."""

    tail: Seq


@dataclass(frozen=True)
class Step:
    """A plain node; `doubled` draws every edge into it twice."""

    id: str
    doubled: bool = False
    leaf: Leaf | None = None


@dataclass(frozen=True)
class Choice:
    """A condition: one of the branches runs; all of them end behind the block."""

    id: str
    by: str
    routes: tuple[str, ...]
    branches: tuple[tuple[str, Seq], ...]
    leaf: Leaf | None = None


@dataclass(frozen=True)
class Aside:
    """A condition whose branches meet in a tail that never comes back; the way on is open."""

    id: str
    by: str
    routes: tuple[str, ...]
    branches: tuple[tuple[str, Seq], ...]
    tail: Seq


@dataclass(frozen=True)
class Fork:
    """Every branch runs; what stands behind the block joins them."""

    id: str
    branches: tuple[Seq, ...]
    leaf: Leaf | None = None


@dataclass(frozen=True)
class While:
    """The head decides: `go` runs the body and comes back, `stop` leaves by way of `then`."""

    id: str
    routes: tuple[str, ...]
    body: Seq
    then: Seq = ()
    leaf: Leaf | None = None


@dataclass(frozen=True)
class Repeat:
    """The body runs, then `id` decides: `go` goes back to its head, `stop` leaves by `then`."""

    id: str
    routes: tuple[str, ...]
    body: Seq
    then: Seq = ()
    leaf: Leaf | None = None


@dataclass(frozen=True)
class Exit:
    """Inside a loop: `stay` goes on; `break` leaves the innermost loop, `again` begins it anew."""

    id: str
    turn: Turn
    by: str
    routes: tuple[str, ...]
    leaf: Leaf | None = None


@dataclass(frozen=True)
class Spread:
    """Several values: all that follows runs once for each."""

    id: str
    by: str
    counts: tuple[int, ...]
    trickle: bool = False
    leaf: Leaf | None = None


@dataclass(frozen=True)
class ForEach:
    """Several values: the body runs once for each, and `collect` takes all that comes out."""

    id: str
    by: str
    counts: tuple[int, ...]
    body: Seq
    collect: str
    trickle: bool = False
    leaf: Leaf | None = None


Block = Step | Choice | Aside | Fork | While | Repeat | Exit | Spread | ForEach
Seq = tuple[Block, ...]


def head(block: Block) -> str:
    """The node that a block begins with."""
    if isinstance(block, Repeat) and block.body:
        return head(block.body[0])
    return block.id


def multiplies(seq: Seq) -> bool:
    """Whether the way through holds a split whose values are not collected."""
    return any(_multiplies(block) for block in seq)


def _multiplies(block: Block) -> bool:
    match block:
        case Spread():
            return True
        case Choice():
            return any(multiplies(branch) for _, branch in block.branches)
        case Fork():
            return any(multiplies(branch) for branch in block.branches)
        case While() | Repeat():
            return multiplies(block.body) or multiplies(block.then)
        case _:
            return False


def blocks_in(seq: Seq) -> Iterator[Block]:
    """Every block of a tree, leaves included."""
    for block in seq:
        yield block
        for part in parts_of(block):
            yield from blocks_in(part)


def parts_of(block: Block) -> tuple[Seq, ...]:
    """The sequences directly inside a block."""
    parts: list[Seq] = []
    if isinstance(block, Choice | Aside):
        parts += [branch for _, branch in block.branches]
    if isinstance(block, Aside):
        parts.append(block.tail)
    elif block.leaf is not None:
        parts.append(block.leaf.tail)
    if isinstance(block, Fork):
        parts += block.branches
    if isinstance(block, While | Repeat | ForEach):
        parts.append(block.body)
    if isinstance(block, While | Repeat):
        parts.append(block.then)
    return tuple(parts)
