"""A run's condition carried over to another document: nodes and edges found again by their ids."""

from __future__ import annotations

from typing import Any

from engine.errors import RunError
from engine.run.frames import is_loop_key, rank_of
from engine.run.plan import LevelPlan, Plan


def transplant(record: dict[str, Any], old: Plan, new: Plan) -> dict[str, Any]:
    """A snapshot's record as the other plan numbers its nodes and edges.

    What is only remembered (outputs, kept values, ends) is left out where its node is gone.

    Raises:
        RunError: A step is under way, or a value waits, where the other document has nothing; the
            message names every such place.
    """
    levels = _Levels(old, new)
    parent_of = {scope["path"]: scope["parent"] for scope in record["scopes"]}
    firings = [_firing(levels, parent_of[f["path"]], f) for f in record["firings"]]
    scopes = [_scope(levels.between(scope["parent"]), scope) for scope in record["scopes"]]
    if levels.missing:
        listed = "; ".join(levels.missing)
        msg = f"The run cannot go on with this flow: {listed}."
        hint = "Give the flow these back, or fork at a step where they are not needed."
        raise RunError(msg, hint)
    return {**record, "firings": firings, "scopes": scopes}


class _Levels:
    """The pairs of levels, made when asked for, and everything that was not found."""

    def __init__(self, old: Plan, new: Plan) -> None:
        self._old, self._new = old, new
        self._made: dict[str | None, _Pair] = {}
        self._missing: dict[str, None] = {}

    @property
    def missing(self) -> list[str]:
        """What was not found, in words, each once."""
        return list(self._missing)

    def between(self, parent: str | None) -> _Pair:
        """The pair of levels inside this box; None is the top."""
        if parent not in self._made:
            pair = _Pair(self._old.level(parent), self._new.level(parent), self)
            self._made[parent] = pair
        return self._made[parent]

    def note(self, what: str) -> None:
        """Remembers that something is missing."""
        self._missing[what] = None

    def is_node(self, node: str) -> bool:
        """Whether the other document has a node of this id anywhere."""
        return node in self._new.flow.node_by_id


class _Pair:
    """One level in both documents."""

    def __init__(self, old: LevelPlan, new: LevelPlan, levels: _Levels) -> None:
        self.old, self.new, self._levels = old, new, levels

    def find_node(self, number: int) -> int | None:
        """The node's number in the other document; None when it is not at this level."""
        return self.new.structure.index.get(self.old.ids[number])

    def node(self, number: int, why: str) -> int:
        """As `find_node`; a missing one is noted with the reason why it is needed."""
        found = self.find_node(number)
        if found is None:
            name = self.old.ids[number]
            where = "is not in the same box any more" if self._levels.is_node(name) else "is gone"
            self._levels.note(f"node '{name}' {where} ({why})")
            return 0
        return found

    def find_edge(self, number: int) -> int | None:
        """The edge's number, if it still leads to the same node."""
        edge = self.old.structure.edges[number]
        found = self.new.structure.edge_index.get(edge.id)
        if found is None or self.new.structure.edges[found].target != edge.target:
            return None
        return found

    def edge(self, number: int, why: str) -> int:
        """As `find_edge`; a missing one is noted."""
        found = self.find_edge(number)
        if found is None:
            edge = self.old.structure.edges[number]
            self._levels.note(f"edge '{edge.id}' to node '{edge.target}' is gone ({why})")
            return 0
        return found

    def frame(self, items: Any) -> list[list[int]]:
        """The frame with its keys moved to the new ranks; rounds of what is no loop now go."""
        moved = []
        for key, first, second in items:
            number = self.old.structure.order[rank_of(key)]
            node = self.node(number, "its rounds or strands are under way")
            if is_loop_key(key) and node not in self.new.structure.loops:
                continue
            moved.append([self.new.structure.rank[node] * 4 + (key & 3), first, second])
        return sorted(moved)

    def find_frame(self, items: Any) -> list[list[int]] | None:
        """As `frame`, for what is only remembered; None when a node of it is gone."""
        numbers = [self.old.structure.order[rank_of(item[0])] for item in items]
        if any(self.find_node(number) is None for number in numbers):
            return None
        return self.frame(items)


def _firing(levels: _Levels, parent: str | None, record: dict[str, Any]) -> dict[str, Any]:
    pair = levels.between(parent)
    name = pair.old.ids[record["node"]]
    node = pair.node(record["node"], "a step of it is under way")
    plan = pair.new.nodes[node] if pair.new.nodes else None
    holds = plan is not None and plan.kind is not None and plan.kind.meta.has_children
    if record.get("box") is not None and not holds and pair.new.ids[node : node + 1] == (name,):
        levels.note(f"node '{name}' is no box any more (its items are under way)")
    same_type = plan is not None and plan.node.type == pair.old.nodes[record["node"]].node.type
    return {
        **record,
        "node": node,
        "frame": pair.frame(record["frame"]),
        "sent": [pair.edge(edge, "a value is about to leave on it") for edge in record["sent"]],
        "answers": record["answers"] if same_type else [],
        "started": record["started"] if same_type else None,
    }


def _scope(pair: _Pair, record: dict[str, Any]) -> dict[str, Any]:
    kept = [(pair.find_node(node), known) for node, known in record["outputs"]]
    return {
        **record,
        "ends": [[node, value] for node, value in record["ends"] if _has(pair, node)],
        "lines": [[pair.node(n, "a step of it is under way"), line] for n, line in record["lines"]],
        "outputs": [[node, _frames(pair, known)] for node, known in kept if node is not None],
        "room": _room(pair, record["room"]),
    }


def _has(pair: _Pair, node: str) -> bool:
    return node in pair.new.structure.index


def _frames(pair: _Pair, known: list[Any]) -> list[Any]:
    moved = [(pair.find_frame(frame), value) for frame, value in known]
    return [[frame, value] for frame, value in moved if frame is not None]


def _room(pair: _Pair, record: dict[str, Any]) -> dict[str, Any]:
    entries = [(pair.find_node(node), entry) for node, entry in record["entries"]]
    fired = [(pair.find_node(node), frames) for node, frames in record["first_fired"]]
    return {
        **record,
        "entries": [[node, entry] for node, entry in entries if node is not None],
        "fresh": [_token(pair, token) for token in record["fresh"]],
        "outer": _kept(pair, record["outer"]),
        "static": _kept(pair, record["static"]),
        "first_fired": [
            [node, [f for f in map(pair.find_frame, frames) if f is not None]]
            for node, frames in fired
            if node is not None
        ],
    }


def _token(pair: _Pair, token: list[Any]) -> list[Any]:
    order, edge, frame, value = token
    return [order, pair.edge(edge, "a value waits on it"), pair.frame(frame), value]


def _kept(pair: _Pair, tokens: list[Any]) -> list[Any]:
    moved = [
        [order, pair.find_edge(edge), pair.find_frame(frame), value]
        for order, edge, frame, value in tokens
    ]
    return [token for token in moved if token[1] is not None and token[2] is not None]
