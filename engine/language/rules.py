"""Everything that can be written in expressions and templates, as data for help and checks."""

from __future__ import annotations

from collections.abc import Mapping

from engine.language.filters import FILTERS
from engine.language.functions import FUNCTIONS, TYPES
from engine.language.methods import LIST_METHODS, RECORD_METHODS, TEXT_METHODS

EXPRESSION_NAMES: Mapping[str, str] = {
    "context": "The flow's variables: context.name",
    "state": "The state of the run: state.get('name')",
    "input": "What this step received.",
    "inputs": "What this step received, by the node that sent it.",
    "output": "This step's own result, in edge conditions and updates.",
    "messages": "The chat messages of this run: messages[-1].content",
    "form": "The form that the run was started with.",
    "iteration": "The item of the box that this node is in: iteration.item",
    "current_node": "The id of this node.",
    "loop_count": "Number of the current round of the innermost loop, 0 in the first.",
    "loop_state": "State of the innermost loop.",
    "loop_states": "State of each loop, by its node.",
    "task_states": "What each parallel branch gave.",
    "route_decision": "The way that was last taken.",
}
"""The names that every expression can see, with a line of help each."""

TEMPLATE_NAMES: Mapping[str, str] = {
    **EXPRESSION_NAMES,
    "question": "What the person asked.",
    "chat_history": "The messages before this question.",
    "file_attachment": "The files that came with the question.",
    "loop": "The innermost loop: loop.count, loop.item, loop.index",
    "current_date_time": "Date and time now.",
    "$flow": "This flow: $flow.state.name, $flow.id, $flow.sessionId",
    "$state": "The flow's variables: $state.name",
    "$form": "The form that the run was started with.",
    "$webhook": "The request that started the run: $webhook.body.name",
    "$iteration": "Inside a box: $iteration.item, .index, .is_first, .is_last, .total",
    "$loopCount": "Number of the current round of the innermost loop.",
    "$vars": "Variables of the library: $vars.name",
    "$secrets": "Secrets, in fields that take them: $secrets.name",
    "$run": "This run: $run.id",
    "$node": 'The output of a node by its label: $node["Label"].output',
}
"""The names that every template can ask for, with a line of help each."""

__all__ = [
    "EXPRESSION_NAMES", "FILTERS", "FUNCTIONS", "LIST_METHODS", "RECORD_METHODS",
    "TEMPLATE_NAMES", "TEXT_METHODS", "TYPES",
]  # fmt: skip
