"""Bare graph algorithms on numbered nodes: dominators, back edges, order, reachability."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush


class Graph:
    """Nodes 0..count-1 and edges as two lists of ends, in document order."""

    def __init__(
        self,
        count: int,
        source: Sequence[int],
        target: Sequence[int],
        kept: Sequence[bool] | None = None,
    ) -> None:
        self.count = count
        self.source = source
        self.target = target
        self._kept = kept

    @cached_property
    def outgoing(self) -> list[list[int]]:
        """Edge numbers out of each node."""
        found: list[list[int]] = [[] for _ in range(self.count)]
        for edge, node in enumerate(self.source):
            if self._kept is None or self._kept[edge]:
                found[node].append(edge)
        return found

    @cached_property
    def reversed(self) -> Graph:
        """The same graph with every edge turned round."""
        return Graph(self.count, self.target, self.source, self._kept)

    def without(self, gone: Sequence[bool]) -> Graph:
        """The graph less the edges marked in `gone`; edges keep their numbers."""
        kept = [
            not gone[edge] and (self._kept is None or self._kept[edge])
            for edge in range(len(self.source))
        ]
        return Graph(self.count, self.source, self.target, kept)

    def successors(self, node: int) -> Iterable[int]:
        """The nodes that edges of `node` point at."""
        return (self.target[edge] for edge in self.outgoing[node])


def reach(
    graph: Graph,
    first: Iterable[int],
    barred: Collection[int] = (),
    inside: Collection[int] | None = None,
) -> int:
    """Mask of the nodes that can be reached from `first`, themselves included.

    `barred` may be reached but not passed through; nothing outside `inside` is looked at.
    """
    return mask_of(reached(graph, first, barred, inside))


def reached(
    graph: Graph,
    first: Iterable[int],
    barred: Collection[int] = (),
    inside: Collection[int] | None = None,
) -> set[int]:
    """As `reach`, as a set: quick where few of many nodes are reached."""
    found = set(first)
    queue = list(found)
    while queue:
        node = queue.pop()
        if node in barred:
            continue
        for after in graph.successors(node):
            if after not in found and (inside is None or after in inside):
                found.add(after)
                queue.append(after)
    return found


def mask_of(nodes: Iterable[int]) -> int:
    """The nodes as bits of one number."""
    mask = 0
    for node in nodes:
        mask |= 1 << node
    return mask


def back_edges(
    graph: Graph, starts: Sequence[int], marked: Sequence[bool]
) -> tuple[list[bool], frozenset[int]]:
    """Which edges close a loop, and which of those were found only by a walk.

    First every edge whose target dominates its source; then marked edges on the cycles that
    remain, in document order; then the retreating edges of a depth-first walk.
    """
    back = _dominated(graph, starts)
    if cyclic_nodes(graph.without(back)):
        for edge in [edge for edge, is_marked in enumerate(marked) if is_marked]:
            rest = graph.without(back)
            if not back[edge] and _on_cycle(rest, edge):
                back[edge] = True
    rest = graph.without(back)
    retreating = frozenset(_retreating(rest, starts)) if cyclic_nodes(rest) else frozenset()
    for edge in retreating:
        back[edge] = True
    return back, retreating


def _on_cycle(graph: Graph, edge: int) -> bool:
    return bool(reach(graph, [graph.target[edge]]) >> graph.source[edge] & 1)


def _dominated(graph: Graph, starts: Sequence[int]) -> list[bool]:
    """Edges whose target dominates their source; every self-edge."""
    tree = _dominator_tree(graph, starts)
    entered, left = _tree_times(tree, graph.count)
    result = []
    for source, target in zip(graph.source, graph.target, strict=True):
        known = entered[source] >= 0 and entered[target] >= 0
        inside = known and entered[target] <= entered[source] and left[source] <= left[target]
        result.append(source == target or inside)
    return result


def _dominator_tree(graph: Graph, starts: Sequence[int]) -> list[int]:
    """Immediate dominator per node; `count` is the root before all starts, -1 not reached.

    Source: Cooper, Harvey and Kennedy 2001, "A simple, fast dominance algorithm".
    """
    root = graph.count
    postorder = [*_postorder(graph, starts), root]
    place = {node: number for number, node in enumerate(postorder)}
    immediate = [-1] * (graph.count + 1)
    immediate[root] = root
    entries = set(starts)
    changed = True
    while changed:
        changed = False
        for node in reversed(postorder[:-1]):
            before = [graph.source[edge] for edge in graph.reversed.outgoing[node]]
            known = [p for p in before if p in place and immediate[p] >= 0]
            best = root if node in entries else known[0]
            for other in known:
                best = _meet(best, other, immediate, place)
            if immediate[node] != best:
                immediate[node] = best
                changed = True
    return immediate


def _meet(one: int, other: int, immediate: list[int], place: dict[int, int]) -> int:
    while one != other:
        while place[one] < place[other]:
            one = immediate[one]
        while place[other] < place[one]:
            other = immediate[other]
    return one


def _tree_times(tree: list[int], root: int) -> tuple[list[int], list[int]]:
    """When a walk of the dominator tree enters and leaves each node; -1 where it never comes."""
    children: list[list[int]] = [[] for _ in tree]
    for node, above in enumerate(tree):
        if node != root and above >= 0:
            children[above].append(node)
    entered, left, clock = [-1] * len(tree), [-1] * len(tree), 0
    stack: list[tuple[int, bool]] = [(root, False)]
    while stack:
        node, done = stack.pop()
        clock += 1
        if done:
            left[node] = clock
            continue
        entered[node] = clock
        stack.append((node, True))
        stack.extend((child, False) for child in children[node])
    return entered, left


def _postorder(graph: Graph, starts: Sequence[int]) -> list[int]:
    seen, result = set(), []
    for start in starts:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(graph.outgoing[start]))]
        while stack:
            node, edges = stack[-1]
            for edge in edges:
                after = graph.target[edge]
                if after not in seen:
                    seen.add(after)
                    stack.append((after, iter(graph.outgoing[after])))
                    break
            else:
                result.append(node)
                stack.pop()
    return result


def _retreating(graph: Graph, starts: Sequence[int]) -> list[int]:
    """Edges that lead back onto the path of a depth-first walk in document order."""
    found: list[int] = []
    seen: set[int] = set()
    for first in [*starts, *range(graph.count)]:
        if first in seen:
            continue
        seen.add(first)
        on_path = {first}
        stack = [(first, iter(graph.outgoing[first]))]
        while stack:
            node, edges = stack[-1]
            for edge in edges:
                after = graph.target[edge]
                if after in on_path:
                    found.append(edge)
                elif after not in seen:
                    seen.add(after)
                    on_path.add(after)
                    stack.append((after, iter(graph.outgoing[after])))
                    break
            else:
                on_path.discard(node)
                stack.pop()
    return found


def cyclic_nodes(graph: Graph) -> frozenset[int]:
    """The nodes that no topological order can place: those on or behind a cycle."""
    ranks = _kahn(graph)
    return frozenset(node for node, rank in enumerate(ranks) if rank < 0)


def topological_ranks(graph: Graph, back: Sequence[bool]) -> list[int]:
    """Rank of each node over the forward edges, ties by number."""
    return _kahn(graph.without(back))


def _kahn(graph: Graph) -> list[int]:
    waiting = [0] * graph.count
    for node in range(graph.count):
        for after in graph.successors(node):
            waiting[after] += 1
    ready = [node for node in range(graph.count) if waiting[node] == 0]
    heapify(ready)
    ranks, rank = [-1] * graph.count, 0
    while ready:
        node = heappop(ready)
        ranks[node] = rank
        rank += 1
        for after in graph.successors(node):
            waiting[after] -= 1
            if waiting[after] == 0:
                heappush(ready, after)
    return ranks
