"""Every code that a problem may have, with its usual severity and a line about it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from engine.check.problem import Severity


class CodeFacts(NamedTuple):
    """What is known of one code."""

    code: str
    severity: Severity
    explanation: str


_ROWS: tuple[tuple[str, Severity, str], ...] = (
    # Where a flow begins, and what a run can reach.
    (
        "no-start",
        "error",
        "No place where a run could begin. A warning: it begins, but at no Start node.",
    ),
    ("two-starts", "error", "A flow has at most one Start node, and this is one more."),
    ("unreachable", "warning", "No way leads from the beginning of the flow to this node."),
    ("isolated", "warning", "The node has no edges, so it never runs."),
    (
        "crosses-border",
        "error",
        "The edge leads into a box or out of it; no value passes its border.",
    ),
    ("empty-box", "warning", "The box holds no nodes, so it only hands its items on."),
    (
        "parent-is-no-box",
        "error",
        "The node lies inside one that holds no others, so it never runs.",
    ),
    ("duplicate-edge", "info", "Two edges do the same; the node still runs once."),
    # Routes.
    ("missing-route", "warning", "A way out of a node that chooses has no edge."),
    ("unknown-route", "warning", "The edge has a route key that its node does not offer."),
    (
        "missing-error-route",
        "error",
        "Failures should branch off, but no edge has the route 'error'.",
    ),
    # Loops.
    ("loop-without-exit", "error", "Every way through the loop leads back to its beginning."),
    (
        "loop-without-way-back",
        "warning",
        "A node that repeats others has no way that comes back to it.",
    ),
    (
        "marked-edge-closes-nothing",
        "warning",
        "The edge is marked as going back, but no loop is closed by it.",
    ),
    ("unmarked-back-edge", "info", "The edge closes a loop but is not marked as going back."),
    (
        "loop-entered-twice",
        "warning",
        "The loop can be entered in two places: which edge goes back is not clear.",
    ),
    # Variables.
    (
        "parallel-writers",
        "warning",
        "Two nodes that can run at the same time both replace one variable.",
    ),
    (
        "writer-in-parallel-box",
        "warning",
        "A node inside a box that works on several items at once replaces a variable.",
    ),
    ("undeclared-variable", "info", "A variable is written but not declared."),
    (
        "default-does-not-fit",
        "error",
        "The first value of a variable is not of its type. A warning: it is nearly so.",
    ),
    (
        "reducer-does-not-fit",
        "warning",
        "A variable's way of joining writes does not go with its type.",
    ),
    # Types and their fields.
    ("unknown-type", "error", "The node's type is not installed; a run stops when it comes there."),
    ("type-failed", "error", "The node's type fails when it is asked about its configuration."),
    ("missing-field", "error", "A required field is empty and no edge fills it."),
    ("wrong-value", "error", "A field has a value that it does not take."),
    (
        "unknown-field",
        "warning",
        "The configuration holds a field that the node's type does not have.",
    ),
    ("too-deep", "error", "The configuration is nested too deep."),
    # Texts in fields.
    ("bad-expression", "error", "An expression cannot be read."),
    ("bad-template", "error", "A template cannot be read."),
    (
        "unknown-variable",
        "error",
        "A text reads a variable that is neither declared nor written anywhere.",
    ),
    ("unknown-name", "error", "A text reads a name that does not exist."),
    ("unknown-node", "error", "A text reads the output of a node that does not exist."),
    ("unknown-part", "error", "A text reads a part that a name does not have."),
    ("unknown-input", "error", "A text reads what a node sent that sends nothing here."),
    (
        "unknown-form-field",
        "error",
        "A text reads an answer that the form of the Start node does not ask for.",
    ),
    (
        "iteration-outside-box",
        "error",
        "A text reads the item of a box, but the node lies in none.",
    ),
    ("secret-not-allowed", "error", "A text reads a secret in a field that takes none."),
    ("node-not-visible", "error", "A text reads a node inside a box that this node is not in."),
    ("not-run-before", "warning", "A text reads the output of a node that cannot have run before."),
    (
        "ambiguous-label",
        "warning",
        "A text names a node by a label that several nodes have; the first is meant.",
    ),
    # Pins.
    ("bad-pin", "error", "A pin cannot be read, or names no place."),
    ("pins-clash", "error", "Two pins of one node cannot both hold."),
    ("pin-without-field", "info", "A target pin begins with no field of its node."),
    # Nested flows.
    ("calls-itself", "error", "A flow runs itself, directly or through others."),
    ("unknown-flow", "warning", "The flow that a node runs cannot be found."),
    ("unreadable-flow", "warning", "The flow that a node runs cannot be read."),
    # Settings of nodes.
    ("disabled-node", "info", "The node is switched off and hands its input on."),
    ("pinned-output", "info", "The node is not run: its pinned output is used."),
    (
        "collect-without-split",
        "info",
        "The node collects several values of one branch, but none sends several.",
    ),
    ("odd-retry", "info", "A retry policy that changes nothing, or waits for very long."),
    ("odd-timeout", "info", "The node is given less time than its own settings ask for."),
)

CODES: Mapping[str, CodeFacts] = MappingProxyType({row[0]: CodeFacts(*row) for row in _ROWS})


def catalogue() -> tuple[CodeFacts, ...]:
    """Every code, with its usual severity and a one-line explanation."""
    return tuple(CODES.values())
