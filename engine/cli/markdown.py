"""Markdown on a terminal; plain text everywhere else."""

from __future__ import annotations

import sys

from engine.cli.terminal import Screen, safe_text


def show_markdown(screen: Screen, text: str, indent: int = 2) -> None:
    """Prints Markdown, laid out where a terminal shows it."""
    clean = safe_text(screen.cover(text)).strip()
    if screen.is_terminal and screen.paint("x", "bold") != "x":
        # Late: most calls show no Markdown, and rich takes long to load.
        from rich.console import Console
        from rich.markdown import Markdown
        from rich.padding import Padding

        console = Console(file=sys.stdout, width=min(screen.width, 100), highlight=False)
        console.print(Padding(Markdown(clean, hyperlinks=False), (0, 0, 0, indent)))
        return
    for line in clean.splitlines():
        screen.line(f"{' ' * indent}{line}".rstrip())
