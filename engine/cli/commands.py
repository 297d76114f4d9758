"""The commands that there are; the module of one is imported only when it is used."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Args:
        name: What is typed.
        module: Where it is carried out: has `configure(parser)` and `carry_out(arguments)`.
        usage: Its arguments, in short.
        summary: What it does, in one line.
    """

    name: str
    module: str
    usage: str
    summary: str


COMMANDS: tuple[Command, ...] = (
    Command("run", "run", "FLOW", "run a flow to its end, a question or an error"),
    Command("resume", "resume", "RUN", "answer a waiting question, or go on after a stop or crash"),
    Command("fork", "fork", "RUN --at STEP", "a new run from an earlier step of another"),
    Command("runs", "runs", "[list|show|steps|state|diff|delete]", "what ran"),
    Command("validate", "validate", "FLOW...", "mistakes in a flow, and how to mend them"),
    Command("test", "cases", "FLOW...", "try a flow on its recorded cases (*.cases.json)"),
    Command("nodes", "nodes", "[TYPE]", "the kinds of nodes, and what each does"),
    Command("doctor", "doctor", "", "what is installed, and where your data lies"),
    Command("edit", "window", "[FLOW]", "the window to draw in (comes later)"),
)
BY_NAME = {command.name: command for command in COMMANDS}


def overview() -> str:
    """The help page of the whole program."""
    words = [(f"{each.name} {each.usage}".strip(), each.summary) for each in COMMANDS]
    width = max(len(typed) for typed, _ in words)
    lines = [f"  {typed:<{width}}  {summary}" for typed, summary in words]
    return "\n".join(
        [
            "usage: loopwright COMMAND ...",
            "",
            "Runs flows of agents and people, stops them at any moment, and goes on.",
            "",
            *lines,
            "",
            "loopwright COMMAND --help  tells more about one of them",
            "loopwright --version       which version this is",
            "",
        ]
    )
