"""Tokens on their way through a block tree, and which of them meet in a node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Way = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Token:
    """A value on its way from `source`."""

    source: str
    value: Any
    way: Way = ()
    rounds: Mapping[str, int] = field(default_factory=dict)


Tokens = list[Token]


@dataclass(frozen=True)
class Meeting:
    """The tokens with which a node fires once."""

    way: Way
    rounds: Mapping[str, int]
    inputs: Mapping[str, Any]

    def token(self, source: str, value: Any, *more: tuple[int, int]) -> Token:
        return Token(source, value, self.way + more, self.rounds)


def meetings(tokens: Tokens) -> list[Meeting]:
    """One for each way that no other token goes beyond, with every token on that way."""
    ways = dict.fromkeys(token.way for token in tokens)
    furthest = [
        way for way in ways if not any(_is_on(way, other) for other in ways if other != way)
    ]
    return [
        _meeting(way, [token for token in tokens if _is_on(token.way, way)]) for way in furthest
    ]


def _is_on(way: Way, longer: Way) -> bool:
    return longer[: len(way)] == way


def _meeting(way: Way, tokens: Tokens) -> Meeting:
    rounds = tokens[0].rounds
    assert all(token.rounds == rounds for token in tokens), "rounds got mixed"
    inputs: dict[str, Any] = {}
    for token in tokens:
        known = inputs.setdefault(token.source, token.value)
        assert known == token.value, "one node, two values"
    return Meeting(way, rounds, inputs)


def once(tokens: Tokens) -> Tokens:
    """The same token on several empty branches is one edge into a node that collects."""
    return [token for index, token in enumerate(tokens) if token not in tokens[:index]]


def in_round(token: Token, header: str, number: int) -> Token:
    """The token in that round of a loop."""
    return replace(token, rounds={**token.rounds, header: number})


def outside(token: Token, header: str) -> Token:
    """The token behind a loop."""
    rounds = {name: number for name, number in token.rounds.items() if name != header}
    return replace(token, rounds=rounds)
