"""Text with `{{ … }}` to its pieces."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from typing import Any, NoReturn

from engine.errors import TemplateError
from engine.language.filters import FILTERS
from engine.language.path import Segment, blocked_words, is_blocked
from engine.language.rule import Rule
from engine.language.tokens import closing_braces
from engine.language.words import nearest

_LONGEST_ARGUMENTS = 10_000
_SPACE = re.compile(r"\s*")
_ROOT = re.compile(r"\$?[^\W\d][\w-]*|\d[\w-]*[^\W\d_][\w-]*")
_KEY = re.compile(r"\.\s*([\w$][\w-]*)")
_INDEX = re.compile(r"\[\s*(-?\d{1,9})\s*\]")
_QUOTED = re.compile(r"""\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]""", re.DOTALL)
_LITERAL = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL)
_FILTER = re.compile(r"\|\s*([^\W\d]\w*)?")
_ARGUMENT_PIECE = re.compile(
    r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()\[\]{}]|[^"'()\[\]{}]+|["']""", re.DOTALL
)
_MOST_NESTED = 20
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
        literal = _LITERAL.match(self._text, start)
        root, value = "", ""
        path: tuple[Segment, ...] = ()
        if literal:
            value = _unquoted(literal.group(), start)
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
                return _unquoted(written, start)
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
        start = self._here
        depth = 0
        for match in _ARGUMENT_PIECE.finditer(self._text, start):
            piece = match.group()
            if len(piece) == 1:
                depth += (piece in "([{") - (piece in ")]}")
            if depth > _MOST_NESTED or match.end() - start > _LONGEST_ARGUMENTS:
                raise TemplateError("The values in these brackets are too much.", "", start)
            if depth == 0:
                self._here = match.end()
                return _values(self._text[start : self._here], start)
        raise TemplateError("The `(` here is not closed.", "", start)

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


def _unquoted(written: str, position: int) -> str:
    value = _literal_tree(written, position)
    assert isinstance(value, ast.Constant)
    return str(value.value)


def _on_one_line(match: re.Match[str]) -> str:
    return re.sub(r"(\\*)(?:\r\n|\r|\n)", _escaped_end, match.group())


def _escaped_end(match: re.Match[str]) -> str:
    # A backslash right before the end of the line already takes it away.
    slashes = match.group(1)
    return slashes[:-1] if len(slashes) % 2 else f"{slashes}\\n"


def _literal_tree(written: str, position: int) -> ast.expr:
    flat = _LITERAL.sub(_on_one_line, written)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(flat, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise TemplateError("This text cannot be read.", "", position) from None


def _values(written: str, position: int) -> tuple[Any, ...]:
    """The literal values in `(…)`."""
    tree = _literal_tree(f"_{written}", position)
    if not isinstance(tree, ast.Call) or tree.keywords:
        raise TemplateError("These values cannot be read.", "", position)
    try:
        return tuple(_value(argument, position) for argument in tree.args)
    except RecursionError:
        raise TemplateError("These values are nested too deeply.", "", position) from None


_WORDS = {"true": True, "false": False, "null": None, "none": None}


def _value(node: ast.expr, position: int) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | None):
        return node.value
    if isinstance(node, ast.Name) and node.id in _WORDS:
        return _WORDS[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _value(node.operand, position)
        if isinstance(value, int | float):
            return -value
    if isinstance(node, ast.List):
        return [_value(item, position) for item in node.elts]
    if isinstance(node, ast.Dict) and all(isinstance(key, ast.Constant) for key in node.keys):
        keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
        if all(isinstance(key, str) for key in keys):
            values = [_value(value, position) for value in node.values]
            return dict(zip(keys, values, strict=True))
    raise TemplateError(
        "A filter takes fixed values: texts in quotes, numbers, true, false, none.",
        'For example: default("nobody")',
        position,
    )


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
