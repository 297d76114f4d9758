"""The command `loopwright`: finds the command meant, carries it out, tells what went wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from engine.cli import streams
from engine.cli.commands import BY_NAME, Command, overview
from engine.errors import UsageError

if TYPE_CHECKING:
    from engine.cli.report_errors import ErrorForm


def main(argv: Sequence[str] | None = None) -> int:
    """Carries out one call of the program.

    Args:
        argv: The words after `loopwright`; those of this process when None.

    Returns:
        0 finished, 2 usage or invalid flow, 3 the run ended in error, 4 paused, 5 stopped,
        130 interrupted.
    """
    # No plugin of pydantic is wanted, and looking for some costs 15 ms at every start.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    words = list(sys.argv[1:] if argv is None else argv)
    streams.make_ready()
    code = _guarded(words)
    lost = streams.lost_output()
    if lost is None:
        return code
    why = streams.why_lost(lost)
    streams.put(sys.stderr, f"loopwright: the output could not be written: {why}\n")
    return 3


def _guarded(words: list[str]) -> int:
    """Carries out the call; whatever goes wrong becomes words and an exit code."""
    form = _form(words)
    try:
        return _carry_out(words)
    except KeyboardInterrupt:
        return _interrupted(form)
    except BrokenPipeError:
        return _end_quietly()
    except SystemExit as end:  # argparse ends so after --help
        return end.code if isinstance(end.code, int) else 0
    except Exception as fault:  # noqa: BLE001 - the last place where a fault can be told in words
        from engine.cli.report_errors import tell_any

        return tell_any(fault, form)


def _form(words: list[str]) -> ErrorForm:
    if "--json" not in words:
        return "text"
    return "run" if words[0] in ("run", "resume", "fork") else "json"


def _carry_out(words: list[str]) -> int:
    if not words:
        return _call(BY_NAME["edit"], [])
    first = words[0]
    if first in ("-h", "--help", "help"):
        return _help(words[1:])
    if first in ("--version", "-V"):
        return _version()
    command = BY_NAME.get(first)
    if command is None:
        command, words = _window_or_mistake(first), ["edit", *words]
    return _call(command, words[1:])


def _call(command: Command, words: list[str]) -> int:
    from engine.cli.parsing import Parser

    module = import_module(f"engine.cli.{command.module}")
    summary = f"{command.summary[:1].upper()}{command.summary[1:]}."
    parser = Parser(prog=f"loopwright {command.name}", description=summary)
    module.configure(parser)
    code: int = module.carry_out(parser.read(words))
    return code


def _help(words: list[str]) -> int:
    if words and words[0] in BY_NAME:
        return _call(BY_NAME[words[0]], ["--help"])
    streams.put(sys.stdout, overview())
    return 0


def _version() -> int:
    from engine.cli.versions import version

    streams.put(sys.stdout, f"loopwright {version()}\n")
    return 0


def _window_or_mistake(word: str) -> Command:
    """A flow alone means the window; any other word is a mistake."""
    import os.path

    if word.endswith(".json") or (not word.startswith("-") and os.path.isfile(word)):
        return BY_NAME["edit"]
    from engine.flow.faults import nearest  # Late: only a slip of the pen needs it.

    what = "option" if word.startswith("-") else "command"
    near = nearest(word, ["--help", "--version"] if what == "option" else list(BY_NAME))
    raise UsageError(
        f"There is no {what} '{word[:60]}'.", near or "`loopwright --help` lists the commands."
    )


def _interrupted(form: ErrorForm) -> int:
    streams.put(sys.stderr, "\nInterrupted.\n")
    if form != "text":
        from engine.cli.report_errors import print_error

        print_error({"kind": "interrupted", "message": "Interrupted.", "hint": ""}, form)
    return 130


def _end_quietly() -> int:
    """Whoever read the output has gone, as after `| head`: there is nobody to tell."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
