"""What a person sees: text that no value can spoil, colours where a terminal shows them."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from typing import Any, TextIO

from engine.cli.json_output import to_json

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
        return shutil.get_terminal_size((100, 24)).columns if self.is_terminal else 100

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
        if self._nobody_reads:
            return
        try:
            self._out.write(text)
            self._out.flush()
        except BrokenPipeError:
            self._nobody_reads = True
            _silence(self._out)

    def show(self, value: Any) -> str:
        """A value as safe text: texts as they are, everything else as JSON."""
        return safe_text(self.cover(value))

    def short(self, value: Any, width: int) -> str:
        """The beginning of a value on one line."""
        text = one_line(self.cover(value))
        mark = self.glyph("…")
        return text if len(text) <= width else text[: max(0, width - len(mark))] + mark


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


def _silence(stream: TextIO) -> None:
    """Lets what is still in the stream go nowhere, or the end of the program would complain."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def complain(text: str) -> None:
    """A line for people on standard error, apart from what programs read."""
    Screen(sys.stderr).line(text)
