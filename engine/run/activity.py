"""Where something is under way: running steps and waiting tokens, by frame and node."""

from __future__ import annotations

from collections.abc import Iterator

from engine.run.frames import Frame, agree

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
    steps of it.
    """

    def __init__(self) -> None:
        self.by_frame: dict[Frame, FrameActivity] = {}
        self._watchers: dict[Place, dict[Watcher, None]] = {}

    def add(self, frame: Frame, place: int) -> None:
        """One more at this place."""
        here = self.by_frame.get(frame)
        if here is None:
            here = self.by_frame[frame] = FrameActivity(frame)
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
            del self.by_frame[frame]
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
        """Everything under way in frames that agree with this one."""
        for other, here in self.by_frame.items():
            if agree(frame, other):
                yield here

    def alive(self, frame: Frame) -> bool:
        """Whether anything is under way in a frame that agrees."""
        if frame in self.by_frame:
            return True
        for other in self.by_frame:  # noqa: SIM110 - a generator would cost as much again
            if agree(frame, other):
                return True
        return False


def _first_hit(here: FrameActivity, running: int, tokens: int) -> int | None:
    hits = here.running & running
    if hits:
        return ((hits & -hits).bit_length() - 1) * 2 + 1
    hits = here.tokens & tokens
    if hits:
        return ((hits & -hits).bit_length() - 1) * 2
    return None
