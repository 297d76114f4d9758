"""What the doctor looks at, one function per part."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.cli.report_errors import disk_fault
from engine.cli.run_names import ways_past_damage
from engine.cli.surroundings import open_registry
from engine.cli.versions import version
from engine.errors import LoopwrightError
from engine.store.places import HOME_VARIABLE, Places, default_places

_LITTLE_SPACE = 200 * 1024 * 1024
_PARTS = (
    ("PySide6", "the window"),
    ("litellm", "models of many providers"),
    ("llama_cpp", "models in a file on this computer"),
    ("dask", "many runs at once"),
)
_NEEDED = ("pydantic", "orjson", "tinydb", "rich", "jsonschema")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `bad` means that a person must do something."""

    part: str
    name: str
    state: Literal["good", "note", "bad"]
    text: str
    hint: str = ""


def examine() -> Iterator[Finding]:
    """Everything, part by part; a part that cannot be looked at is a finding itself."""
    places = default_places()
    parts: tuple[tuple[str, Callable[[Places], Iterator[Finding]]], ...] = (
        ("Program", _program),
        ("Places", _places),
        ("Nodes", _nodes),
        ("Data", _data),
        ("Runs", _runs),
        ("Models", _models),
        ("Optional parts", _optional_parts),
    )
    for title, look in parts:
        try:
            yield from look(places)
        except LoopwrightError as fault:
            yield Finding(title, title, "bad", fault.message, fault.hint)
        except OSError as fault:
            told = disk_fault(fault)
            yield Finding(title, title, "bad", told.message, told.hint)


def _program(places: Places) -> Iterator[Finding]:
    del places
    from importlib.metadata import version as installed

    yield Finding("Program", "Loopwright", "good", version())
    yield Finding("Program", "Python", "good", f"{platform.python_version()} ({sys.executable})")
    libraries = ", ".join(f"{name} {installed(name)}" for name in _NEEDED)
    yield Finding("Program", "Libraries", "good", libraries)


def _places(places: Places) -> Iterator[Finding]:
    chosen = f" (from {HOME_VARIABLE})" if os.environ.get(HOME_VARIABLE, "").strip() else ""
    yield _place("Home", places.home, chosen)
    for name, path in (("Runs", places.runs), ("Own nodes", places.nodes), ("Cache", places.cache)):
        yield _place(name, path, "")
    there = _nearest_folder(places.home)
    free = shutil.disk_usage(there).free
    text = f"{free / 1024**3:.1f} GB"
    if free < _LITTLE_SPACE:
        yield Finding("Places", "Free space", "bad", text, "Free some space: runs are written.")
    else:
        yield Finding("Places", "Free space", "good", text)


def _place(name: str, path: Path, how: str) -> Finding:
    there = _nearest_folder(path)
    if os.path.lexists(path) and not os.path.isdir(path):
        hint = f"Move that file away, or set {HOME_VARIABLE} to another folder."
        return Finding("Places", name, "bad", f"{path}{how}: a file stands in its way", hint)
    if not os.access(there, os.R_OK | os.W_OK | os.X_OK):
        hint = f"Give yourself the right to read and write there, or set {HOME_VARIABLE}."
        text = f"{path}{how}: it cannot be read and written: you have no right to it"
        return Finding("Places", name, "bad", text, hint)
    new = "" if os.path.exists(path) else ", made when it is needed"
    return Finding("Places", name, "good", f"{path}{how}{new}")


def _nearest_folder(path: Path) -> Path:
    """The folder, or the nearest one above that exists."""
    return next(each for each in (path, *path.parents) if os.path.isdir(each))


def _nodes(places: Places) -> Iterator[Finding]:
    registry = open_registry(places, quiet=True)
    yield Finding("Nodes", "Kinds", "good", f"{len(registry.all())} node types")
    for file, why in registry.broken.items():
        hint = "Mend the file, or take it out of that folder."
        yield Finding("Nodes", str(file), "bad", why, hint)


def _data(places: Places) -> Iterator[Finding]:
    from engine.store.library import Library
    from engine.store.settings import SettingsStore

    library, settings = Library(places.flows), SettingsStore(places.settings)

    def library_words() -> str:
        return f"{_count(len(library.all()), 'flow')} in {places.flows}"

    def settings_words() -> str:
        settings.load()
        return str(places.settings) if places.settings.exists() else "none of your own yet"

    yield from _data_file("Library", library_words, library.damaged_copies)
    yield from _data_file("Settings", settings_words, settings.damaged_copies)


def _data_file(
    title: str, tell: Callable[[], str], copies: Callable[[], list[Path]]
) -> Iterator[Finding]:
    try:
        yield Finding("Data", title, "good", tell())
    except LoopwrightError as fault:
        yield Finding("Data", title, "bad", fault.message, fault.hint)
    for copy in copies():
        hint = "Put a sound copy in its place, or delete it when you miss nothing."
        yield Finding("Data", title, "note", f"a damaged file was kept: {copy}", hint)


def _runs(places: Places) -> Iterator[Finding]:
    from engine.run.history import summarise
    from engine.store.run_files import run_ids

    yield from _unreadable(places.run_index)
    ids = run_ids(places.runs)
    by_status: dict[str, list[str]] = {}
    for run_id in ids:
        try:
            with ways_past_damage(run_id):
                facts = summarise(places.runs / run_id)
        except LoopwrightError as fault:
            hint = f"{fault.hint} Or delete it: loopwright runs delete {run_id}".strip()
            yield Finding("Runs", run_id, "bad", fault.message, hint)
            continue
        except OSError as fault:
            refused = disk_fault(fault)
            yield Finding("Runs", run_id, "bad", refused.message, refused.hint)
            continue
        broke_off = facts["status"] == "stopped" and facts["error"]
        by_status.setdefault("broken off" if broke_off else facts["status"], []).append(run_id)
    told = ", ".join(f"{len(names)} {status}" for status, names in sorted(by_status.items()))
    yield Finding("Runs", "Runs", "good", f"{len(ids)}" + (f": {told}" if told else ""))
    for run_id in by_status.get("broken off", [])[-5:]:
        yield Finding("Runs", run_id, "note", "it broke off", f"loopwright resume {run_id}")


def _unreadable(file: Path) -> Iterator[Finding]:
    """The list of runs is rebuilt when it is damaged, but not when it may not be read."""
    if os.path.lexists(file) and not os.access(file, os.R_OK | os.W_OK):
        hint = "Give yourself the right to read and write it; deleted, it is made anew."
        text = f"{file}: it cannot be read and written: you have no right to it"
        yield Finding("Runs", "List of runs", "bad", text, hint)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _models(places: Places) -> Iterator[Finding]:
    del places
    from engine.models.router import ModelRouter

    async def ask() -> str:
        message = {"role": "user", "content": "Are you there?"}
        reply = await ModelRouter().answer("pretend/echo", [message])
        return reply.text

    answered = asyncio.run(ask()) == "Are you there?"
    names = ", ".join(ModelRouter().model_names())
    state: Literal["good", "bad"] = "good" if answered else "bad"
    yield Finding("Models", "Pretend models", state, f"they answer: {names}")


def _optional_parts(places: Places) -> Iterator[Finding]:
    del places
    from importlib.util import find_spec

    for module, purpose in _PARTS:
        there = find_spec(module) is not None
        text = "installed" if there else "not installed; this version does not need it"
        yield Finding("Optional parts", f"{module} ({purpose})", "good" if there else "note", text)
