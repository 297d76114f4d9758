"""How a run stands, for a person: what came out, what waits, what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from engine.cli.json_output import to_json
from engine.cli.step_printer import duration
from engine.cli.terminal import Screen

_MANY = 5


def show_ending(
    screen: Screen,
    report: Mapping[str, Any],
    title_of: Mapping[str, str],
    seconds: float | None,
    *,
    was_interrupted: bool = False,
) -> None:
    """Prints the end of a run.

    Args:
        screen: Where to.
        report: What `run --json` would print.
        title_of: Labels of the nodes, by id.
        seconds: How long this program ran it; None when it did not.
        was_interrupted: Whether the person left it with Ctrl+C.
    """
    _show_unmatched(screen, report["unmatched"])
    if report["status"] == "finished":
        _show_output(screen, report["output"])
    elif report["status"] == "error":
        _show_error(screen, report["error"])
    elif was_interrupted and report["requests"]:
        # The question stands right above: it was broken off there.
        screen.line()
        screen.line("Interrupted: the run waits; resume with")
        screen.line(f"  loopwright resume {report['run_id']}")
    elif report["requests"]:
        _show_requests(screen, report, title_of)
    screen.line()
    screen.told(_status_line(screen, report, seconds), "", "  ")
    for text in _next_steps(report):
        screen.told(text, "  ", "    ")


def _show_output(screen: Screen, output: Any) -> None:
    if output is None:
        return
    screen.line()
    if isinstance(output, Mapping) and isinstance(output.get("content"), str):
        output = output["content"]
    screen.told(screen.show(output), "  ", splits=True)


def _show_error(screen: Screen, error: Mapping[str, Any]) -> None:
    screen.line()
    place = error.get("label") or error.get("node")
    inside = f" ({error['path']})" if error.get("path") else ""
    where = f"{place}{inside}: " if place else ""
    sign = screen.paint(screen.glyph("✗"), "red")
    screen.told(screen.show(where + error["message"]), f"{sign} ")
    if error.get("hint"):
        screen.told(screen.show(error["hint"]), "  ")


def _show_requests(screen: Screen, report: Mapping[str, Any], title_of: Mapping[str, str]) -> None:
    requests: Sequence[Mapping[str, Any]] = report["requests"]
    for request in requests:
        screen.line()
        title = screen.show(title_of.get(request["node"], request["node"]))
        sign = screen.paint(screen.glyph("?"), "cyan", "bold")
        screen.line(f"{sign} {screen.paint(title, 'bold')}")
        screen.told(screen.show(request["prompt"]), "  ", splits=True)
        which = f" --request {shlex.quote(request['id'])}" if len(requests) > 1 else ""
        screen.line()
        for answer in _possible_answers(request):
            text = shlex.quote(to_json(answer, indent=None))
            screen.line(f"  loopwright resume {report['run_id']}{which} --answer {text}")


def _possible_answers(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    match request["kind"]:
        case "approve" | "tool_approval":
            reject: dict[str, Any] = {"type": "reject"}
            if request.get("feedback"):
                reject["feedback"] = "..."
            return [{"type": "proceed"}, reject]
        case "choose":
            return [{"choice": option} for option in request["options"][:_MANY]]
        case "form":
            form = request["schema"].get("properties", {}).get("form", {})
            names = form.get("properties", {})
            return [{"form": {name: part.get("default", "...") for name, part in names.items()}}]
    return [{"text": "..."}]


def _show_unmatched(screen: Screen, unmatched: Sequence[Mapping[str, Any]]) -> None:
    sign = screen.paint(screen.glyph("!"), "yellow")
    for entry in unmatched[:_MANY]:
        value = screen.short(entry["value"], 60)
        screen.line(f"  {sign} The value {value} on edge '{entry['edge']}' was used by no step.")
    if len(unmatched) > _MANY:
        screen.line(f"  {sign} {len(unmatched) - _MANY} more values were used by no step.")


_COLOURS = {"finished": "green", "error": "red", "paused": "cyan", "stopped": "yellow"}


def _status_line(screen: Screen, report: Mapping[str, Any], seconds: float | None) -> str:
    status = report["status"]
    steps = len(report["steps"])
    facts = [f"{steps} step{'' if steps == 1 else 's'}"]
    if seconds is not None:
        facts.append(duration(seconds))
    if report["warnings"]:
        count = len(report["warnings"])
        facts.append(f"{count} warning{'' if count == 1 else 's'}")
    facts.append(f"run {report['run_id']}")
    word = "waiting for an answer" if status == "paused" else status
    shown = screen.paint(word, _COLOURS.get(status, "bold"), "bold")
    between = f" {screen.glyph('·')} "
    return between.join([shown, *facts])


def _next_steps(report: Mapping[str, Any]) -> list[str]:
    run_id, status = report["run_id"], report["status"]
    if status == "stopped":
        return [f"Go on with it: loopwright resume {run_id}"]
    if status != "error":
        return []
    lines = []
    if (report["error"] or {}).get("kind") == "max_steps":
        lines.append(f"Give it more steps: loopwright resume {run_id} --max-steps N")
    else:
        lines.append(f"Try that step again: loopwright resume {run_id}")
    steps = report["steps"]
    if steps:
        failed = steps[-1]["status"] == "error"
        at = int(steps[-1]["step"]) - 1 if failed else int(steps[-1]["step"])
        lines.append(
            f"Go on from before it with a mended flow: "
            f"loopwright fork {run_id} --at {at} --flow FLOW"
        )
    return lines
