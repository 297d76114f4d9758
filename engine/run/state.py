"""The run's state: an immutable version per change, sharing all that a change does not touch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.errors import NodeError
from engine.flow.document import Variable
from engine.node_type import Change
from engine.run.reducers import REDUCERS
from engine.run.variables import fit
from engine.run.views import GrowingList

Variables = Mapping[str, Variable]
_KEYED = frozenset({"node_contexts", "task_states"})
_LISTS = frozenset({"task_results", "parallel_results", "route_history"})


@dataclass(slots=True)
class RunState:
    """One version of the state.

    `loop_states` is kept per node and loop entry: `{node id: {entry: {...}}}`; entry 0 stands
    for a node in no loop.
    """

    context: Mapping[str, Any] = field(default_factory=dict)
    messages: GrowingList = field(default_factory=GrowingList)
    todos: tuple[Any, ...] = ()
    route_decision: str | None = None
    route_history: GrowingList = field(default_factory=GrowingList)
    loop_states: Mapping[str, Mapping[int, Mapping[str, Any]]] = field(default_factory=dict)
    task_states: Mapping[str, Any] = field(default_factory=dict)
    task_results: GrowingList = field(default_factory=GrowingList)
    parallel_results: GrowingList = field(default_factory=GrowingList)
    node_contexts: Mapping[str, Any] = field(default_factory=dict)

    def changed(self, **parts: Any) -> RunState:
        """Another version with some parts replaced; this one stays as it is."""
        version = RunState(
            self.context,
            self.messages,
            self.todos,
            self.route_decision,
            self.route_history,
            self.loop_states,
            self.task_states,
            self.task_results,
            self.parallel_results,
            self.node_contexts,
        )
        for name, value in parts.items():
            setattr(version, name, value)
        return version

    def with_route(self, route: str) -> RunState:
        """The version after a decision."""
        return RunState(
            self.context,
            self.messages,
            self.todos,
            route,
            self.route_history.extended((route,)),
            self.loop_states,
            self.task_states,
            self.task_results,
            self.parallel_results,
            self.node_contexts,
        )


def first_state(variables: Iterable[Variable], overrides: Mapping[str, Any]) -> RunState:
    """The state at the start: declared first values, then the run's own."""
    context = {variable.name: _default(variable) for variable in variables}
    return RunState(context={**context, **overrides})


def _default(variable: Variable) -> Any:
    """The first value in the variable's type; one that does not fit stays as it is written."""
    try:
        return fit(variable, variable.default)
    except NodeError:
        return variable.default


def apply_changes(
    state: RunState, changes: Iterable[Change], variables: Variables, entry: int = 0
) -> RunState:
    """The state after a step's changes.

    Args:
        state: Before.
        changes: In order.
        variables: The declared ones: their types and reducers.
        entry: Which entry of its innermost loop the step belongs to.

    Raises:
        NodeError: A value does not fit; nothing is changed then.
    """
    for change in changes:
        state = _apply(state, Change(*change), variables, entry)
    return state


def _apply(state: RunState, change: Change, variables: Variables, entry: int) -> RunState:
    name = change.entry
    if name == "context":
        return state.changed(context=_with_variable(state.context, change, variables))
    if name == "messages":
        return state.changed(messages=_with_message(state.messages, change.value))
    if name == "loop_states":
        return state.changed(loop_states=_with_loop_state(state.loop_states, change, entry))
    if name == "todos":
        return state.changed(todos=_with_todo(state.todos, change.value))
    if name in _KEYED:
        old = getattr(state, name)
        merged = REDUCERS["merge"](old.get(change.key), change.value)
        return state.changed(**{name: {**old, change.key: merged}})
    if name in _LISTS:
        return state.changed(**{name: getattr(state, name).extended((change.value,))})
    msg = f"The run's state has no part called '{name}'."
    raise NodeError(msg, "This is a fault of the node type that wrote it.")


def _with_variable(
    context: Mapping[str, Any], change: Change, variables: Variables
) -> Mapping[str, Any]:
    variable = variables.get(change.key)
    operation = change.op or (variable.reducer if variable else "replace")
    reducer = REDUCERS.get(operation)
    if reducer is None:
        msg = f"There is no operation '{operation}' on variables."
        raise NodeError(msg, f"Use one of {', '.join(REDUCERS)}.")
    try:
        value = reducer(context.get(change.key), change.value)
        value = fit(variable, value) if variable else value
    except NodeError as error:
        message = f"Variable '{change.key}': {error.message}"
        raise NodeError(message, error.hint, error.detail) from None
    return {**context, change.key: value}


def _with_message(messages: GrowingList, message: Any) -> GrowingList:
    if not isinstance(message, Mapping) or "content" not in message:
        msg = "A chat message must have a role and content."
        raise NodeError(msg, "Give an object such as {role: assistant, content: ...}.")
    same = message.get("id")
    if same is not None and any(known.get("id") == same for known in messages):
        return GrowingList(message if m.get("id") == same else m for m in messages)
    return messages.extended((message,))


def _with_loop_state(
    states: Mapping[str, Mapping[int, Mapping[str, Any]]], change: Change, entry: int
) -> Mapping[str, Mapping[int, Mapping[str, Any]]]:
    of_node = states.get(change.key, {})
    merged = {**of_node.get(entry, {}), **change.value}
    rest = {key: value for key, value in of_node.items() if key != entry}
    return {**states, change.key: {**rest, entry: merged}}


def _with_todo(todos: tuple[Any, ...], todo: Any) -> tuple[Any, ...]:
    if isinstance(todo, (list, tuple)):
        for item in todo:
            todos = _with_todo(todos, item)
        return todos
    if not isinstance(todo, Mapping):
        msg = "A todo must be an object with an id."
        raise NodeError(msg, "Give an object such as {id: 1, text: ..., done: false}.")
    if any(known.get("id") == todo.get("id") for known in todos):
        return tuple(todo if k.get("id") == todo.get("id") else k for k in todos)
    return (*todos, todo)


def without_entries(state: RunState, nodes: Iterable[str], keep: Iterable[int]) -> RunState:
    """The state less the loop states of these nodes, but for entries that are still under way."""
    kept = frozenset(keep)
    states = dict(state.loop_states)
    for node in nodes:
        of_node = states.get(node)
        if of_node:
            left = {entry: value for entry, value in of_node.items() if entry in kept}
            if left:
                states[node] = left
            else:
                del states[node]
    return state.changed(loop_states=states)
