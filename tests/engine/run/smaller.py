"""The smallest block tree that still goes wrong, so that a failure can be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.engine.run.blocks import (
    Aside,
    Block,
    Choice,
    Exit,
    ForEach,
    Fork,
    Leaf,
    Repeat,
    Seq,
    Spread,
    Step,
    While,
    multiplies,
    parts_of,
)


def smallest(tree: Seq, fails: Callable[[Seq], bool]) -> Seq:
    """Takes away whatever can go while `fails` stays true."""
    while True:
        found = next((each for each in _smaller(tree) if is_sound(each) and fails(each)), None)
        if found is None:
            return tree
        tree = found


def is_sound(seq: Seq, *, may_turn: bool = False, may_multiply: bool = True) -> bool:
    """Whether a tree means something: breaks in loops, one split at most among parallel ways."""
    return all(_is_sound(block, may_turn, may_multiply) for block in seq)


def _is_sound(block: Block, may_turn: bool, may_multiply: bool) -> bool:
    here = True
    match block:
        case Exit():
            comes_to_an_end = block.turn == "break" or (
                block.by == "round" and block.routes[-1] == "stay"
            )
            here = may_turn and comes_to_an_end
        case Spread():
            here = may_multiply
        case Choice():
            here = all(
                is_sound(branch, may_turn=may_turn, may_multiply=may_multiply)
                for _, branch in block.branches
            )
        case Fork():
            splits = sum(multiplies(branch) for branch in block.branches)
            here = splits <= 1 and all(
                is_sound(branch, may_multiply=may_multiply) for branch in block.branches
            )
        case While() | Repeat():
            here = is_sound(block.body, may_turn=True, may_multiply=may_multiply) and is_sound(
                block.then, may_turn=may_turn, may_multiply=may_multiply
            )
        case ForEach():
            here = bool(block.body) and is_sound(block.body, may_multiply=False)
        case Aside():
            here = _ends_well(block.tail) and all(is_sound(part) for part in parts_of(block))
    if not isinstance(block, Aside) and block.leaf is not None:
        here = here and _ends_well(block.leaf.tail) and is_sound(block.leaf.tail)
    return here


def _ends_well(tail: Seq) -> bool:
    return bool(tail) and isinstance(tail[-1], Step)


def _smaller(seq: Seq) -> Iterator[Seq]:
    for index, block in enumerate(seq):
        before, behind = seq[:index], seq[index + 1 :]
        yield (*before, *behind)
        for part in parts_of(block):
            yield (*before, *part, *behind)
        for simpler in _simpler(block):
            yield (*before, simpler, *behind)


def _simpler(block: Block) -> Iterator[Block]:
    if not isinstance(block, Step | Fork):
        yield from _shorter_tables(block)
    if isinstance(block, Step) and block.doubled:
        yield replace(block, doubled=False)
    if not isinstance(block, Aside) and block.leaf is not None:
        yield replace(block, leaf=None)
        for tail in _smaller(block.leaf.tail):
            yield replace(block, leaf=Leaf(tail))
    if isinstance(block, While | Repeat | ForEach):
        for body in _smaller(block.body):
            yield replace(block, body=body)
    if isinstance(block, While | Repeat):
        for then in _smaller(block.then):
            yield replace(block, then=then)
    if isinstance(block, Aside):
        for tail in _smaller(block.tail):
            yield replace(block, tail=tail)
    if isinstance(block, Choice | Aside | Fork):
        yield from _fewer_branches(block)


def _fewer_branches(block: Choice | Aside | Fork) -> Iterator[Block]:
    if isinstance(block, Fork):
        ways = block.branches
        for index, way in enumerate(ways):
            if len(ways) > 2:
                yield replace(block, branches=ways[:index] + ways[index + 1 :])
            for smaller in _smaller(way):
                yield replace(block, branches=(*ways[:index], smaller, *ways[index + 1 :]))
        return
    keyed = block.branches
    for index, (key, way) in enumerate(keyed):
        for smaller in _smaller(way):
            yield replace(block, branches=(*keyed[:index], (key, smaller), *keyed[index + 1 :]))


def _shorter_tables(
    block: Choice | Aside | Exit | While | Repeat | Spread | ForEach,
) -> Iterator[Block]:
    if isinstance(block, Spread | ForEach):
        for index, count in enumerate(block.counts):
            rest = block.counts[:index] + block.counts[index + 1 :]
            if rest:
                yield replace(block, counts=rest)
            if count:
                yield replace(
                    block, counts=(*block.counts[:index], count - 1, *block.counts[index + 1 :])
                )
        return
    for index in range(len(block.routes)):
        routes = block.routes[:index] + block.routes[index + 1 :]
        # A loop may lose its `go`; every other key has an edge and must stay in reach.
        whole = set(routes) == set(block.routes)
        stops = isinstance(block, While | Repeat) and routes[-1:] == ("stop",)
        if whole or stops:
            yield replace(block, routes=routes)
