"""Runs a flow: starts what is ready, records what happened, pauses and stops.

The only part of a run that awaits. What follows from an event is decided by the fold.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from engine.errors import NodeError
from engine.run import events
from engine.run.conclude import conclude
from engine.run.condition import Condition, Firing
from engine.run.eager import start_eagerly
from engine.run.execute import Executor, Outcome
from engine.run.limits import max_steps, too_many_steps
from engine.run.recorder import Recorder
from engine.run.requests import check_answer, repeat_request, to_request_record, with_id
from engine.run.services import Services
from engine.run.state import RunState

Observer = Callable[[events.Event], None]
Chooser = Callable[[Sequence[Firing]], int]
BUDGET_S = 0.004
CANCEL_S = 0.1


class Runner:
    """Drives one run until it is finished, paused, stopped or failed.

    Args:
        condition: Where the run stands.
        services: Its ways outside.
        observers: Called with every event, after it was recorded and applied.
        choose: Which of the ready steps runs next, one at a time; None runs as many as allowed.
    """

    def __init__(
        self,
        condition: Condition,
        services: Services,
        observers: Sequence[Observer] = (),
        choose: Chooser | None = None,
    ) -> None:
        self.condition = condition
        self.services = services
        self._recorder = Recorder(condition, services, observers)
        self._executor = Executor(condition, services, self._emit_from_step, self._recorder.sync)
        self._choose = choose
        self._queue: deque[int] = deque()
        self._tasks: dict[int, asyncio.Task[Outcome]] = {}
        self._begun: dict[int, float] = {}
        self._places: dict[int, tuple[str, int]] = {}
        self._done: deque[int] = deque()
        self._busy: dict[tuple[str, int], int] = {}
        self._held_back: dict[tuple[str, int], deque[int]] = {}
        self._called_off: set[int] = set()
        self._watches: list[asyncio.Task[None]] = []
        self._wake: asyncio.Future[None] | None = None
        self._stopping = False
        self._going = False
        self._most_steps = 0
        self._loop: asyncio.AbstractEventLoop

    # ---- from outside ----------------------------------------------------------------------

    async def run(self) -> None:
        """Goes on until nothing more can happen without a person or another start."""
        self._loop = asyncio.get_running_loop()
        self._going = True
        self._stopping = False
        self._most_steps = max_steps(self.condition)
        self._take_over()
        try:
            await self._go_on()
            # An answer may have come while the pause was brought to disk.
            while self.condition.status == "running":
                await self._go_on()
        except asyncio.CancelledError:
            await self._cancel_all()
            if self.condition.status == "running":
                self.emit(events.RunStopped(self._now()))
            raise
        finally:
            self._going = False
            await self._cancel_all()

    def stop(self) -> None:
        """Stops the run as soon as possible; it can be resumed from there."""
        self._stopping = True
        self._wake_up()

    def answer(self, request_id: str | None, answer: Any) -> str:
        """Takes a person's answer; the step goes on. The id of the request that it answered.

        Raises:
            RunError: Nothing waits for it, or it does not fit; nothing is changed then.
        """
        key, checked = check_answer(self.condition, request_id, answer)
        firing = self.condition.open_requests()[key][0]
        self.emit(events.PauseAnswered(firing.id, key, checked, self._now()))
        self._wake_up()
        return key

    def emit(self, event: events.Event, state: RunState | None = None) -> None:
        """Records an event, moves the condition past it, and tells the observers."""
        self._recorder.emit(event, state)
        condition = self.condition
        if condition.fresh:
            self._queue.extend(condition.fresh)
            condition.fresh.clear()
        if condition.cancelled:
            self._cancel(condition.cancelled)
            condition.cancelled.clear()

    # ---- the loop --------------------------------------------------------------------------

    def _take_over(self) -> None:
        """Every step that is ready runs; one that may repeat an outside effect asks first."""
        self.condition.fresh.clear()
        self._queue.clear()
        self._held_back.clear()
        for firing in list(self.condition.firings.values()):
            if firing.status == "iterating":
                self._watch_box(firing)
            if firing.status != "ready" or firing.id in self._tasks:
                continue
            if self._must_ask(firing):
                self._ask_to_repeat(firing)
            else:
                self._queue.append(firing.id)

    def _watch_box(self, firing: Firing) -> None:
        """Calls a box off when its time is over; after a restart it gets its whole time again."""
        limit = self.condition.scopes[firing.path].level.nodes[firing.node].timeout_s
        if limit is not None and firing.status == "iterating":
            self._watches.append(self._loop.create_task(self._time_is_up(firing, limit)))

    async def _time_is_up(self, firing: Firing, limit: float) -> None:
        box = firing.box
        await self.services.clock.sleep(limit)
        if firing.box is box and firing.id in self.condition.firings:
            self.emit(events.BoxTimedOut(firing.id, limit, self._now()))
            self._wake_up()

    def _must_ask(self, firing: Firing) -> bool:
        kind = self.condition.scopes[firing.path].level.nodes[firing.node].kind
        effects = kind is not None and kind.meta.outside_effects
        return effects and firing.started is not None and not firing.answers

    def _ask_to_repeat(self, firing: Firing) -> None:
        node = self.condition.scopes[firing.path].level.nodes[firing.node]
        request = to_request_record(with_id(repeat_request(node.node.title)))
        self.emit(
            events.PauseRequested(
                firing.id, node.id, [request], self._now(), firing.path, repeat=True
            )
        )

    async def _go_on(self) -> None:
        while True:
            self._collect()
            if self._stopping or self.condition.error or self.condition.stop:
                break
            in_budget = self._launch()
            if self._done or self.condition.error or self.condition.stop:
                continue
            if not in_budget:
                await asyncio.sleep(0)
            elif self._tasks:
                await self._wait()
            elif not self._queue or self._limit_reached():
                break
        await self._cancel_all()
        await self._end()

    def _launch(self) -> bool:
        """Starts what may start; False when other tasks should have a turn first."""
        allowed = self.condition.plan.flow.settings.max_concurrency
        end = time.perf_counter() + BUDGET_S
        while self._queue and (self._choose is not None or len(self._tasks) < allowed):
            if self.condition.error or self.condition.stop or self._stopping:
                return True
            if self._limit_reached():
                return True
            firing = self._next()
            if firing is not None and self._start(firing) > end:
                return False
        return True

    def _next(self) -> Firing | None:
        if self._choose is None:
            number = self._queue.popleft()
        else:
            ready = [self.condition.firings[n] for n in self._queue if n in self.condition.firings]
            if not ready:
                self._queue.clear()
                return None
            number = ready[self._choose(ready)].id
            self._queue.remove(number)
        firing = self.condition.firings.get(number)
        if firing is None or firing.status != "ready" or number in self._tasks:
            return None
        if self._busy and self._is_busy(firing):
            key = (firing.path, firing.node)
            self._held_back.setdefault(key, deque()).append(number)
            return None
        return firing

    def _is_busy(self, firing: Firing) -> bool:
        under_way = self._busy.get((firing.path, firing.node), 0)
        node = self.condition.scopes[firing.path].level.nodes[firing.node].node
        return under_way >= node.concurrency

    def _limit_reached(self) -> bool:
        return self.condition.steps + len(self._tasks) >= self._most_steps

    def _start(self, firing: Firing) -> float:
        """Starts a step; one that need not wait is over when this returns. When it began."""
        begun = time.perf_counter()
        task = start_eagerly(self._executor.execute(firing), self._loop)
        if task.done() and not task.cancelled():
            self._conclude(firing, task.result(), begun)
            return begun
        self._tasks[firing.id] = task
        self._begun[firing.id] = begun
        key = (firing.path, firing.node)
        self._busy[key] = self._busy.get(key, 0) + 1
        self._places[firing.id] = key
        task.add_done_callback(lambda over: self._over(firing.id, over))
        return begun

    def _over(self, number: int, task: asyncio.Task[Outcome]) -> None:
        # One that would not be cancelled may end long after its step was started anew.
        if self._tasks.get(number) is task:
            self._done.append(number)
            self._wake_up()

    def _collect(self) -> None:
        """Concludes the steps whose tasks are over."""
        while self._done:
            number = self._done.popleft()
            task = self._tasks.pop(number, None)
            begun = self._begun.pop(number, 0.0)
            firing = self.condition.firings.get(number)
            if task is not None:
                self._let_next_start(self._places.pop(number))
                if firing is not None:
                    self._conclude_task(firing, task, begun)

    def _let_next_start(self, key: tuple[str, int]) -> None:
        self._busy[key] -= 1
        if not self._busy[key]:
            del self._busy[key]
        line = self._held_back.get(key)
        while line:
            number = line.popleft()
            # Steps of an item that failed are gone.
            if number in self.condition.firings:
                self._queue.appendleft(number)
                break

    def _conclude_task(self, firing: Firing, task: asyncio.Task[Outcome], begun: float) -> None:
        if not task.cancelled():
            self._conclude(firing, task.result(), begun)
        elif firing.id in self._called_off:
            self._called_off.discard(firing.id)
        else:
            error = NodeError("It broke off by itself.", "This is a fault of the node type.")
            self._conclude(firing, Outcome(error=error), begun)

    def _conclude(self, firing: Firing, outcome: Outcome, begun: float) -> None:
        ms = round((time.perf_counter() - begun) * 1000, 3)
        event, state = conclude(self.condition, firing, outcome, self.services, ms)
        self.emit(event, state)
        if isinstance(event, events.IterationStarted):
            self._watch_box(firing)

    async def _wait(self) -> None:
        if self._done or self._stopping:
            return
        self._wake = asyncio.get_running_loop().create_future()
        try:
            await self._wake
        finally:
            self._wake = None

    def _wake_up(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    # ---- ends ------------------------------------------------------------------------------

    async def _end(self) -> None:
        condition = self.condition
        if self._stopping and not condition.error and not condition.stop:
            self.emit(events.RunStopped(self._now()))
        elif condition.error:
            self.emit(events.RunFinished("error", self._now(), condition.error))
        elif condition.stop:
            self.emit(self._stopped_by_node(condition.stop))
        elif condition.firings and self._limit_reached() and self._queue:
            error = too_many_steps(condition)
            self.emit(events.RunFinished("error", self._now(), error))
        elif condition.open_requests():
            self.emit(events.RunPaused(self._now()))
        else:
            assert not condition.firings, "a run ends when nothing is under way"
            self.emit(events.RunFinished("finished", self._now()))
        await self._recorder.sync()

    def _stopped_by_node(self, stop: dict[str, Any]) -> events.RunFinished:
        if stop["status"] != "error":
            return events.RunFinished("finished", self._now())
        message = stop["message"] or "The flow ended itself with an error."
        error = {"message": message, "hint": "", "kind": "stopped_by_flow", "node": stop["node"]}
        return events.RunFinished("error", self._now(), error)

    def _cancel(self, numbers: Sequence[int]) -> None:
        void = set(numbers)
        self._queue = deque(number for number in self._queue if number not in void)
        for number in numbers:
            task = self._tasks.get(number)
            if task is not None:
                self._called_off.add(number)
                task.cancel()

    async def _cancel_all(self) -> None:
        for watch in self._watches:
            watch.cancel()
        self._watches.clear()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CANCEL_S)
        self._tasks.clear()
        self._begun.clear()
        self._places.clear()
        self._busy.clear()
        self._done.clear()
        self._called_off.clear()

    def _emit_from_step(self, event: events.Event) -> None:
        """What a step tells; one that was called off is not heard any more."""
        if self._going and getattr(event, "firing", None) in self.condition.firings:
            self.emit(event)

    def _now(self) -> float:
        return self.services.clock.now()
