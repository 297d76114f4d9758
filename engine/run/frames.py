"""Frames: which round of which loop, and which strand of which split, a token belongs to.

A frame is a sorted tuple of `(key, first, second)`. Keys follow the topological order of the
nodes, so that outer loops and splits come first. A loop has (entry, round), a split (firing,
index). Strands that go round a loop have been told apart by splits inside it; at the header
those keys become one, (strand, 0), so that a frame does not grow with the rounds.
"""

from __future__ import annotations

from collections.abc import Collection

Frame = tuple[tuple[int, int, int], ...]
TOP: Frame = ()


def loop_key(rank: int) -> int:
    """The key of the loop whose header has this topological rank."""
    return rank * 4


def strand_key(rank: int) -> int:
    """The key that tells apart the strands which go round the loop of this header."""
    return rank * 4 + 1


def split_key(rank: int) -> int:
    """The key of the node with this topological rank when it gives several outputs."""
    return rank * 4 + 2


def is_loop_key(key: int) -> bool:
    """Whether a key stands for the rounds of a loop."""
    return not key & 3


def rank_of(key: int) -> int:
    """The topological rank of the node that a key belongs to."""
    return key >> 2


def agree(one: Frame, other: Frame) -> bool:
    """Whether both have the same value for every key that they share."""
    if not one or not other or one == other:
        return True
    if len(one) == 1 == len(other):
        return one[0][0] != other[0][0]
    for mine in one:
        for theirs in other:
            if mine[0] == theirs[0]:
                if mine != theirs:
                    return False
                break
    return True


def union(one: Frame, other: Frame) -> Frame:
    """The keys of both; they must agree."""
    if one == other or not other:
        return one
    if not one:
        return other
    return tuple(sorted({*one, *other}))


def is_outer(one: Frame, other: Frame) -> bool:
    """Whether `one` lies outside `other`: its keys are some of the other's, not all."""
    if len(one) >= len(other):
        return False
    keys = {item[0] for item in other}
    return all(item[0] in keys for item in one)


def with_key(frame: Frame, key: int, first: int, second: int) -> Frame:
    """The frame with one key set."""
    if not frame:
        return ((key, first, second),)
    return tuple(sorted([*(item for item in frame if item[0] != key), (key, first, second)]))


def without(frame: Frame, keys: Collection[int]) -> Frame:
    """The frame less some keys."""
    return tuple(item for item in frame if item[0] not in keys)


def outside_split(frame: Frame) -> Frame:
    """What lies outside the innermost split; the whole frame where there is none."""
    for place in range(len(frame) - 1, -1, -1):
        if not is_loop_key(frame[place][0]):
            return frame[:place]
    return frame


def strands_of(frame: Frame) -> Frame:
    """The part that tells strands apart, without the rounds of loops."""
    if not frame:
        return frame
    return tuple(item for item in frame if not is_loop_key(item[0]))


def value_of(frame: Frame, key: int) -> tuple[int, int] | None:
    """The two numbers of a key, or None."""
    for item in frame:
        if item[0] == key:
            return item[1], item[2]
    return None


def shape(frame: Frame) -> tuple[int, ...]:
    """The keys alone."""
    return tuple(item[0] for item in frame)
