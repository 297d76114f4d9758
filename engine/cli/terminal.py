"""What a person sees: text that no value can spoil, colours where a terminal shows them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from typing import Any, TextIO

from engine.cli.json_output import to_json
from engine.cli.streams import put

_STYLES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}
_PLAIN_GLYPHS = {
    "✓": "ok",
    "✗": "x",
    "○": "-",
    "?": "?",
    "↻": "~",
    "!": "!",
    "▸": ">",
    "·": "-",
    "→": "->",
    "…": "...",
    "•": "*",
}
# What could move the cursor, change colours or turn the reading direction of a terminal.
_PAINT = re.compile("\x1b\\[[0-9;]*m")
_USUAL_WIDTH = 100
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Screen:
    """Where a command writes for people.

    Args:
        out: The stream; standard output when None.
        cover: Puts something else in the place of secrets.
    """

    def __init__(
        self, out: TextIO | None = None, cover: Callable[[Any], Any] | None = None
    ) -> None:
        self._out = out or sys.stdout
        self.cover: Callable[[Any], Any] = cover or _as_it_is
        self.is_terminal = _is_terminal(self._out)
        self._nobody_reads = False
        self._coloured = self.is_terminal and _wants_colours()
        self._full = _can_write(self._out, "".join(_PLAIN_GLYPHS))

    @property
    def width(self) -> int:
        """Columns of the terminal; 100 where there is none."""
        return (_columns(self._out) or _USUAL_WIDTH) if self.is_terminal else _USUAL_WIDTH

    def paint(self, text: str, *styles: str) -> str:
        """The text in a colour, where colours are shown."""
        if not self._coloured or not styles or not text:
            return text
        codes = ";".join(_STYLES[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m"

    def glyph(self, sign: str) -> str:
        """A sign, or letters where the stream cannot write it."""
        return sign if self._full else _PLAIN_GLYPHS.get(sign, sign)

    def line(self, text: str = "") -> None:
        """One line."""
        self.write(f"{text}\n")

    def write(self, text: str) -> None:
        """Text without a line's end, seen at once. Whoever reads may have gone: a run goes on."""
        if not self._nobody_reads:
            self._nobody_reads = not put(self._out, text)

    def told(
        self, text: str, first: str = "", rest: str | None = None, *, splits: bool = False
    ) -> None:
        """A text exactly as it is, its long lines wrapped where a terminal shows it.

        Args:
            text: Safe text; its line breaks stay.
            first: Stands before the first line; may be painted.
            rest: Stands before the others; as many blanks as `first` is wide when None.
            splits: Whether words longer than a line may be split; one that is to be copied, such
                as a path, may not.
        """
        indent = " " * len(_PAINT.sub("", first)) if rest is None else rest
        room = self.width - max(len(_PAINT.sub("", first)), len(indent))
        begin = first
        for line in self.wrapped(text, room, splits=splits):
            self.line(f"{begin}{line}".rstrip())
            begin = indent

    def wrapped(self, text: str, room: int, *, splits: bool = False) -> list[str]:
        """The lines of a text, none wider than that on a terminal; blanks inside it stay."""
        lines = text.rstrip("\n").split("\n")
        if not self.is_terminal:
            return lines
        return [part for line in lines for part in _wrapped(line, max(20, room), splits)]

    def show(self, value: Any) -> str:
        """A value as safe text: texts as they are, everything else as JSON."""
        return safe_text(self.cover(value))

    def short(self, value: Any, width: int) -> str:
        """The beginning of a value on one line."""
        text = one_line(self.cover(value))
        mark = self.glyph("…")
        return text if len(text) <= width else text[: max(0, width - len(mark))] + mark


def _columns(stream: TextIO) -> int:
    """How wide a terminal is; 0 when it does not tell."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told[:6]) > 0:
        return int(told[:6])
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return 0


def _wrapped(line: str, room: int, splits: bool) -> list[str]:
    if len(line) <= room:
        return [line]
    import textwrap  # Late: most lines are short.

    begin = len(line) - len(line.lstrip(" "))
    deeper = " " * (begin if begin < room // 2 else 0)
    parts = textwrap.wrap(
        line,
        room,
        subsequent_indent=deeper,
        tabsize=4,
        replace_whitespace=False,
        break_long_words=splits,
        break_on_hyphens=False,
    )
    return parts or [""]


def _as_it_is(value: Any) -> Any:
    return value


def safe_text(value: Any) -> str:
    """A value as text that leaves the terminal alone."""
    text = value if isinstance(value, str) else to_json(value)
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n"))


def one_line(value: Any) -> str:
    """A value on one line; texts in quotation marks."""
    if isinstance(value, str):
        # A text of many pages is cut before it is looked at.
        return '"' + " ".join(safe_text(value[:2_000]).split()) + '"'
    return " ".join(safe_text(to_json(value, indent=None))[:2_000].split())


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # It has been closed.
        return False


def _wants_colours() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") != "dumb"


def _can_write(stream: TextIO, signs: str) -> bool:
    try:
        signs.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def complain(text: str) -> None:
    """A line for people on standard error, apart from what programs read."""
    Screen(sys.stderr).told(text, "", "  ")
