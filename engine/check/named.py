"""The rules for each name that a text may begin with: `context`, `$form`, the id of a node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from engine.check.node_reads import node_read
from engine.check.parsed import ParsedText
from engine.check.problem import Fix, Problem
from engine.check.rewording import output_fix, renaming_fix
from engine.check.starts import START
from engine.check.variables import declare_fix
from engine.check.view import FlowView
from engine.flow.names import quoted
from engine.language.reference import LITERAL_WORDS, Reference, is_function_name
from engine.language.rules import TEMPLATE_NAMES

Step = str | int | None
Found = Iterator[Problem]

STATE_ENTRIES = (
    "context", "messages", "todos", "route_decision", "route_history", "loop_count", "loop_states",
    "task_states", "task_results", "parallel_results", "node_contexts", "form", "webhook", "vars",
)  # fmt: skip
_PARTS: Mapping[str, tuple[str, ...]] = {
    "$flow": ("id", "name", "state", "sessionId"),
    "$run": ("id",),
    "$webhook": ("body", "headers", "query"),
    "loop": ("count", "index", "item"),
}
_ITEM_PARTS = ("index", "item", "is_first", "is_last", "total")


class NameRules:
    """Judges references one by one."""

    def __init__(self, view: FlowView) -> None:
        self._view = view
        self._variables = sorted(view.variables)
        self._form = _form_fields(view)
        self._labels = _ids_by_label(view)
        self._by_root: Mapping[str, Callable[[ParsedText, Reference], Found]] = {
            "context": lambda t, r: self._variable(t, r, r.path),
            "$state": lambda t, r: self._variable(t, r, r.path),
            "$flow": self._flow,
            "state": self._state,
            "loop_states": lambda t, r: self._of_node(t, r, r.path),
            "$form": lambda t, r: self._answer(t, r, r.path),
            "form": lambda t, r: self._answer(t, r, r.path),
            "$iteration": self._item,
            "iteration": self._item,
            "$secrets": self._secret,
            "$node": self._by_label,
            "inputs": self._input,
            "output": self._output,
        }

    def problems(self, text: ParsedText, reference: Reference) -> Found:
        """What is wrong with one name and the first steps behind it."""
        root = reference.root
        if root in text.own_names:
            return
        rule = self._by_root.get(root)
        if rule is not None:
            yield from rule(text, reference)
        elif root in _PARTS:
            yield from self._part(text, reference, root, reference.path, _PARTS[root])
        elif root not in TEMPLATE_NAMES:
            yield from self._plain_name(text, reference)

    # ---- variables -------------------------------------------------------------------------

    def _variable(self, text: ParsedText, reference: Reference, path: tuple[Step, ...]) -> Found:
        name = path[0] if path else None
        if name is None or str(name) in self._view.variables:
            return
        near = self._view.near(str(name), "variables", self._variables)
        fix = self._rename(text, reference, str(name), near) if near else declare_fix(str(name))
        hint = "" if near else "Declare it among the flow's variables, or write it somewhere."
        yield self._told(
            "unknown-variable", text, reference, f"there is no variable {quoted(name)}", near,
            hint, fix,
        )  # fmt: skip

    def _flow(self, text: ParsedText, reference: Reference) -> Found:
        path = reference.path
        if path and path[0] == "state":
            yield from self._variable(text, reference, path[1:])
        else:
            yield from self._part(text, reference, "$flow", path, _PARTS["$flow"])

    def _state(self, text: ParsedText, reference: Reference) -> Found:
        path = reference.path
        first = path[0] if path else None
        if first == "context":
            yield from self._variable(text, reference, path[1:])
        elif first in ("loop_states", "node_contexts"):
            yield from self._of_node(text, reference, path[1:])
        elif first == "form":
            yield from self._answer(text, reference, path[1:])
        elif first is not None and first not in STATE_ENTRIES:
            names = (*STATE_ENTRIES, *self._variables)
            if str(first) not in self._view.variables:
                yield from self._part(text, reference, "state", path, names)

    # ---- nodes -----------------------------------------------------------------------------

    def _of_node(self, text: ParsedText, reference: Reference, path: tuple[Step, ...]) -> Found:
        """A part of the run's state that is kept per node."""
        name = path[0] if path else None
        ids = self._view.flow.node_by_id
        if name is None or str(name) in ids:
            return
        near = self._view.near(str(name), "node ids", ids)
        fix = self._rename(text, reference, str(name), near)
        said = f"there is no node with the id {quoted(name)}"
        yield self._told("unknown-node", text, reference, said, near, "", fix)

    def _by_label(self, text: ParsedText, reference: Reference) -> Found:
        label = reference.path[0] if reference.path else None
        if label is None:
            return
        ids = self._labels.get(str(label), ())
        if not ids:
            near = self._view.near(str(label), "labels", self._labels)
            fix = self._rename(text, reference, str(label), near)
            said = f"there is no node with the label {quoted(label)}"
            yield self._told("unknown-node", text, reference, said, near, "", fix)
            return
        if len(ids) > 1:
            yield self._told(
                "ambiguous-label", text, reference,
                f"{len(ids)} nodes have the label {quoted(label)}; the first one is read",
                "", "Give each its own label, or use the node's id.",
            )  # fmt: skip
        yield from self._reads_node(text, reference, ids[0], reference.path[1:])

    def _reads_node(
        self, text: ParsedText, reference: Reference, node_id: str, path: tuple[Step, ...]
    ) -> Found:
        if path and path[0] not in ("output", None):
            fix = output_fix(text, reference) if reference.root == node_id else None
            yield self._told(
                "unknown-part", text, reference,
                f"there is no {quoted(path[0])} in the node {self._view.title(node_id)}",
                "", "What a node gave stands behind `.output`.", fix,
            )  # fmt: skip
        yield from node_read(self._view, text, reference, node_id)

    def _input(self, text: ParsedText, reference: Reference) -> Found:
        name = reference.path[0] if reference.path else None
        if name is None or text.node.type == START:
            return
        senders = dict.fromkeys(e.source for e in self._view.sound_edges_to(text.node.id))
        if text.node.parent is not None:
            senders[text.node.parent] = None
        # Two edges from one node: the second value stands under `node[edge]`.
        if str(name).split("[", 1)[0] in senders:
            return
        near = self._view.near(str(name), f"senders to {text.node.id}", senders)
        hint = f"It gets its input from {', '.join(map(quoted, list(senders)[:5]))}."
        yield self._told(
            "unknown-input", text, reference, f"no node {quoted(name)} sends anything here", near,
            hint if senders else "No edge leads to this node.",
            self._rename(text, reference, str(name), near),
        )  # fmt: skip

    def _output(self, text: ParsedText, reference: Reference) -> Found:
        """The step's own result is there on its edges and in its updates."""
        if text.edge is None and "updates" not in text.field:
            yield from self._plain_name(text, reference)

    def _plain_name(self, text: ParsedText, reference: Reference) -> Found:
        view, root = self._view, reference.root
        if root in view.variables or (text.is_expression and root in LITERAL_WORDS):
            return
        if root in view.flow.node_by_id:
            yield from self._reads_node(text, reference, root, reference.path)
            return
        if text.is_expression and is_function_name(root):
            hint = f"It is a function: it needs a value in brackets, as in {root}(input)."
            said = f"{quoted(root)} is no value"
            yield self._told("unknown-name", text, reference, said, "", hint)
            return
        usual = (n for n in TEMPLATE_NAMES if not (text.is_expression and n.startswith("$")))
        names = [*text.own_names, *self._variables, *view.flow.node_by_id, *usual]
        topic = f"names of {text.node.id}" if text.own_names else f"names {text.is_expression}"
        near = view.near(root, topic, names)
        said = f"there is no variable and no node called {quoted(root)}"
        hint = "" if near else "A flow variable is `context.name`, what arrived here `input`."
        fix = self._rename(text, reference, root, near)
        yield self._told("unknown-name", text, reference, said, near, hint, fix)

    # ---- what the run was given ------------------------------------------------------------

    def _answer(self, text: ParsedText, reference: Reference, path: tuple[Step, ...]) -> Found:
        name = path[0] if path else None
        if name is None or (self._form is not None and str(name) in self._form):
            return
        if self._form is None:
            yield self._told(
                "unknown-form-field", text, reference,
                f"there is no answer {quoted(name)}: the flow does not start with a form", "",
                "Let the Start node show a form.", severity="warning",
            )  # fmt: skip
            return
        near = self._view.near(str(name), "form", self._form)
        said = f"the form of the Start node has no field {quoted(name)}"
        hint = f"It has: {', '.join(self._form[:8])}." if self._form else "It has no fields yet."
        fix = self._rename(text, reference, str(name), near)
        yield self._told("unknown-form-field", text, reference, said, near, hint, fix)

    def _item(self, text: ParsedText, reference: Reference) -> Found:
        view = self._view
        box = text.node.parent
        if box is None or not view.facts[box].is_box:
            hint = "Put the node into a box such as For each."
            if view.facts[text.node.id].is_box:
                hint = "The item is there inside the box, not in its own fields."
            said = f"{quoted(reference.root)} has no value outside a box"
            yield self._told("iteration-outside-box", text, reference, said, "", hint)
            return
        yield from self._part(text, reference, reference.root, reference.path, _ITEM_PARTS)

    def _secret(self, text: ParsedText, reference: Reference) -> Found:
        if not text.takes_secrets:
            yield self._told(
                "secret-not-allowed", text, reference, "secrets cannot stand in this field", "",
                "Secrets go only where a field says that it takes them.",
            )  # fmt: skip

    def _part(
        self,
        text: ParsedText,
        reference: Reference,
        owner: str,
        path: tuple[Step, ...],
        names: Iterable[str],
    ) -> Found:
        known = tuple(names)
        first = path[0] if path else None
        if first is None or first in known:
            return
        near = self._view.near(str(first), f"parts of {owner}", known)
        hint = "" if near else f"It has: {', '.join(known[:8])}."
        fix = self._rename(text, reference, str(first), near)
        said = f"there is no {quoted(first)} in {owner}"
        yield self._told("unknown-part", text, reference, said, near, hint, fix)

    # ---- words -----------------------------------------------------------------------------

    def _rename(self, text: ParsedText, reference: Reference, wrong: str, near: str) -> Fix | None:
        return renaming_fix(text, reference, wrong, near) if near else None

    def _told(
        self,
        code: str,
        text: ParsedText,
        reference: Reference,
        said: str,
        near: str,
        hint: str = "",
        fix: Fix | None = None,
        severity: Any = None,
    ) -> Problem:
        ask = f"; did you mean {quoted(near)}?" if near else "."
        return self._view.problem(
            code,
            f"{text.where}: {said}{ask}",
            hint if not near else "",
            node=text.node.id if text.edge is None else None,
            edge=text.edge.id if text.edge is not None else None,
            field=text.field,
            position=reference.position,
            fix=fix,
            severity=severity,
        )


def _form_fields(view: FlowView) -> tuple[str, ...] | None:
    """The names that the form of the Start node asks for; None when it shows none."""
    found: list[str] = []
    shows_form = False
    for facts in view.facts.values():
        if facts.node.type == START and getattr(facts.shown, "input_mode", "") == "form":
            shows_form = True
            found += [field.name for field in getattr(facts.shown, "form_fields", ())]
    return tuple(dict.fromkeys(found)) if shows_form else None


def _ids_by_label(view: FlowView) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for node in view.flow.nodes:
        found[node.title] = (*found.get(node.title, ()), node.id)
    return found
