"""Arguments read with argparse; a mistake becomes an error in the person's words."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from engine.cli.streams import put
from engine.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Parser(argparse.ArgumentParser):
    """A parser that raises instead of ending the program, and names the nearest option."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **options)

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Writes a help page; argparse itself would not notice that it cannot be written."""
        del file
        put(sys.stdout, message)

    def error(self, message: str) -> NoReturn:
        """What is wrong, as an error.

        Raises:
            UsageError: Always.
        """
        sentence, hint = _in_words(message)
        raise UsageError(sentence, hint or f"`{self.prog} --help` shows how.")

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments in these words.

        Raises:
            UsageError: They do not fit.
        """
        known, unknown = self.parse_known_args(words)
        if not unknown:
            return known
        word = next((each for each in unknown if each.startswith("-")), unknown[0])
        if not word.startswith("-"):
            self.error(f"'{word}' is one word too many")
        option = word.split("=", 1)[0]
        hint = _near_option(option, _options_of(self, words))
        how = f"`{self.prog} --help` shows those there are."
        raise UsageError(f"There is no option '{option}'.", hint or how)


def _near_option(option: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches  # Late: only a slip of the pen needs it.

    # The dashes, which all of them have, must not make two options look alike.
    names = [name.lstrip("-") for name in known]
    near = get_close_matches(option.lstrip("-")[:60], names, n=1, cutoff=0.65)
    return f"Did you mean '--{near[0]}'?" if near else ""


def _options_of(parser: argparse.ArgumentParser, words: Sequence[str]) -> list[str]:
    found: list[str] = []
    for action in parser._actions:
        found.extend(each for each in action.option_strings if each.startswith("--"))
        if isinstance(action, argparse._SubParsersAction):
            for name in words:
                if name in action.choices:
                    found.extend(_options_of(action.choices[name], ()))
    return found


_REQUIRED = re.compile(r"the following arguments are required: (.*)")
_CHOICE = re.compile(r"argument .*?: invalid choice: '(.*)' \(choose from (.*)\)", re.DOTALL)
_VALUE = re.compile(r"argument ([^:]*): (.*)", re.DOTALL)


def _in_words(message: str) -> tuple[str, str]:
    """What argparse says, as a sentence and a hint."""
    required = _REQUIRED.fullmatch(message)
    if required:
        return f"This is missing: {required[1]}.", ""
    choice = _CHOICE.fullmatch(message)
    if choice:
        from engine.flow.faults import nearest  # Late: only a slip of the pen needs it.

        known = [each.strip().strip("'") for each in choice[2].split(",")]
        return f"'{choice[1]}' is none of {', '.join(known)}.", nearest(choice[1], known)
    value = _VALUE.fullmatch(message)
    if value:
        return f"{value[1]}: {value[2]}.", ""
    return f"{message[:1].upper()}{message[1:]}.", ""


def whole_number(text: str, least: int = 0) -> int:
    """A whole number, 0 or more.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    if text[:1] == "-" and text[1:].isdecimal():
        msg = f"it must be at least {least}"
        raise argparse.ArgumentTypeError(msg)
    if not text.isdecimal() or len(text) > 15:
        msg = f"'{text[:40]}' is no whole number"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def count(text: str) -> int:
    """A whole number above 0.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    number = whole_number(text, 1)
    if number < 1:
        msg = "it must be at least 1"
        raise argparse.ArgumentTypeError(msg)
    return number


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--json`."""
    parser.add_argument("--json", action="store_true", help="print one JSON object, for programs")
