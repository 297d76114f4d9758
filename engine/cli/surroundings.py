"""What every command works with: places on disk, node types, variables, secrets, the library."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from engine.cli.secret_cover import cover_of_secrets
from engine.cli.terminal import complain, safe_text
from engine.errors import LoopwrightError
from engine.flow.document import Flow
from engine.flow.names import ended
from engine.registry import NodeRegistry
from engine.run.flow_finder import FlowFinder
from engine.run.workplace import Workplace
from engine.store.places import Places, default_places

if TYPE_CHECKING:
    from engine.store.settings import Settings


def open_workplace() -> Workplace:
    """The workplace of this person; nothing is made on disk.

    Raises:
        StoreError: The settings or the home folder cannot be read.
    """
    places = default_places()
    settings = read_settings(places)
    return Workplace(
        places=places,
        registry=open_registry(places),
        vars=dict(settings.variables) if settings is not None else {},
        redact=cover_of_secrets(),
        flows=FlowFinder(lambda name: from_library(places, name), lambda: library_names(places)),
    )


def open_registry(places: Places, *, quiet: bool = False) -> NodeRegistry:
    """The node types: the built-in ones and the person's own; broken files are told of."""
    registry = NodeRegistry()
    if places.nodes.is_dir() and any(places.nodes.glob("*.py")):
        # What such a file prints must not stand in the output of a command.
        with redirect_stdout(sys.stderr):
            registry.load_folder(places.nodes)
    if not quiet:
        for file, why in registry.broken.items():
            text = f"Your node file '{file}' cannot be used: {ended(why)}"
            complain(safe_text(f"{text} Mend it, or take it out of that folder."))
    return registry


def read_settings(places: Places) -> Settings | None:
    """The settings; None while nobody has set anything.

    Raises:
        StoreError: They are damaged.
    """
    if not places.settings.exists():
        return None
    from engine.store.settings import SettingsStore  # Late: it needs TinyDB.

    return SettingsStore(places.settings).load()


def from_library(places: Places, name: str) -> Flow | None:
    """The flow of the library with that id or name; None when it has none.

    Raises:
        StoreError: The library is damaged, or several flows share the name.
    """
    if not places.flows.exists():
        return None
    from engine.flow.file import flow_from_json
    from engine.store.library import Library  # Late: it needs TinyDB.

    library = Library(places.flows)
    if not any(name in (entry.id, entry.name) for entry in library.all()):
        return None
    return flow_from_json(library.get(name).document, f"flow '{name}' of the library")


def library_names(places: Places) -> Sequence[str]:
    """The names of the library's flows; none when it cannot be read: they only serve hints."""
    if not places.flows.exists():
        return ()
    from engine.store.library import Library  # Late: it needs TinyDB.

    try:
        return [entry.name or entry.id for entry in Library(places.flows).all()]
    except LoopwrightError:
        return ()
