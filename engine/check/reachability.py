"""What comes after each node of a graph, cycles included, as bit masks."""

from __future__ import annotations

from collections.abc import Sequence


def descendants(successors: Sequence[Sequence[int]]) -> list[int]:
    """Per node the mask of those that its edges lead to, at any distance.

    A node is in its own mask only if it lies on a cycle.

    Args:
        successors: Per node, the nodes that its edges point at.
    """
    masks = [0] * len(successors)
    for members in _components(successors):
        own = sum(1 << node for node in members)
        # Components come after those that they lead to, so their masks are ready.
        beyond = 0
        on_cycle = len(members) > 1
        for node in members:
            for after in successors[node]:
                if own >> after & 1:
                    on_cycle = True
                else:
                    beyond |= 1 << after | masks[after]
        for node in members:
            masks[node] = beyond | own if on_cycle else beyond
    return masks


def _components(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strongly connected components, each after those that it leads to.

    Source: Tarjan 1972, "Depth-first search and linear graph algorithms".
    """
    found: list[list[int]] = []
    number = [-1] * len(successors)
    low = [0] * len(successors)
    open_nodes: list[int] = []
    is_open = [False] * len(successors)
    clock = 0
    for first in range(len(successors)):
        if number[first] >= 0:
            continue
        walk = [(first, iter(successors[first]))]
        while walk:
            node, edges = walk[-1]
            if number[node] < 0:
                number[node] = low[node] = clock
                clock += 1
                open_nodes.append(node)
                is_open[node] = True
            after = next(edges, -1)
            if after < 0:
                walk.pop()
                if walk:
                    above = walk[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == number[node]:
                    found.append(_closed(node, open_nodes, is_open))
            elif number[after] < 0:
                walk.append((after, iter(successors[after])))
            elif is_open[after]:
                low[node] = min(low[node], number[after])
    return found


def _closed(root: int, open_nodes: list[int], is_open: list[bool]) -> list[int]:
    members = []
    while True:
        node = open_nodes.pop()
        is_open[node] = False
        members.append(node)
        if node == root:
            return members
