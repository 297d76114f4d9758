"""What follows from how a flow is drawn: back edges, loops, order, reachability.

Pure functions of the document. Each level of the flow (the top, and the inside of each box)
has a structure of its own. Nodes and edges are numbered in document order; sets of nodes are
bit masks, so that a test is one integer operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from engine.flow.document import Edge, Flow, Node
from engine.flow.graph import Graph, back_edges, reach, reached, topological_ranks

RouteKeyOf = Callable[[Node, Edge, bool], str | None]


def drawn_route_key(node: Node, edge: Edge, is_back: bool) -> str | None:
    """The route key as it stands on the edge; node types may say otherwise for unlabelled edges."""
    return edge.data.route_key


@dataclass(frozen=True)
class Loop:
    """A loop: its header, the nodes in it (a mask) and the edges that go back to the header."""

    header: int
    nodes: int
    back_edges: tuple[int, ...]


@dataclass(frozen=True)
class Structure:
    """One level of a flow, numbered.

    Attributes:
        nodes: In document order; a node's number is its place here.
        edges: With both ends in this level, in document order.
        source: Node number per edge.
        target: Node number per edge.
        back: Whether each edge is a back edge.
        rank: Topological rank per node, ties by document order.
        starts: Nodes at which a run starts.
        loops: By header.
        holders: Per node, the headers of the loops that hold it, outermost first.
        keys: Effective route key per edge.
        drops: Per edge, the loops that a token leaves for good on it.
        carries: Per edge, the loops whose round a token on it may still belong to.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    source: tuple[int, ...]
    target: tuple[int, ...]
    back: tuple[bool, ...]
    rank: tuple[int, ...]
    starts: tuple[int, ...]
    loops: dict[int, Loop]
    holders: tuple[tuple[int, ...], ...]
    keys: tuple[str | None, ...]
    drops: tuple[frozenset[int], ...]
    carries: tuple[frozenset[int], ...]
    retreating: frozenset[int]
    _reach_cache: dict[tuple[int, frozenset[int]], int] = field(default_factory=dict)

    @cached_property
    def index(self) -> dict[str, int]:
        """Node number by id."""
        return {node.id: number for number, node in enumerate(self.nodes)}

    @cached_property
    def edge_index(self) -> dict[str, int]:
        """Edge number by id."""
        return {edge.id: number for number, edge in enumerate(self.edges)}

    @cached_property
    def incoming(self) -> tuple[tuple[int, ...], ...]:
        """Edge numbers into each node."""
        return _edges_by_end(len(self.nodes), self.target)

    @cached_property
    def outgoing(self) -> tuple[tuple[int, ...], ...]:
        """Edge numbers out of each node."""
        return _edges_by_end(len(self.nodes), self.source)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Node numbers in topological order."""
        return tuple(sorted(range(len(self.nodes)), key=self.rank.__getitem__))

    @cached_property
    def reached(self) -> int:
        """Mask of the nodes that a run can reach."""
        return reach(self.graph, self.starts)

    @cached_property
    def graph(self) -> Graph:
        """The bare graph."""
        return Graph(len(self.nodes), self.source, self.target)

    def feeders(self, edge: int, barred: frozenset[int]) -> int:
        """Mask of the nodes from which a running step can still put a token on `edge`.

        No way through the waiting node counts, nor one into a header in `barred` (the loops
        in whose round the node waits: that would be another round).
        """
        known = self._reach_cache.get((edge, barred))
        if known is None:
            stops = {self.target[edge], *barred}
            known = self._reach_cache[edge, barred] = _backwards(self, self.source[edge], stops)
        return known


def _backwards(structure: Structure, first: int, stops: set[int]) -> int:
    """Mask of `first` and all that reach it without a way through one of `stops`."""
    found, queue = 1 << first, [first]
    while queue:
        node = queue.pop()
        if node in stops:
            continue
        for edge in structure.incoming[node]:
            before = structure.source[edge]
            if not found >> before & 1:
                found |= 1 << before
                queue.append(before)
    return found


def analyse(
    flow: Flow, parent: str | None = None, route_key_of: RouteKeyOf = drawn_route_key
) -> Structure:
    """The structure of one level of a flow; `parent` None is the top level."""
    nodes = flow.children(parent)
    number = {node.id: place for place, node in enumerate(nodes)}
    edges = tuple(e for e in flow.edges if e.source in number and e.target in number)
    source = tuple(number[edge.source] for edge in edges)
    target = tuple(number[edge.target] for edge in edges)
    graph = Graph(len(nodes), source, target)
    starts = _starts(nodes, source, target, in_box=parent is not None)
    marked = [edge.data.edge_type == "loop_back" for edge in edges]
    back, retreating = back_edges(graph, starts, marked)
    rank = topological_ranks(graph, back)
    loops = _loops(graph, back, rank)
    keys = tuple(route_key_of(nodes[source[e]], edge, back[e]) for e, edge in enumerate(edges))
    drops, carries = _leaving(graph, loops, edges, keys)
    return Structure(
        nodes=nodes,
        edges=edges,
        source=source,
        target=target,
        back=tuple(back),
        rank=tuple(rank),
        starts=starts,
        loops=loops,
        holders=_holders(len(nodes), loops, rank),
        keys=keys,
        drops=drops,
        carries=carries,
        retreating=retreating,
    )


def _starts(
    nodes: Sequence[Node], source: Sequence[int], target: Sequence[int], *, in_box: bool
) -> tuple[int, ...]:
    """Start nodes, and whatever has edges out but none in; in a box also a node without any."""
    entered, left = set(target), set(source)
    return tuple(
        place
        for place, node in enumerate(nodes)
        if node.type == "start" or (place not in entered and (in_box or place in left))
    )


def _loops(graph: Graph, back: Sequence[bool], rank: Sequence[int]) -> dict[int, Loop]:
    returning: dict[int, list[int]] = {}
    for edge, is_back in enumerate(back):
        if is_back:
            returning.setdefault(graph.target[edge], []).append(edge)
    forward = graph.without(back)
    loops: dict[int, Loop] = {}
    for header in sorted(returning, key=rank.__getitem__):
        sources = [graph.source[edge] for edge in returning[header]]
        # A way back through the header of a loop around this one would be a round of that loop.
        around = [outer for outer, loop in loops.items() if loop.nodes >> header & 1]
        leading_back = reached(graph.reversed, sources, barred={header, *around})
        nodes = reach(forward, [header], inside=leading_back)
        loops[header] = Loop(header, nodes, tuple(returning[header]))
    return loops


def _holders(
    count: int, loops: dict[int, Loop], rank: Sequence[int]
) -> tuple[tuple[int, ...], ...]:
    headers = sorted(loops, key=rank.__getitem__)
    return tuple(
        tuple(header for header in headers if loops[header].nodes >> node & 1)
        for node in range(count)
    )


def _leaving(
    graph: Graph, loops: dict[int, Loop], edges: Sequence[Edge], keys: Sequence[str | None]
) -> tuple[tuple[frozenset[int], ...], tuple[frozenset[int], ...]]:
    """Per edge: the loops it leaves for good, and those whose round it may carry.

    An edge that leaves a loop *instead of* going on in it ends the loop, and the round is
    forgotten. An edge that leaves while the loop goes on beside it (a side branch) keeps the
    round, so that a join further on never mixes two rounds.
    """
    drops: list[set[int]] = [set() for _ in edges]
    carries: list[set[int]] = [set() for _ in edges]
    for header, loop in loops.items():
        side: list[int] = []
        for edge in _edges_out_of(graph, loop.nodes):
            if loop.nodes >> graph.target[edge] & 1:
                carries[edge].add(header)
            elif _ends_loop(graph, loop, edges, keys, edge):
                drops[edge].add(header)
            else:
                carries[edge].add(header)
                side.append(graph.target[edge])
        for edge in _edges_out_of(graph, reach(graph, side) & ~loop.nodes) if side else ():
            carries[edge].add(header)
    return tuple(map(frozenset, drops)), tuple(map(frozenset, carries))


def _edges_out_of(graph: Graph, nodes: int) -> Iterator[int]:
    while nodes:
        lowest = nodes & -nodes
        yield from graph.outgoing[lowest.bit_length() - 1]
        nodes ^= lowest


def _ends_loop(
    graph: Graph, loop: Loop, edges: Sequence[Edge], keys: Sequence[str | None], edge: int
) -> bool:
    """Whether taking `edge` excludes going on in the loop from the same node."""
    companions = [
        other
        for other in graph.outgoing[graph.source[edge]]
        if loop.nodes >> graph.target[other] & 1 and keys[other] in (None, keys[edge])
    ]
    if keys[edge] is not None:
        return not companions
    if edges[edge].data.condition is None:
        return False
    return all(edges[other].data.condition is not None for other in companions)


def _edges_by_end(count: int, ends: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    found: list[list[int]] = [[] for _ in range(count)]
    for edge, node in enumerate(ends):
        found[node].append(edge)
    return tuple(map(tuple, found))
