"""`loopwright nodes`: the kinds of nodes, and the help page of each."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from engine.cli.json_output import print_json
from engine.cli.parsing import add_json_option
from engine.cli.surroundings import open_registry
from engine.cli.terminal import Screen
from engine.errors import UnknownNodeTypeError
from engine.node_type import Group, NodeType
from engine.registry import NodeRegistry
from engine.store.places import default_places

_NARROW = 30


def configure(parser: argparse.ArgumentParser) -> None:
    """The arguments of `nodes`."""
    parser.add_argument("type", metavar="TYPE", nargs="?", help="show the help page of this one")
    add_json_option(parser)


def carry_out(arguments: argparse.Namespace) -> int:
    """Lists the node types, or shows one."""
    registry = open_registry(default_places())
    if arguments.type is None:
        return _list(registry, as_json=arguments.json)
    kind = _find(registry, arguments.type)
    from engine.node_help import help_page, node_facts

    if arguments.json:
        print_json(node_facts(kind))
        return 0
    screen = Screen()
    _show_page(screen, help_page(kind))
    return 0


def _show_page(screen: Screen, page: str) -> None:
    """The help page, its Markdown laid out where a terminal shows it."""
    if not screen.is_terminal or screen.paint("x", "bold") == "x":
        screen.told(page)
        return
    # Late: most calls show no help page, and rich takes long to load.
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(width=min(screen.width, 100), highlight=False, force_terminal=True)
    with console.capture() as laid_out:
        console.print(Markdown(page, hyperlinks=False))
    screen.write(laid_out.get())


def _list(registry: NodeRegistry, *, as_json: bool) -> int:
    from engine.node_help import help_text, node_facts

    kinds = registry.all()
    if as_json:
        broken = {str(file): why for file, why in registry.broken.items()}
        print_json({"nodes": [node_facts(kind) for kind in kinds], "broken": broken})
        return 0
    screen = Screen()
    ids = max(len(kind.meta.type_id) for kind in kinds)
    titles = max(len(kind.meta.title) for kind in kinds)
    for group in Group:
        members = [kind for kind in kinds if kind.meta.group is group]
        if members:
            screen.line(screen.paint(group.value, "bold"))
        for kind in members:
            what = help_text(kind).split("\n", 1)[0]
            head = f"  {kind.meta.type_id:<{ids}}  {kind.meta.title:<{titles}}"
            _entry(screen, head, screen.show(what))
    screen.line()
    screen.line("`loopwright nodes TYPE` tells everything about one of them.")
    return 0


def _entry(screen: Screen, head: str, what: str) -> None:
    """A node type and what it does, below it where the terminal has no room beside it."""
    if screen.width - len(head) < _NARROW:
        screen.line(head.rstrip())
        head = "   "
    for line in screen.wrapped(what, screen.width - len(head) - 2):
        screen.line(f"{head}  {screen.paint(line, 'dim')}")
        head = " " * len(head)


def _find(registry: NodeRegistry, text: str) -> type[NodeType]:
    """The type of that id; else the hint names those that are called so or mean that."""
    try:
        return registry.get(text)
    except UnknownNodeTypeError as fault:
        word = text.casefold()
        meant = [kind.meta for kind in registry.all() if _is_meant(kind, word)]
        if not meant:
            raise
        listed = " or ".join(f"'{meta.type_id}' ({meta.title})" for meta in meant[:4])
        raise UnknownNodeTypeError(fault.message, f"Did you mean {listed}?") from fault


def _is_meant(kind: type[NodeType], word: str) -> bool:
    names: Sequence[str] = (kind.meta.title, *kind.meta.words)
    return word in (name.casefold() for name in names)
