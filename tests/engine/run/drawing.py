"""The flow document of a block tree."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from engine.flow.document import Edge, EdgeData, Flow, FlowSettings, Node
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

START, END = "s", "z"
Port = tuple[str, str | None]
Turned = tuple[Turn, Port]


def flow_of(tree: Seq, shuffled: random.Random | None = None, max_concurrency: int = 8) -> Flow:
    """The flow document: a start, the tree, and a last step behind it.

    `shuffled` puts nodes and edges into a random document order; the meaning must not change.
    """
    drawing = _Drawing()
    drawing.node(START, "start")
    ends, turns = drawing.seq((*tree, Step(END)), [(START, None)])
    assert ends == [(END, None)], "the last step is the only end"
    assert not turns, "an exit stands outside of any loop"
    nodes, edges = drawing.nodes, drawing.edges
    if shuffled is not None:
        shuffled.shuffle(nodes)
        shuffled.shuffle(edges)
    settings = FlowSettings(max_steps=100_000, max_iterations=1000, max_concurrency=max_concurrency)
    return Flow(id="random", nodes=tuple(nodes), edges=tuple(edges), settings=settings)


@dataclass
class _Drawing:
    """Nodes and edges so far. Each method draws a part and gives its open ends."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)

    def node(self, node_id: str, type_id: str, **config: object) -> None:
        self.nodes.append(Node(id=node_id, type=type_id, config=config))

    def connect(self, ports: list[Port], target: str, *, twice: bool = False) -> None:
        for source, key in ports:
            for _ in range(2 if twice else 1):
                data = EdgeData(route_key=key, edge_type="conditional" if key else "normal")
                name = f"e{len(self.edges)}"
                self.edges.append(Edge(id=name, source=source, target=target, data=data))

    def seq(self, seq: Seq, ports: list[Port]) -> tuple[list[Port], list[Turned]]:
        """The open ends of a sequence, and where it turns away."""
        turns: list[Turned] = []
        for block in seq:
            ports, out = self.block(block, ports)
            turns += out
        return ports, turns

    def block(self, block: Block, ports: list[Port]) -> tuple[list[Port], list[Turned]]:
        if not isinstance(block, Repeat):
            self.connect(ports, block.id, twice=isinstance(block, Step) and block.doubled)
        if not isinstance(block, Aside) and block.leaf is not None:
            self.aside(block.leaf.tail, [(block.id, None)])
        match block:
            case Step():
                self.node(block.id, "probe")
                return [(block.id, None)], []
            case Choice():
                self.node(block.id, "choose", by=block.by, routes=list(block.routes))
                return self.branches([(key, branch) for key, branch in block.branches], block.id)
            case Fork():
                self.node(block.id, "probe")
                return self.branches([(None, branch) for branch in block.branches], block.id)
            case Aside():
                self.node(block.id, "choose", by=block.by, routes=list(block.routes))
                meeting, _ = self.branches(list(block.branches), block.id)
                self.aside(block.tail, meeting)
                return [(block.id, None)], []
            case Exit():
                self.node(block.id, "choose", by=block.by, routes=list(block.routes))
                return [(block.id, "stay")], [(block.turn, (block.id, block.turn))]
            case Spread() | ForEach():
                return self.split(block)
            case While() | Repeat():
                return self.loop(block, ports)

    def branches(
        self, branches: list[tuple[str | None, Seq]], source: str
    ) -> tuple[list[Port], list[Turned]]:
        ends: list[Port] = []
        turns: list[Turned] = []
        for key, branch in branches:
            branch_ends, out = self.seq(branch, [(source, key)])
            ends += branch_ends
            turns += out
        return ends, turns

    def aside(self, tail: Seq, ports: list[Port]) -> None:
        _, turns = self.seq(tail, ports)
        assert not turns, "a part that never comes back cannot end the loop"

    def split(self, block: Spread | ForEach) -> tuple[list[Port], list[Turned]]:
        type_id = "trickle" if block.trickle else "spread"
        self.node(block.id, type_id, by=block.by, counts=list(block.counts))
        if isinstance(block, Spread):
            return [(block.id, None)], []
        ends, turns = self.seq(block.body, [(block.id, None)])
        assert not turns, "an exit would leave its item behind"
        self.nodes.append(Node(id=block.collect, type="probe", join="collect"))
        self.connect(list(dict.fromkeys(ends)), block.collect)
        return [(block.collect, None)], []

    def loop(self, block: While | Repeat, ports: list[Port]) -> tuple[list[Port], list[Turned]]:
        self.node(block.id, "choose", by="round", routes=list(block.routes))
        again: list[Port] = [(block.id, "go")]
        if isinstance(block, While):
            again, turns = self.seq(block.body, again)
        else:
            ends, turns = self.seq(block.body, ports)
            self.connect(ends, block.id)
        self.go_back([*again, *(port for turn, port in turns if turn == "again")], block)
        left, turns_outside = self.seq(block.then, [(block.id, "stop")])
        return [*left, *(port for turn, port in turns if turn == "break")], turns_outside

    def go_back(self, ports: list[Port], block: While | Repeat) -> None:
        first = block.body[0] if isinstance(block, Repeat) and block.body else None
        drawn = len(self.edges)
        self.connect(ports, head(block), twice=isinstance(first, Step) and first.doubled)
        for index in range(drawn, len(self.edges)):
            edge = self.edges[index]
            data = edge.data.model_copy(update={"edge_type": "loop_back"})
            self.edges[index] = edge.model_copy(update={"data": data})
