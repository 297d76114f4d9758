"""Questions to the person at the terminal, asked again until the answer fits."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

from engine.cli.terminal import Screen, safe_text
from engine.node_type import Request

_YES = ("y", "yes", "true", "1")
_NO = ("n", "no", "false", "0")


class BadAnswer(ValueError):  # noqa: N818 - it is no fault, only a reason to ask again
    """An answer that does not fit; its text says why."""


class Asker:
    """Asks at the terminal.

    Args:
        screen: Where questions are shown.
        read: Reads one line after a prompt; raises EOFError at the end of the input.
    """

    def __init__(self, screen: Screen, read: Callable[[str], str] | None = None) -> None:
        self._screen = screen
        self._read = read or _read_line

    def answer(self, request: Request, title: str) -> dict[str, Any]:
        """A person's answer to a request of a run.

        Raises:
            EOFError: The person wants to answer later.
        """
        screen = self._screen
        screen.line()
        screen.line(f"{screen.paint('?', 'cyan', 'bold')} {screen.paint(title, 'bold')}")
        screen.told(screen.show(request.prompt), "  ", splits=True)
        screen.line()
        match request.kind:
            case "approve" | "tool_approval":
                return self._approval(request)
            case "choose":
                return {"choice": self._choice("Your choice", request.options)}
            case "form":
                return {"form": self.form(_part(request.schema, "form"))}
        return {"text": self._read("Your answer: ")}

    def _approval(self, request: Request) -> dict[str, Any]:
        kind = self._until(
            "[p]roceed or [r]eject: ",
            lambda text: _one_of(text, {"proceed": ("p", *_YES), "reject": ("r", *_NO)}),
        )
        if kind == "proceed" or not request.feedback:
            return {"type": kind}
        remark = self._read("Why? (may stay empty): ")
        return {"type": kind, "feedback": remark} if remark.strip() else {"type": kind}

    def _choice(self, prompt: str, options: Sequence[Any]) -> Any:
        for number, option in enumerate(options, start=1):
            self._screen.line(f"  {number}. {self._screen.show(option)}")
        return self._until(f"{prompt}: ", lambda text: _numbered(text, options))

    def form(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """A filled-in form, field by field; `schema` is that of `engine.forms.form_schema`.

        Raises:
            EOFError: The person gives up.
        """
        required = schema.get("required", ())
        fields = schema.get("properties", {})
        return {
            name: self._field(prop, is_required=name in required) for name, prop in fields.items()
        }

    def tell(self, text: str) -> None:
        """Says why an answer was not taken."""
        self._screen.line(self._screen.paint(f"  {self._screen.show(text)}", "yellow"))

    def question(self) -> str:
        """The question that a chat begins with; may be empty."""
        return self._read("Your question: ")

    def _field(self, prop: Mapping[str, Any], *, is_required: bool) -> Any:
        kind = next((p for p in prop.get("anyOf", ()) if p.get("type") != "null"), prop)
        title, default = safe_text(prop.get("title", "")), prop.get("default")
        options = kind.get("enum")
        if options:
            self._screen.line(title + ("" if is_required else " (may stay empty)"))
        for number, option in enumerate(options or (), start=1):
            self._screen.line(f"  {number}. {self._screen.show(option)}")

        def read(text: str) -> Any:
            if text == "" and (default is not None or not is_required):
                return default
            return _typed(kind, text, is_required=is_required)

        return self._until(_prompt(title, kind, default, is_required=is_required), read)

    def _until(self, prompt: str, read: Callable[[str], Any]) -> Any:
        """Asks until the answer can be read."""
        while True:
            text = self._read(prompt).strip()
            try:
                return read(text)
            except BadAnswer as why:
                self.tell(str(why))


def can_ask() -> bool:
    """Whether a person sits at the terminal, in front and behind."""
    try:
        return sys.stdin.isatty() and sys.stdout.isatty()
    except (AttributeError, ValueError):  # Closed, or none at all.
        return False


def _read_line(prompt: str) -> str:
    import contextlib

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - arrow keys and corrections while typing
    return input(prompt)


def _part(schema: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part: Mapping[str, Any] = schema.get("properties", {}).get(name, {})
    return part


def _prompt(title: str, kind: Mapping[str, Any], default: Any, *, is_required: bool) -> str:
    if kind.get("enum"):
        title = "Number"
    words = {"number": "a number", "boolean": "y/n"}.get(kind.get("type", ""), "")
    if kind.get("format") == "date":
        words = "such as 2026-01-31"
    notes = [words] if words else []
    if not is_required and default is None and not kind.get("enum"):
        notes.append("may stay empty")
    told = f" ({', '.join(notes)})" if notes else ""
    shown = "" if default is None else f" [{safe_text(default)}]"
    return f"{title}{told}{shown}: "


def _typed(kind: Mapping[str, Any], text: str, *, is_required: bool) -> Any:
    if kind.get("enum"):
        return _numbered(text, kind["enum"])
    if kind.get("format") == "date":
        return _date(text)
    match kind.get("type"):
        case "number":
            return _number(text)
        case "boolean":
            return _one_of(text, {"true": _YES, "false": _NO}) == "true"
    if is_required and not text:
        raise BadAnswer("Something must stand here.")
    return text


def _number(text: str) -> int | float:
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if math.isfinite(number):
            return number
    raise BadAnswer("Please give a number.")


def _date(text: str) -> str:
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        raise BadAnswer("Please give a date such as 2026-01-31.") from None
    return text


def _numbered(text: str, options: Sequence[Any]) -> Any:
    texts = [str(option) for option in options]
    if text in texts:
        return options[texts.index(text)]
    if text.isdecimal() and 1 <= int(text[:9]) <= len(options):
        return options[int(text) - 1]
    near = [option for option in options if str(option).casefold() == text.casefold()]
    if len(near) == 1:
        return near[0]
    raise BadAnswer(f"Please give a number from 1 to {len(options)}.")


def _one_of(text: str, words: Mapping[str, Sequence[str]]) -> str:
    typed = text.casefold()
    for name, others in words.items():
        if typed == name or typed in others:
            return name
    firsts = " or ".join(others[0] for others in words.values())
    raise BadAnswer(f"Please type {firsts}.")
