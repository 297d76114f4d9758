"""Tries Loopwright: runs the first gallery flow in the terminal.

At a terminal the flow's questions are asked there; otherwise the answers recorded with the flow
are given, so that it runs to its end by itself.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FLOW = Path("resources/templates/reply-to-a-mail.flow.json")
PAUSED = 4


def recorded_case(flow: Path) -> dict[str, Any]:
    """The first case that is recorded beside a flow: what it starts with, how it is answered."""
    cases = flow.with_name(flow.name.replace(".flow.json", ".cases.json"))
    first: dict[str, Any] = json.loads(cases.read_text("utf-8"))["cases"][0]
    return first


def command(folder: Path, *, asking: bool) -> list[str]:
    """The command line that runs the flow, with the case's values as files in `folder`."""
    case = recorded_case(ROOT / FLOW)
    given = {"input": case["input"]}
    if not asking and "answers" in case:
        given["answers"] = case["answers"]
    words = [str(Path(sys.executable).with_name("loopwright")), "run", str(FLOW)]
    for flag, value in given.items():
        path = folder / f"{flag}.json"
        path.write_text(json.dumps(value), "utf-8")
        words += [f"--{flag}", f"@{path}"]
    return words


def main() -> int:
    """Runs the flow; its exit code. Who leaves a question for later has not failed."""
    asking = sys.stdin.isatty() and sys.stdout.isatty()
    print(f"This version has no window yet: running {FLOW} in the terminal.")
    if not asking:
        print("Nobody can be asked here: the answers recorded with the flow are used.")
    print(flush=True)
    with tempfile.TemporaryDirectory() as folder:
        code = subprocess.run(
            command(Path(folder), asking=asking), cwd=ROOT, check=False
        ).returncode
    return 0 if asking and code == PAUSED else code


if __name__ == "__main__":
    sys.exit(main())
