"""Recording events: journal first, then the condition, then whoever looks on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.run import events
from engine.run.condition import Condition
from engine.run.fold import apply
from engine.run.services import Services
from engine.run.state import RunState

FIRST_SNAPSHOT_BYTES = 64 * 1024
# Snapshots of a state that grows would make the journal grow faster than the steps do: as often
# as at every doubling, a run of 2,000 rounds takes 2.25 times what one of 1,000 takes.
SNAPSHOT_SHARE = 8
STREAM_S = 0.25


class Recorder:
    """Writes each event, applies it, and tells the observers, in that order."""

    def __init__(
        self,
        condition: Condition,
        services: Services,
        observers: Sequence[Callable[[events.Event], None]],
    ) -> None:
        self._condition = condition
        self._services = services
        self._journal = services.journal
        self._observers = observers
        self._bytes = services.journal_bytes
        self._snapshot_bytes = services.snapshot_bytes
        self._streams: dict[int, tuple[float, list[str], events.TextStreamed]] = {}

    def emit(self, event: events.Event, state: RunState | None = None) -> None:
        """Takes one event."""
        if isinstance(event, events.TextStreamed):
            self._stream(event)
            return
        if self._streams:
            self._flush_stream(getattr(event, "firing", None))
        self._write(event)
        apply(self._condition, event, state)
        for observer in self._observers:
            observer(event)
        if self._condition.notices:
            self._tell_notices()
        if self._bytes > max(FIRST_SNAPSHOT_BYTES, SNAPSHOT_SHARE * self._snapshot_bytes):
            self._take_snapshot()

    async def sync(self) -> None:
        """Returns when all that was recorded is on disk."""
        if self._journal is not None:
            await self._journal.sync_async()

    def _write(self, event: events.Event) -> None:
        if self._journal is not None:
            self._bytes += self._journal.append(self._record(event))

    def _record(self, event: events.Event) -> dict[str, Any]:
        record = events.to_record(event)
        redact = self._services.redact
        return redact(record) if redact is not None else record

    def _tell_notices(self) -> None:
        """Warnings that the fold came to; written for readers, the fold does not need them."""
        notices = list(self._condition.notices)
        self._condition.notices.clear()
        for notice in notices:
            if "message" in notice:
                self.emit(events.Warned(**notice))
            else:
                self.emit(events.TokenDropped(**notice))

    def _stream(self, event: events.TextStreamed) -> None:
        for observer in self._observers:
            observer(event)
        if self._journal is None:
            return
        now = self._services.clock.now()
        since, parts, _ = self._streams.setdefault(event.firing, (now, [], event))
        parts.append(event.text)
        if now - since > STREAM_S:
            self._flush_stream(event.firing)

    def _flush_stream(self, firing: int | None) -> None:
        kept = self._streams.pop(firing, None) if firing is not None else None
        if kept is not None:
            _, parts, first = kept
            whole = events.TextStreamed(first.firing, first.node, "".join(parts), first.path)
            self._write(whole)

    def _take_snapshot(self) -> None:
        from engine.run.snapshot import take  # short runs never need it

        assert self._journal is not None
        record = self._record(events.Snapshot(take(self._condition)))
        self._snapshot_bytes = self._journal.append(record)
        self._bytes = 0
