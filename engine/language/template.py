"""Templates: text with `{{ path | filter }}` in it, parsed once.

Values are put in as they are. Whatever they hold, braces too, is never looked at again.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import lru_cache
from typing import Any

from engine.errors import ExpressionError, TemplateError
from engine.language.budget import Evaluation
from engine.language.compiler import FAULTS, placed
from engine.language.filters import NothingThere, rendered
from engine.language.path import LeadsNowhere, blocked_words, follow, in_words, is_blocked
from engine.language.reference import Reference
from engine.language.scope import Names
from engine.language.template_parser import Hole, Use, pieces_of

LONGEST_RESULT = 32_000_000
"""Characters in a filled-in text."""

_SHORT = 10**18
_Fill = Callable[[Names], Any]


class Template:
    """A parsed template; `parse_template` makes one.

    `is_constant`: there is nothing to fill in. `is_single`: the text is exactly one `{{ path }}`,
    so the value keeps its type.
    """

    __slots__ = ("_constant", "_parts", "is_constant", "is_single", "references", "text")

    def __init__(self, text: str) -> None:
        pieces = pieces_of(text)
        holes = [piece for piece in pieces if isinstance(piece, Hole)]
        self.text = text
        self.is_constant = not holes
        self.is_single = len(pieces) == 1 and bool(holes) and bool(holes[0].root)
        self.references = tuple(
            Reference(hole.root, hole.path, hole.position, hole.has_default)
            for hole in holes
            if hole.root
        )
        self._parts: tuple[str | _Fill, ...] = tuple(map(_part, pieces))

    def __repr__(self) -> str:
        return f"Template({self.text!r})"

    def render(self, names: Names) -> Any:
        """The text filled in; the value itself, with its type, when `is_single`.

        In a text, lists and records stand as JSON, None as nothing, True and False as `true` and
        `false`, and everything else as `str` writes it.

        Args:
            names: What the template can see.

        Raises:
            TemplateError: A path leads nowhere, or a filter does not fit its value.
        """
        if self.is_constant:
            return self.text
        if self.is_single:
            fill = self._parts[0]
            assert not isinstance(fill, str)
            return fill(names)
        return self._text(names)

    def _text(self, names: Names) -> str:
        texts: list[str] = []
        length = 0
        for part in self._parts:
            if isinstance(part, str):
                text = part
            else:
                value = part(names)
                text = value if isinstance(value, str) else _written(value, names)
            length += len(text)
            if length > LONGEST_RESULT:
                raise TemplateError(
                    "The text would be too long.", f"The limit is {LONGEST_RESULT:,} characters."
                )
            texts.append(text)
        return "".join(texts)


def _written(value: Any, names: Names) -> str:
    if type(value) is int and -_SHORT < value < _SHORT:
        return str(value)
    try:
        return rendered(value, Evaluation(names, 0))
    except ExpressionError as fault:
        raise TemplateError(fault.message, fault.hint) from None


def _part(piece: str | Hole) -> str | _Fill:
    if isinstance(piece, str):
        return piece
    if piece.root and not piece.uses:
        return _plain_fill(piece)
    return _filtered_fill(piece)


def _plain_fill(hole: Hole) -> _Fill:
    root, path, position = hole.root, hole.path, hole.position

    def fill(names: Names) -> Any:
        try:
            return follow(root, path, names)
        except LeadsNowhere as miss:
            raise in_words(miss, root, path, names, position) from None

    return fill


def _filtered_fill(hole: Hole) -> _Fill:
    blocked = any(map(is_blocked, (hole.root, *hole.path)))

    def fill(names: Names) -> Any:
        ev = Evaluation(names, 0)
        miss: Callable[[], TemplateError] | None = None
        value: Any = hole.literal
        if blocked:
            miss = _blocked(hole)
        elif hole.root:
            try:
                value = follow(hole.root, hole.path, names)
            except LeadsNowhere as fault:
                miss = _missed(fault, hole, names)
        for use in hole.uses:
            if use.rule.name == "default":
                if miss is not None:
                    value, miss = _own(use.arguments[0]), None
            elif miss is None:
                try:
                    value = use.rule.run(ev, value, *use.arguments)
                except NothingThere:
                    miss = _empty(use)
                except FAULTS as fault:
                    words = placed(fault, use.position)
                    raise TemplateError(words.message, words.hint, use.position) from None
        if miss is not None:
            raise miss()
        return value

    return fill


def _own(value: Any) -> Any:
    """A value of the template as data that nobody shares."""
    return deepcopy(value) if isinstance(value, list | dict) else value


def _blocked(hole: Hole) -> Callable[[], TemplateError]:
    return lambda: blocked_words(hole.root, hole.path, hole.position)


def _missed(fault: LeadsNowhere, hole: Hole, names: Names) -> Callable[[], TemplateError]:
    return lambda: in_words(fault, hole.root, hole.path, names, hole.position)


def _empty(use: Use) -> Callable[[], TemplateError]:
    return lambda: TemplateError(
        f"There is no {use.rule.name} item: the list is empty.",
        f'Give a value for that case: `{use.rule.name} | default("…")`.',
        use.position,
    )


@lru_cache(maxsize=4096)
def parse_template(text: str) -> Template:
    """The template that `text` is; the same object for the same text.

    Raises:
        TemplateError: Braces hold something else than a path, with the position of the fault.
    """
    return Template(text)
