"""The names that a step's fields can use, looked up only when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from engine.language.scope import NodeValue
from engine.run.condition import Condition, Firing, Scope
from engine.run.frames import Frame
from engine.run.loop_scope import innermost, loop_state, newest_loop_states
from engine.run.state import RunState


class StateView(Mapping[str, Any]):
    """The run state by entry name; `get` finds a flow variable where no entry has that name."""

    def __init__(self, condition: Condition, state: RunState, names: StepNames) -> None:
        self._condition = condition
        self._state = state
        self._names = names

    def __getitem__(self, name: str) -> Any:
        getter = _ENTRIES.get(name)
        if getter is not None:
            return getter(self)
        return self._state.context[name]

    def __iter__(self) -> Iterator[str]:
        yield from _ENTRIES
        yield from (name for name in self._state.context if name not in _ENTRIES)

    def __len__(self) -> int:
        return len(set(_ENTRIES) | set(self._state.context))

    def from_input(self, name: str) -> Any:
        """Something the run was given at its start."""
        return self._condition.run_input.get(name) or {}

    @property
    def names(self) -> StepNames:
        """The names of the step that looks."""
        return self._names

    @property
    def state(self) -> RunState:
        """The state behind the view."""
        return self._state

    @property
    def condition(self) -> Condition:
        """The run that the state is of."""
        return self._condition


_ENTRIES: dict[str, Callable[[StateView], Any]] = {
    "context": lambda v: v.state.context,
    "messages": lambda v: v.state.messages,
    "todos": lambda v: list(v.state.todos),
    "route_decision": lambda v: v.state.route_decision,
    "route_history": lambda v: v.state.route_history,
    "loop_count": lambda v: v.names.loop_count,
    "loop_states": lambda v: newest_loop_states(v.state),
    "task_states": lambda v: v.state.task_states,
    "task_results": lambda v: v.state.task_results,
    "parallel_results": lambda v: v.state.parallel_results,
    "node_contexts": lambda v: v.state.node_contexts,
    "form": lambda v: v.from_input("form"),
    "webhook": lambda v: v.from_input("webhook"),
    "vars": lambda v: v.condition.vars,
}


class StepNames:
    """Names in scope for one step; see flow-format.md for what each stands for.

    Args:
        condition: The run.
        firing: The step; None for a look from outside any step.
        now: Gives the current date and time as text.
        extra: Names that come before all others.
        state: The state to look at instead of the run's newest.
    """

    def __init__(
        self,
        condition: Condition,
        firing: Firing | None,
        now: Callable[[], str],
        extra: Mapping[str, Any] | None = None,
        state: RunState | None = None,
    ) -> None:
        self._condition = condition
        self._firing = firing
        self._now = now
        self._extra = extra
        self._state = state or condition.state
        self._scope = condition.scopes[firing.path] if firing else condition.top
        self._in_loop: tuple[Scope, int, int, int] | None = None

    def with_extra(self, extra: Mapping[str, Any], state: RunState | None = None) -> StepNames:
        """The same names with some more in front."""
        return StepNames(self._condition, self._firing, self._now, extra, state or self._state)

    # ---- what the language asks ------------------------------------------------------------

    def lookup(self, name: str) -> object:
        """The value of a name.

        Raises:
            KeyError: There is none.
        """
        if self._extra is not None and name in self._extra:
            return self._extra[name]
        if name == "context":  # asked for more often than all others together
            return self._state.context
        getter = _ROOTS.get(name)
        if getter is not None:
            return getter(self)
        context = self._state.context
        if name in context:
            return context[name]
        return self.node(name)

    def names(self) -> Iterable[str]:
        """Every name, for hints."""
        yield from self._extra or ()
        yield from _ROOTS
        yield from self._state.context
        yield from (node.id for node in self._condition.plan.flow.nodes)

    # ---- the roots -------------------------------------------------------------------------

    @property
    def state(self) -> StateView:
        """The run state."""
        return StateView(self._condition, self._state, self)

    @property
    def context(self) -> Mapping[str, Any]:
        """The flow variables."""
        return self._state.context

    def node(self, name: str) -> NodeValue:
        """A node's newest output as this step can see it.

        Raises:
            KeyError: There is no such node, or it has not run yet.
        """
        scope: Scope | None = self._scope
        frame: Frame = self._firing.frame if self._firing else ()
        while scope is not None:
            number = scope.level.structure.index.get(name)
            if number is not None:
                found, value = scope.newest_output(number, frame)
                if found:
                    return NodeValue(value)
            owner = self._condition.firings.get(scope.owner) if scope.owner else None
            scope = self._condition.scopes[owner.path] if owner else None
            frame = owner.frame if owner else ()
        raise KeyError(name)

    def nodes_by_label(self) -> Mapping[str, NodeValue]:
        """Every node that has run, by label."""
        return _NodesByLabel(self)

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What this step received, by source."""
        return self._firing.inputs if self._firing else {}

    @property
    def input(self) -> Any:
        """What this step received."""
        return input_of(self._condition, self._firing)

    @property
    def loop_count(self) -> int:
        """Round of the innermost loop."""
        return self._loop()[3]

    def _loop(self) -> tuple[Scope, int, int, int]:
        """The innermost loop around the step, also one around the boxes that hold it."""
        if self._in_loop is None:
            self._in_loop = self._look_for_loop()
        return self._in_loop

    def _look_for_loop(self) -> tuple[Scope, int, int, int]:
        scope, firing = self._scope, self._firing
        while firing is not None:
            found = innermost(scope, firing.node, firing.frame)
            if found is not None:
                return scope, *found
            firing = self._condition.firings.get(scope.owner) if scope.owner else None
            scope = self._condition.scopes[firing.path] if firing else scope
        return self._scope, -1, 0, 0

    @property
    def loop(self) -> dict[str, Any]:
        """`count`, `index`, `item` of the innermost loop."""
        scope, header, entry, number = self._loop()
        state = self._loop_state(scope, header, entry)
        return {
            "count": number,
            "index": state.get("current_index", number),
            "item": state.get("current_item"),
        }

    def _loop_state(self, scope: Scope, header: int, entry: int) -> Mapping[str, Any]:
        if header < 0:
            return {}
        level = scope.level
        for number, controlled in level.controls.items():
            if controlled == header:
                state = loop_state(self._state, level.ids[number], entry)
                if state:
                    return state
        return {}

    @property
    def loop_state(self) -> dict[str, Any]:
        """The loop state of the innermost loop."""
        scope, header, entry, number = self._loop()
        return {"loop_count": number, **self._loop_state(scope, header, entry)}

    @property
    def iteration(self) -> Mapping[str, Any]:
        """`$iteration` of the innermost box."""
        if self._scope.item is None:
            msg = "$iteration"
            raise KeyError(msg)
        return self._scope.item

    def run_input(self, name: str, default: Any) -> Any:
        """Something the run was given."""
        return self._condition.run_input.get(name, default)

    @property
    def node_id(self) -> str | None:
        """The id of this step's node."""
        return self._condition.node_id(self._firing) if self._firing else None

    @property
    def now(self) -> str:
        """The current date and time."""
        return self._now()

    def facts_of_flow(self) -> dict[str, Any]:
        """`$flow`."""
        flow = self._condition.plan.flow
        session = self._condition.run_input.get("session_id") or self._condition.run_id
        return {"id": flow.id, "name": flow.name, "state": self.context, "sessionId": session}

    @property
    def variables(self) -> Mapping[str, Any]:
        """Library-wide variables."""
        return self._condition.vars

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self._condition.run_id


class _NodesByLabel(Mapping[str, NodeValue]):
    def __init__(self, names: StepNames) -> None:
        self._names = names
        self._ids = names._condition.plan.id_by_label

    def __getitem__(self, label: str) -> NodeValue:
        return self._names.node(self._ids[label])

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


def input_of(condition: Condition, firing: Firing | None) -> Any:
    """One value received as it is, several by source; at a start what the run was given."""
    if firing is None or not firing.inputs:
        given = condition.run_input
        for name in ("question", "form", "webhook"):
            if given.get(name) is not None:
                return given[name]
        return None
    if len(firing.inputs) == 1:
        return next(iter(firing.inputs.values()))
    return firing.inputs


_ROOTS: dict[str, Callable[[StepNames], Any]] = {
    "context": lambda n: n.context,
    "state": lambda n: n.state,
    "input": lambda n: n.input,
    "inputs": lambda n: n.inputs,
    "messages": lambda n: n.state.state.messages,
    "question": lambda n: n.run_input("question", ""),
    "chat_history": lambda n: [*n.run_input("history", []), *n.state.state.messages],
    "file_attachment": lambda n: n.run_input("files", []),
    "form": lambda n: n.run_input("form", {}),
    "current_node": lambda n: n.node_id,
    "loop_count": lambda n: n.loop_count,
    "loop": lambda n: n.loop,
    "loop_state": lambda n: n.loop_state,
    "loop_states": lambda n: n.state["loop_states"],
    "task_states": lambda n: n.state["task_states"],
    "route_decision": lambda n: n.state["route_decision"],
    "iteration": lambda n: n.iteration,
    "current_date_time": lambda n: n.now,
    "$flow": lambda n: n.facts_of_flow(),
    "$state": lambda n: n.context,
    "$form": lambda n: n.run_input("form", {}),
    "$webhook": lambda n: n.run_input("webhook", {}),
    "$iteration": lambda n: n.iteration,
    "$loopCount": lambda n: n.loop_count,
    "$vars": lambda n: n.variables,
    "$run": lambda n: {"id": n.run_id},
    "$node": lambda n: n.nodes_by_label(),
}
