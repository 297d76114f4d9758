"""The window to draw in, which this version does not have yet."""

from __future__ import annotations

import argparse

from engine.cli.terminal import complain

SENTENCE = (
    "The window to draw in comes with a later version; today `loopwright run FLOW` runs a flow, "
    "`loopwright validate FLOW` finds its mistakes, and `loopwright --help` lists the rest."
)


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments of `edit`."""
    parser.add_argument("flow", nargs="?", metavar="FLOW", help="the flow to open")


def carry_out(arguments: argparse.Namespace) -> int:
    """Says what works today."""
    del arguments
    complain(SENTENCE)
    return 2
