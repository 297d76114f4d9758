"""What a block tree must do, worked out on the tree itself: no graph, no edges, no waiting.

A block takes all the tokens that ever reach it and gives all that ever leave it. Since a node
waits for whatever can still arrive, it meets its tokens together, and only three things need
care:

- *Strands.* Each value of a split lives on its own way (`Token.way`): the splits it came through,
  by step and index. A token from before a split serves every value of it, so a node fires once
  for each way that no other token goes beyond, and takes all tokens on that way.
- *Rounds.* Each token knows the round of every loop around it (`Token.rounds`).
- *Shared headers.* A loop whose body begins with another loop has the same header: one count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.engine.run.blocks import (
    Aside,
    Block,
    Choice,
    Exit,
    ForEach,
    Fork,
    Repeat,
    Seq,
    Spread,
    Step,
    Turn,
    While,
    head,
)
from tests.engine.run.drawing import END, START
from tests.engine.run.lineage import picked, result_of, results_of
from tests.engine.run.strands import Meeting, Token, Tokens, in_round, meetings, once, outside

Loops = tuple[str, ...]
Turned = list[tuple[Turn, Token]]


class TooLarge(Exception):  # noqa: N818 - not an error: the flow is no good for a quick test
    """The flow takes more steps than the caller wants to run."""


@dataclass(frozen=True)
class Visit:
    """One step: which node ran, with what, and what it gave (a list for a split)."""

    node_id: str
    inputs: Mapping[str, Any]
    output: Any


@dataclass
class Expected:
    """All steps of a run, and the values that went nowhere: the ends of the flow."""

    visits: list[Visit]
    ends: list[Any]


def expected_of(tree: Seq, most_steps: int = 1000) -> Expected:
    """The run of `blocks.flow_of(tree)`.

    Raises:
        TooLarge: It takes more than `most_steps` steps.
    """
    model = _Model(most_steps)
    begin = model.visit(START, {}, result_of(START, {}))
    ends, turned = model.seq((*tree, Step(END)), [Token(START, begin.output)], ())
    assert not turned
    return Expected(model.visits, model.ends + [token.value for token in ends])


@dataclass
class _Model:
    most_steps: int
    visits: list[Visit] = field(default_factory=list)
    ends: list[Any] = field(default_factory=list)

    def visit(self, node_id: str, inputs: Mapping[str, Any], output: Any) -> Visit:
        if len(self.visits) >= self.most_steps:
            raise TooLarge
        self.visits.append(Visit(node_id, inputs, output))
        return self.visits[-1]

    def seq(self, seq: Seq, tokens: Tokens, loops: Loops) -> tuple[Tokens, Turned]:
        """What leaves a sequence at its end, and what turns away before it."""
        turned: Turned = []
        for block in seq:
            tokens, out = self.block(block, tokens, loops)
            turned += out
        return tokens, turned

    def aside(self, tail: Seq, token: Token) -> None:
        """A part that never comes back: outside of all loops, and on its own each time."""
        fresh = Token(token.source, token.value, token.way)
        ends, turned = self.seq(tail, [fresh], ())
        assert not turned
        self.ends += [token.value for token in ends]

    def block(self, block: Block, tokens: Tokens, loops: Loops) -> tuple[Tokens, Turned]:
        match block:
            case Step():
                return self.step(block, tokens), []
            case Fork():
                given = self.step(block, tokens)
                return self.all_of([(branch, given) for branch in block.branches], loops)
            case Choice() | Aside() | Exit():
                return self.choice(block, tokens, loops)
            case Spread() | ForEach():
                return self.split(block, tokens, loops)
            case While() | Repeat():
                return self.loop(block, tokens, loops)

    def all_of(self, branches: list[tuple[Seq, Tokens]], loops: Loops) -> tuple[Tokens, Turned]:
        ends: Tokens = []
        turned: Turned = []
        for branch, tokens in branches:
            branch_ends, out = self.seq(branch, tokens, loops)
            ends += branch_ends
            turned += out
        return ends, turned

    def step(self, block: Step | Fork, tokens: Tokens) -> Tokens:
        given: Tokens = []
        for meeting in meetings(tokens):
            output = result_of(block.id, meeting.inputs)
            self.visit(block.id, meeting.inputs, output)
            given.append(meeting.token(block.id, output))
            self.leaf(block, given[-1:])
        return given

    def leaf(self, block: Block, tokens: Tokens) -> None:
        if not isinstance(block, Aside) and block.leaf is not None:
            for token in tokens:
                self.aside(block.leaf.tail, token)

    def decide(
        self, block: Choice | Aside | Exit | While | Repeat, tokens: Tokens, loops: Loops
    ) -> dict[str, Tokens]:
        """The tokens on each route."""
        taken: dict[str, Tokens] = {key: [] for key in block.routes}
        by = "round" if isinstance(block, While | Repeat) else block.by
        for meeting in meetings(tokens):
            round_number = meeting.rounds[loops[-1]] if loops else 0
            key = picked(block.routes, by, round_number, meeting.inputs)
            output = result_of(block.id, meeting.inputs)
            self.visit(block.id, meeting.inputs, output)
            taken[key].append(meeting.token(block.id, output))
            self.leaf(block, taken[key][-1:])
        return taken

    def choice(
        self, block: Choice | Aside | Exit, tokens: Tokens, loops: Loops
    ) -> tuple[Tokens, Turned]:
        taken = self.decide(block, tokens, loops)
        if isinstance(block, Exit):
            turned = taken.get(block.turn, [])
            return taken.get("stay", []), [(block.turn, token) for token in turned]
        if isinstance(block, Choice):
            branches = [(branch, taken.get(key, [])) for key, branch in block.branches]
            return self.all_of(branches, loops)
        for key, branch in block.branches:
            for token in taken.get(key, []):
                self.aside((*branch, *block.tail), token)
        return [token for key in taken for token in taken[key]], []

    def split(self, block: Spread | ForEach, tokens: Tokens, loops: Loops) -> tuple[Tokens, Turned]:
        given: Tokens = []
        for meeting in meetings(tokens):
            round_number = meeting.rounds[loops[-1]] if loops else 0
            count = picked(block.counts, block.by, round_number, meeting.inputs)
            values = results_of(block.id, meeting.inputs, count)
            self.visit(block.id, meeting.inputs, values)
            step = len(self.visits)
            items = [
                meeting.token(block.id, value, (step, index)) for index, value in enumerate(values)
            ]
            self.leaf(block, items)
            given += items if isinstance(block, Spread) else self.each(block, meeting, items, loops)
        return given, []

    def each(self, block: ForEach, meeting: Meeting, items: Tokens, loops: Loops) -> Tokens:
        """The one token of the node that collects what the items gave; none if there are none."""
        ends: Tokens = []
        for item in items:
            done, turned = self.seq(block.body, [item], loops)
            assert not turned
            ends += once(done)
        if not ends:
            return []
        inputs: dict[str, list[Any]] = {}
        for token in ends:
            inputs.setdefault(token.source, []).append(token.value)
        output = result_of(block.collect, inputs)
        self.visit(block.collect, inputs, output)
        return [meeting.token(block.collect, output)]

    def loop(self, block: While | Repeat, tokens: Tokens, loops: Loops) -> tuple[Tokens, Turned]:
        header = head(block)
        shared = header in loops
        inside = loops if shared else (*loops, header)
        if not shared:
            tokens = [in_round(token, header, 0) for token in tokens]
        stopped: Tokens = []
        broken: Tokens = []
        while tokens:
            again, stop, turned = self.one_round(block, tokens, inside)
            stopped += stop
            broken += [token for turn, token in turned if turn == "break"]
            again += [token for turn, token in turned if turn == "again"]
            tokens = [in_round(token, header, token.rounds[header] + 1) for token in again]
        if not shared:
            stopped = [outside(token, header) for token in stopped]
            broken = [outside(token, header) for token in broken]
        left, turned_outside = self.seq(block.then, stopped, loops)
        return left + broken, turned_outside

    def one_round(
        self, block: While | Repeat, tokens: Tokens, loops: Loops
    ) -> tuple[Tokens, Tokens, Turned]:
        """What goes back to the header, what stops, and what turns away in the body."""
        if isinstance(block, While):
            taken = self.decide(block, tokens, loops)
            again, turned = self.seq(block.body, taken.get("go", []), loops)
        else:
            ends, turned = self.seq(block.body, tokens, loops)
            taken = self.decide(block, ends, loops)
            again = taken.get("go", [])
        return again, taken.get("stop", []), turned
