"""What is odd or good to know about single nodes: switched off, pinned, retries, limits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from engine.check.facts import NodeFacts
from engine.check.level import Level
from engine.check.problem import Fix, Problem
from engine.check.view import FlowView
from engine.fields import field_specs, shown_fields
from engine.flow.document import ErrorPolicy, Flow, RetryPolicy
from engine.flow.edits import set_disabled, set_on_error, set_timeout, unpin_output

_LONG = 24 * 3600


def problems(view: FlowView) -> Iterator[Problem]:
    """What is odd about the settings of nodes."""
    for facts in view.facts.values():
        yield from _switches(view, facts)
        yield from _retry(view, facts)
        yield from _timeout(view, facts)
    for level in view.levels.values():
        yield from _collect(view, level)


def _switches(view: FlowView, facts: NodeFacts) -> Iterator[Problem]:
    node, title = facts.node, view.title(facts.node.id)
    if node.disabled:
        yield view.problem(
            "disabled-node",
            f"{title} is switched off: it hands its input on.",
            node=node.id,
            fix=Fix("Switch it on", partial(_enabled, node.id)),
        )
    if node.id in view.flow.pinned:
        yield view.problem(
            "pinned-output",
            f"{title} is not run: its pinned output is used.",
            "Take the pin off before you use the flow for real.",
            node=node.id,
            fix=Fix("Take the pin off", partial(_unpinned, node.id)),
        )


def _enabled(node_id: str, flow: Flow) -> Flow:
    return set_disabled(flow, [node_id], disabled=False)


def _unpinned(node_id: str, flow: Flow) -> Flow:
    return unpin_output(flow, node_id)


def _retry(view: FlowView, facts: NodeFacts) -> Iterator[Problem]:
    policy = facts.node.on_error
    if policy is None or policy.retry is None:
        return
    retry, title = policy.retry, view.title(facts.node.id)
    if retry.attempts == 1:
        yield view.problem(
            "odd-retry",
            f"{title} is tried once in all, so its retry policy changes nothing.",
            "Allow at least two tries, or take the policy off.",
            node=facts.node.id,
            fix=Fix("Take the retry policy off", partial(_without_retry, facts.node.id)),
        )
    elif _longest_wait(retry) > _LONG:
        yield view.problem(
            "odd-retry",
            f"{title} would wait for more than a day before its last try.",
            "Allow fewer tries, or a smaller wait.",
            node=facts.node.id,
        )


def _longest_wait(retry: RetryPolicy) -> float:
    wait = retry.wait
    for _ in range(retry.attempts - 2):
        wait *= retry.backoff
        if wait > _LONG:
            break
    return wait


def _without_retry(node_id: str, flow: Flow) -> Flow:
    old = flow.node_by_id[node_id].on_error
    return set_on_error(flow, node_id, ErrorPolicy(policy=old.policy) if old else None)


def _timeout(view: FlowView, facts: NodeFacts) -> Iterator[Problem]:
    limit = facts.node.timeout_s
    if limit is None or facts.kind is None:
        return
    for spec in shown_fields(field_specs(facts.kind), facts.config):
        value = facts.config.get(spec.name)
        if spec.unit != "s" or isinstance(value, bool) or not isinstance(value, int | float):
            continue
        if value >= limit:
            yield view.problem(
                "odd-timeout",
                f"{view.title(facts.node.id)} is given {limit:g} s, but its field '{spec.title}' "
                f"asks for {value:g} s.",
                "Give it more time, or make the field smaller.",
                node=facts.node.id,
                field=(spec.name,),
                fix=Fix("Take the limit off", partial(_without_limit, facts.node.id)),
            )


def _without_limit(node_id: str, flow: Flow) -> Flow:
    return set_timeout(flow, node_id, None)


def _collect(view: FlowView, level: Level) -> Iterator[Problem]:
    """Several values come from a node that sends several, or round by round from a loop."""
    if all(facts.join != "collect" for facts in level.facts):
        return
    senders = 0
    for number in range(len(level.facts)):
        if level.splitters >> number & 1 or level.in_loop(number):
            senders |= level.anywhere[number] | 1 << number
    for number, facts in enumerate(level.facts):
        if facts.join == "collect" and not senders >> number & 1 and level.is_reached(number):
            yield view.problem(
                "collect-without-split",
                f"{view.title(facts.node.id)} collects everything that will ever come, but no "
                "node before it sends more than one value.",
                "Wait for one result of each branch, or put a One by one node before it.",
                node=facts.node.id,
            )
