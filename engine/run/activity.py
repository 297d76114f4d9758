"""Where something is under way: running steps and waiting tokens, by frame and node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from engine.run.frames import Frame, agree, is_loop_key, shape

Shape = tuple[int, ...]
Item = tuple[int, int, int]
Place = tuple[Frame, int]
Watcher = tuple[int, Frame]


class FrameActivity:
    """What is under way in one frame, as masks of node numbers."""

    __slots__ = ("counts", "frame", "running", "tokens")

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.running = 0
        self.tokens = 0
        self.counts: dict[int, int] = {}


class Activity:
    """Counts of running steps and waiting tokens, and who waits for them to be over.

    A place is a frame with `node * 2` for tokens that point at the node, `node * 2 + 1` for
    steps of it. Frames are found by their shape (the keys alone) and by strand, so that a
    look at one strand never goes through all the others.
    """

    def __init__(self) -> None:
        self.by_frame: dict[Frame, FrameActivity] = {}
        self._by_shape: dict[Shape, dict[Frame, None]] = {}
        self._by_strand: dict[Item, dict[Frame, None]] = {}
        self._watchers: dict[Place, dict[Watcher, None]] = {}

    def add(self, frame: Frame, place: int) -> None:
        """One more at this place."""
        here = self.by_frame.get(frame)
        if here is None:
            here = self._open(frame)
        count = here.counts.get(place, 0)
        here.counts[place] = count + 1
        if not count:
            if place & 1:
                here.running |= 1 << (place >> 1)
            else:
                here.tokens |= 1 << (place >> 1)

    def remove(self, frame: Frame, place: int) -> dict[Watcher, None] | None:
        """One less; who waited for this place to be empty, if it is now."""
        here = self.by_frame[frame]
        count = here.counts[place] - 1
        if count:
            here.counts[place] = count
            return None
        del here.counts[place]
        if not here.counts:
            self._close(frame)
        elif place & 1:
            here.running &= ~(1 << (place >> 1))
        else:
            here.tokens &= ~(1 << (place >> 1))
        return self._watchers.pop((frame, place), None) if self._watchers else None

    def watch(self, place: Place, watcher: Watcher) -> None:
        """Remembers who to test again when this place is empty."""
        self._watchers.setdefault(place, {})[watcher] = None

    def find(self, frame: Frame, running: int, tokens: int) -> Place | None:
        """Something under way in a frame that agrees, at one of the masked nodes."""
        own = self.by_frame.get(frame)
        if own is not None:
            place = _first_hit(own, running, tokens)
            if place is not None:
                return frame, place
        for here in self.agreeing(frame):
            place = _first_hit(here, running, tokens)
            if place is not None:
                return here.frame, place
        return None

    def agreeing(self, frame: Frame) -> Iterator[FrameActivity]:
        """Everything under way in frames that agree with this one, the newest first."""
        strand = next((item for item in reversed(frame) if not is_loop_key(item[0])), None)
        if strand is not None:
            for other in reversed(self._by_strand.get(strand, _NONE)):
                if agree(frame, other):
                    yield self.by_frame[other]
        keys = shape(frame)
        for kind, frames in self._by_shape.items():
            if strand is not None and strand[0] in kind:
                continue
            if kind == keys:
                candidates: Iterable[Frame] = (frame,) if frame in frames else ()
            else:
                candidates = reversed(frames)
            for other in candidates:
                if agree(frame, other):
                    yield self.by_frame[other]

    def alive(self, frame: Frame) -> bool:
        """Whether anything is under way in a frame that agrees."""
        if frame in self.by_frame:
            return True
        return next(self.agreeing(frame), None) is not None

    def _open(self, frame: Frame) -> FrameActivity:
        here = self.by_frame[frame] = FrameActivity(frame)
        self._by_shape.setdefault(shape(frame), {})[frame] = None
        for item in frame:
            if not is_loop_key(item[0]):
                self._by_strand.setdefault(item, {})[frame] = None
        return here

    def _close(self, frame: Frame) -> None:
        del self.by_frame[frame]
        _discard(self._by_shape, shape(frame), frame)
        for item in frame:
            if not is_loop_key(item[0]):
                _discard(self._by_strand, item, frame)


def _discard(index: dict[Any, dict[Frame, None]], key: Any, frame: Frame) -> None:
    frames = index[key]
    del frames[frame]
    if not frames:
        del index[key]


_NONE: dict[Frame, None] = {}


def _first_hit(here: FrameActivity, running: int, tokens: int) -> int | None:
    hits = here.running & running
    if hits:
        return ((hits & -hits).bit_length() - 1) * 2 + 1
    hits = here.tokens & tokens
    if hits:
        return ((hits & -hits).bit_length() - 1) * 2
    return None
