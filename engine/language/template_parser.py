"""Text with `{{ … }}` to its pieces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NoReturn

from engine.errors import TemplateError
from engine.language.filters import FILTERS
from engine.language.path import Segment, blocked_words, is_blocked
from engine.language.rule import Rule
from engine.language.template_values import QUOTED_TEXT, unquoted, values_at
from engine.language.tokens import closing_braces
from engine.language.words import nearest

_SPACE = re.compile(r"\s*")
_ROOT = re.compile(r"\$?[^\W\d][\w-]*|\d[\w-]*[^\W\d_][\w-]*")
_KEY = re.compile(r"\.\s*([\w$][\w-]*)")
_INDEX = re.compile(r"\[\s*(-?\d{1,9})\s*\]")
_QUOTED = re.compile(r"""\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]""", re.DOTALL)
_FILTER = re.compile(r"\|\s*([^\W\d]\w*)?")
_HINT = 'A path such as `context.name`, with filters: `{{ context.name | default("…") }}`.'


@dataclass(frozen=True, slots=True)
class Use:
    """A filter with its arguments."""

    rule: Rule
    arguments: tuple[Any, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Hole:
    """One `{{ … }}`: a path, or a literal when `root` is empty, then filters."""

    root: str
    path: tuple[Segment, ...]
    literal: str
    uses: tuple[Use, ...]
    position: int

    @property
    def has_default(self) -> bool:
        """Whether the path may lead nowhere."""
        return any(use.rule.name == "default" for use in self.uses)


def pieces_of(text: str) -> tuple[str | Hole, ...]:
    """The plain texts and holes, in order.

    Raises:
        TemplateError: Braces hold something else than a path with filters, or are not closed.
    """
    found: list[str | Hole] = []
    here = 0
    while True:
        opening = text.find("{{", here)
        if opening < 0:
            break
        if opening > here:
            found.append(text[here:opening])
        hole, here = _HoleParser(text, opening).parse()
        found.append(hole)
    if here < len(text):
        found.append(text[here:])
    return tuple(found)


class _HoleParser:
    """Reads one `{{ … }}` from its opening braces on."""

    def __init__(self, text: str, opening: int) -> None:
        self._text = text
        self._opening = opening
        self._here = opening + 2

    def parse(self) -> tuple[Hole, int]:
        self._skip()
        start = self._here
        literal = QUOTED_TEXT.match(self._text, start)
        root, value = "", ""
        path: tuple[Segment, ...] = ()
        if literal:
            value = unquoted(literal.group(), start)
            self._here = literal.end()
        else:
            root, path = self._path()
        uses = self._filters()
        if not self._text.startswith("}}", self._here):
            self._fail()
        hole = Hole(root, path, value, tuple(uses), start)
        if any(map(is_blocked, (root, *path))) and not hole.has_default:
            raise blocked_words(root, path, start)
        return hole, self._here + 2

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self._here)
        assert match is not None
        self._here = match.end()

    def _path(self) -> tuple[str, tuple[Segment, ...]]:
        match = _ROOT.match(self._text, self._here)
        if not match:
            self._fail()
        self._here = match.end()
        path: list[Segment] = []
        while True:
            mark = self._here
            self._skip()
            segment = self._segment()
            if segment is None:
                self._here = mark
                return match.group(), tuple(path)
            path.append(segment)

    def _segment(self) -> Segment | None:
        for pattern in (_KEY, _INDEX, _QUOTED):
            match = pattern.match(self._text, self._here)
            if not match:
                continue
            written, start = match.group(1), match.start(1)
            self._here = match.end()
            if pattern is _QUOTED:
                return unquoted(written, start)
            return _number_or_name(written) if pattern is _KEY else int(written)
        return None

    def _filters(self) -> list[Use]:
        uses: list[Use] = []
        while True:
            self._skip()
            match = _FILTER.match(self._text, self._here)
            if not match:
                return uses
            name, position = match.group(1), match.start(1)
            if not name:
                raise TemplateError(
                    "A filter's name is missing after `|`.",
                    f"There are: {', '.join(FILTERS)}.",
                    self._here + 1,
                )
            self._here = match.end()
            rule = FILTERS.get(name)
            if rule is None:
                raise _unknown_filter(name, position)
            uses.append(_checked(Use(rule, self._arguments(), position)))

    def _arguments(self) -> tuple[Any, ...]:
        mark = self._here
        self._skip()
        if not self._text.startswith("(", self._here):
            self._here = mark
            return ()
        values, self._here = values_at(self._text, self._here)
        return values

    def _fail(self) -> NoReturn:
        text, here = self._text, self._here
        closing = closing_braces(text, self._opening + 2)
        if closing is None:
            raise TemplateError(
                "The braces `{{` here are not closed by `}}`.",
                'To write the braces themselves, write {{ "{{" }}.',
                self._opening,
            )
        inner = text[self._opening + 2 : closing].strip()
        if not inner:
            raise TemplateError("There is nothing between the braces.", _HINT, self._opening)
        if inner.startswith(("_", "$_")) and here == self._opening + 2:
            raise blocked_words(inner, (), here)
        if any(sign in inner for sign in "+-*/<>=!?&%^~,:({"):
            hint = (
                "Braces hold a path, no calculation: use an expression field, or set a variable. "
                'To write braces themselves, write {{ "{{" }}.'
            )
        else:
            hint = _HINT
        near = text[here : here + 20].split("}}")[0].strip()
        raise TemplateError(f"`{near}` cannot be read inside the braces.", hint, here)


def _number_or_name(written: str) -> Segment:
    # Nine digits are more items than any list has; longer ones are names.
    if written.isascii() and written.isdigit() and len(written) < 10:
        number = int(written)
        return number if str(number) == written else written
    return written


def _unknown_filter(name: str, position: int) -> TemplateError:
    near = nearest(name, FILTERS)
    ask = f"; did you mean `{near}`?" if near else "."
    return TemplateError(
        f"There is no filter `{name}`{ask}",
        "" if near else f"There are: {', '.join(FILTERS)}.",
        position,
    )


def _checked(use: Use) -> Use:
    count, rule = len(use.arguments), use.rule
    if count < rule.least or (rule.most is not None and count > rule.most):
        raise TemplateError(
            f"The filter `{rule.name}` takes {rule.takes()}, not {count}.",
            f"It is used like this: {rule.usage}",
            use.position,
        )
    return use
