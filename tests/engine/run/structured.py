"""Random structured flows: block trees nested a few deep, and what their nodes mean.

Three node types do all the work. Each is a pure function of its id, its config, its inputs
(`{source: value}`) and at most the round of the innermost loop, so that no schedule changes it.
`lineage` holds the formulas, `probes` the node types, `oracle` the model.

`start`, `probe` — config: none. Gives `result_of(id, inputs)`: a value that tells its descent.

`choose` — config `by`, `routes`. Gives the same value on the route
    `picked(routes, by, round, inputs)`. Its handles are the keys in the table; it is
    condition-like. `by`: "round" = entry of that number, the last one for all later rounds (0
    outside of loops); "item" = entry of the item number; "value" = entry of a digest of the inputs.

`spread`, `trickle` — config `by`, `counts`. Give as many values as the table says (0 to 4):
    `results_of(id, inputs, count)`. `spread` returns them in one `Outputs`, `trickle` yields them.
    Its step's output is the list of its values.

A `probe` whose node has join `collect` receives `{source: [values in strand order]}`.

What the blocks of a tree mean (`blocks` draws them):

* the blocks of a sequence run one behind the other; what stands behind a block receives all that
  leaves it, and runs once for it;
* `Choice` runs one branch, `Fork` all of them; an empty branch is an edge to what stands behind;
* `While` decides at its head, `Repeat` at its end; a `Repeat` whose body begins with a loop shares
  its header and its count; a `Repeat` without a body is an edge from a node to itself;
* a loop's `then` runs when its decision stops it; `Exit` leaves the innermost loop from the middle
  and passes `then` by, or goes back to its head before the body's end;
* a `leaf` hangs off any node and never comes back: it runs once for each time its node does, with
  that value, and nobody waits for it; `Aside` is a condition whose branches meet in such a part;
* `Spread` lets everything that follows, joins and loops around it included, run once for each of
  its values; values from before it serve each of them; with none of them nothing follows, and a
  join runs with what its other branches bring. `ForEach` does so up to the node that collects;
  without any value that node does not run.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import strategies as st

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
)

DEEPEST = 3
ROUTE_KEYS = ("t", "f", "u")


@dataclass(frozen=True)
class Place:
    """Where a block is to stand, and so what it may be."""

    depth: int
    in_loop: bool = False
    may_turn: bool = False
    may_multiply: bool = True

    def deeper(self, **changes: bool) -> Place:
        """One level further in."""
        return replace(self, depth=self.depth + 1, **changes)


def random_tree(rng: random.Random, deepest: int = DEEPEST, most_nodes: int = 24) -> Seq:
    """A block tree. The same `rng` gives the same tree."""
    return _Maker(rng, deepest, most_nodes).seq(Place(0), least=2, most=4)


def trees(deepest: int = DEEPEST, most_nodes: int = 24) -> st.SearchStrategy[Seq]:
    """Block trees for Hypothesis, which shrinks the choices that were made."""
    rngs = st.randoms(use_true_random=False)
    return rngs.map(lambda rng: random_tree(rng, deepest, most_nodes))


class _Maker:
    def __init__(self, rng: random.Random, deepest: int, most_nodes: int) -> None:
        self.rng = rng
        self.deepest = deepest
        self.nodes_left = most_nodes
        self.named = 0

    def name(self, letter: str) -> str:
        self.named += 1
        self.nodes_left -= 1
        return f"{letter}{self.named}"

    def chance(self, percent: int) -> bool:
        return self.rng.randrange(100) < percent

    def seq(self, place: Place, least: int = 0, most: int = 3) -> Seq:
        return tuple(self.block(place) for _ in range(self.rng.randint(least, most)))

    def block(self, place: Place) -> Block:
        makers: list[Callable[[Place], Block]] = [self.step]
        if place.depth < self.deepest and self.nodes_left > 0:
            makers += [self.step, self.choice, self.fork, self.loop, self.loop, self.aside]
            makers.append(self.for_each)
            if place.may_multiply:
                makers.append(self.spread)
            if place.may_turn:
                makers += [self.exit, self.exit]
        return self.rng.choice(makers)(place)

    def leaf(self, place: Place) -> Leaf | None:
        if place.depth >= self.deepest or self.nodes_left <= 0 or not self.chance(15):
            return None
        return Leaf(self.tail(place))

    def tail(self, place: Place) -> Seq:
        inside = Place(place.depth + 1)
        return (*self.seq(inside, most=2), Step(self.name("l")))

    def step(self, place: Place) -> Step:
        return Step(self.name("n"), doubled=self.chance(10), leaf=self.leaf(place))

    def by(self, place: Place) -> str:
        return self.rng.choice(["item", "value", *(["round"] * 2 if place.in_loop else [])])

    def routes(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        table = [*keys, *(self.rng.choice(keys) for _ in range(self.rng.randint(0, 2)))]
        self.rng.shuffle(table)
        return tuple(table)

    def choice(self, place: Place) -> Choice:
        name, keys = self.name("c"), ROUTE_KEYS[: self.rng.randint(2, 3)]
        branches = tuple((key, self.seq(place.deeper(), most=2)) for key in keys)
        return Choice(name, self.by(place), self.routes(keys), branches, self.leaf(place))

    def aside(self, place: Place) -> Aside:
        name, keys = self.name("a"), ROUTE_KEYS[: self.rng.randint(2, 3)]
        inside = Place(place.depth + 1)
        branches = tuple((key, self.seq(inside, most=1)) for key in keys)
        return Aside(name, self.by(place), self.routes(keys), branches, self.tail(place))

    def fork(self, place: Place) -> Fork:
        name, count = self.name("f"), self.rng.randint(2, 4)
        splitting = self.rng.randrange(count)
        branches = tuple(
            self.seq(
                place.deeper(
                    may_turn=False, may_multiply=place.may_multiply and index == splitting
                ),
                most=2,
            )
            for index in range(count)
        )
        return Fork(name, branches, self.leaf(place))

    def loop(self, place: Place) -> While | Repeat:
        at_head = self.chance(50)
        name = self.name("h" if at_head else "r")
        rounds = ("go",) * self.rng.randint(0, 3)
        body = self.seq(place.deeper(in_loop=True, may_turn=True))
        then = self.seq(place.deeper(), most=2) if self.chance(30) else ()
        kind = While if at_head else Repeat
        return kind(name, (*rounds, "stop"), body, then, self.leaf(place))

    def exit(self, place: Place) -> Exit:
        if self.chance(40):
            # By the round, and staying in the end: else the loop would never end.
            return Exit(self.name("b"), "again", "round", self.stays("again"), self.leaf(place))
        return Exit(self.name("b"), "break", self.by(place), self.stays("break"), self.leaf(place))

    def stays(self, turn: str) -> tuple[str, ...]:
        table = [turn, *(self.rng.choice([turn, "stay"]) for _ in range(self.rng.randint(0, 2)))]
        self.rng.shuffle(table)
        return (*table, "stay")

    def counts(self) -> tuple[int, ...]:
        return tuple(self.rng.choice([0, 1, 2, 2, 3, 4]) for _ in range(self.rng.randint(1, 3)))

    def spread(self, place: Place) -> Spread:
        name = self.name("g")
        return Spread(name, self.by(place), self.counts(), self.chance(50), self.leaf(place))

    def for_each(self, place: Place) -> ForEach:
        name, collect = self.name("g"), self.name("k")
        body = self.seq(place.deeper(may_turn=False, may_multiply=False), least=1, most=2)
        by, counts = self.by(place), self.counts()
        return ForEach(name, by, counts, body, collect, self.chance(50), self.leaf(place))
