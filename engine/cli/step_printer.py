"""A line for every step as it happens, and streamed text as it comes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.cli.terminal import Screen, safe_text
from engine.run import events
from engine.run.condition import Condition
from engine.run.frames import is_loop_key

_WIDEST_LABEL = 28
_INDENT = "  "


class StepPrinter:
    """Prints the steps of a run; give it to a session as an observer.

    Args:
        screen: Where to.
        condition: The run.
        streams: Whether text is shown as models write it.
    """

    def __init__(self, screen: Screen, condition: Condition, *, streams: bool) -> None:
        self._screen = screen
        self._condition = condition
        nodes = condition.plan.flow.nodes
        self._labels = {node.id: _label(node.title) for node in nodes}
        self._width = min(_WIDEST_LABEL, max(map(len, self._labels.values()), default=0))
        self._streams = streams
        self._streaming: tuple[str, int] | None = None

    def __call__(self, event: events.Event) -> None:
        """Takes one event."""
        if isinstance(event, events.TextStreamed):
            if self._streams:
                self._stream(event)
            return
        shown = self._shown(event)
        if shown:
            self.end_stream()
            self._screen.write(shown)

    def end_stream(self) -> None:
        """Ends the line of streamed text, if one is open."""
        if self._streaming is not None:
            self._streaming = None
            self._screen.write("\n")

    def _stream(self, event: events.TextStreamed) -> None:
        key = (event.path, event.firing)
        if self._streaming != key:
            self.end_stream()
            self._streaming = key
            sign = self._screen.paint(self._screen.glyph("…"), "cyan")
            self._screen.write(f"{_indent(event.path)}{sign} {self._name(event)}: ")
        self._screen.write(safe_text(self._screen.cover(event.text)))

    # ---- one line per kind of event ----------------------------------------------------------

    def _shown(self, event: events.Event) -> str:
        match event:
            case events.StepFinished():
                return self._finished(event) + self._misses(event)
            case events.StepSkipped():
                return self._line(event, "○", "dim", f"skipped: it {event.reason}")
            case events.StepFailed():
                return self._failed(event)
            case events.Retry():
                again = f"try {event.attempt} failed: {event.error['message']}"
                return self._line(event, "↻", "yellow", f"{again} Again in {event.wait:g} s.")
            case events.PauseRequested():
                return self._line(event, "?", "cyan", "waits for an answer")
            case events.StepStarted():
                return self._begun(event)
            case events.IterationStarted():
                return self._line(event, "▸", "blue", _items(event))
            case events.Logged():
                sign, style = ("!", "yellow") if event.level == "warning" else ("·", "dim")
                return self._line(event, sign, style, event.text)
            case events.Warned():
                return self._note(event.path, event.message)
            case events.TokenDropped():
                late = f"A value on edge '{event.edge}' came too late and was dropped."
                return self._note(event.path, late)
        return ""

    def _finished(self, event: events.StepFinished) -> str:
        screen = self._screen
        tail = _tail(event)
        room = self._room(event.path, tail)
        route = f"{screen.glyph('→')} {screen.show(event.route)} " if event.route else ""
        told = _telling(event)
        value = "" if told == {} and route else self._value(event, told, room - len(route))
        text = screen.paint(route, "magenta") + value
        return self._compose(event, "✓", "green", text, len(route) + len(value), tail)

    def _value(self, event: events.StepFinished, told: Any, width: int) -> str:
        # A decision says more in words than as a record.
        by_words = event.route is not None and event.reason and isinstance(told, Mapping)
        text = self._screen.short(event.reason if by_words else told, max(8, width))
        return text.strip('"') if by_words else text

    def _misses(self, event: events.StepFinished) -> str:
        if event.reason and not event.sent and event.route is not None:
            return self._note(event.path, event.reason)
        return "".join(
            self._note(event.path, f"Nothing was sent on edge '{edge}': {why}")
            for edge, why in event.missed.items()
        )

    def _failed(self, event: events.StepFailed) -> str:
        follows = {
            "stop": "",
            "continue": " The run goes on.",
            "branch": " The run goes on along 'error'.",
        }
        return self._line(event, "✗", "red", event.error["message"] + follows[event.policy])

    def _begun(self, event: events.StepStarted) -> str:
        """Only steps that may take long say that they have begun."""
        firing = self._condition.firings[event.firing]
        label = self._labels[self._condition.node_id(firing)]
        sign = self._screen.paint(self._screen.glyph("▸"), "blue")
        return f"{_indent(firing.path)}{sign} {self._screen.paint(label, 'bold')} ...\n"

    def _line(self, event: Any, sign: str, style: str, text: str) -> str:
        tail = _tail(event)
        whole = " ".join(self._screen.show(text).split())
        return self._compose(event, sign, style, whole, len(whole), tail)

    def _compose(self, event: Any, sign: str, style: str, text: str, length: int, tail: str) -> str:
        screen = self._screen
        head = f"{_indent(event.path)}{screen.paint(screen.glyph(sign), style)} "
        label = self._name(event).ljust(self._width)
        gap = " " * max(2, self._room(event.path, tail) - length + 2) if tail else ""
        return f"{head}{screen.paint(label, 'bold')}  {text}{gap}{screen.paint(tail, 'dim')}\n"

    def _room(self, path: str, tail: str) -> int:
        """Columns between a label and what stands at the end of the line."""
        return max(12, self._screen.width - len(_indent(path)) - self._width - len(tail) - 6)

    def _note(self, path: str, text: str) -> str:
        screen = self._screen
        return f"{_indent(path)}{screen.paint(screen.glyph('!'), 'yellow')} {screen.show(text)}\n"

    def _name(self, event: Any) -> str:
        label = self._labels.get(event.node, event.node)
        return label if len(label) <= _WIDEST_LABEL else f"{label[: _WIDEST_LABEL - 1]}."


def _label(title: str) -> str:
    return " ".join(safe_text(title).split())


def _indent(path: str) -> str:
    """Deeper for every box; the item stands before the step."""
    if not path:
        return _INDENT
    last = path.rsplit("/", 1)[-1]
    number = last.rpartition("#")[2]
    item = f"{int(number) + 1}." if number.isdecimal() else ""
    return f"{_INDENT * (path.count('/') + 2)}{item:<3} "


def _items(event: events.IterationStarted) -> str:
    count = len(event.items)
    return f"{count} item{'' if count == 1 else 's'}"


def _telling(event: events.StepFinished) -> Any:
    """What is most worth seeing of a step's outputs."""
    if event.several:
        return list(event.outputs)
    value = event.outputs[0] if event.outputs else None
    if not isinstance(value, Mapping):
        return value
    if isinstance(value.get("content"), str):
        return value["content"]
    # The route stands on the line already.
    told = {k: v for k, v in value.items() if event.route is None or v not in (event.route, "")}
    only = next(iter(told.values())) if len(told) == 1 else None
    return only if isinstance(only, str) else told


def _tail(event: Any) -> str:
    """Round and time of a step that is over."""
    rounds = [item[2] + 1 for item in getattr(event, "frame", ()) if is_loop_key(item[0])]
    words = [f"round {rounds[-1]}"] if rounds else []
    if hasattr(event, "ms"):
        words.append(duration(event.ms / 1000))
    return " ".join(words)


def duration(seconds: float) -> str:
    """A time as a person reads it."""
    if seconds < 1:
        return f"{seconds * 1000:.{1 if seconds < 0.01 else 0}f} ms"
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 100 else f"{minutes} min {rest} s"
