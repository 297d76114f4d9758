"""The flows that ship with Loopwright, to try and to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.flow.document import Flow
from engine.flow.file import SUFFIX, read_flow
from engine.resources import resource

CASES_SUFFIX = ".cases.json"
_LAST = 1_000_000


@dataclass(frozen=True, slots=True)
class GalleryFlow:
    """One flow of the gallery, as its card shows it.

    Args:
        file: Where it lies; a person works on a copy.
        name: Its name.
        description: What it does, in a sentence.
        tags: Words to filter by.
        cases: What it is tried on: inputs, answers and results; None where nothing is recorded.
    """

    file: Path
    name: str
    description: str
    tags: tuple[str, ...]
    cases: Path | None


def gallery_flows(folder: Path | None = None) -> tuple[GalleryFlow, ...]:
    """Every flow of the gallery, the easiest first.

    Args:
        folder: Another folder than the one that ships with Loopwright.

    Raises:
        FlowFileError: A file in it is no sound flow.
    """
    folder = resource("templates") if folder is None else folder
    found = [_entry(path) for path in folder.glob(f"*{SUFFIX}") if path.is_file()]
    return tuple(entry for _, entry in sorted(found, key=lambda each: (each[0], each[1].name)))


def _entry(file: Path) -> tuple[float, GalleryFlow]:
    """The place of a flow in the gallery, and its card."""
    flow = read_flow(file)
    told = _told(flow)
    place, tags = told.get("place"), told.get("tags")
    cases = file.with_name(file.name.removesuffix(SUFFIX) + CASES_SUFFIX)
    card = GalleryFlow(
        file=file,
        name=flow.name or file.name.removesuffix(SUFFIX),
        description=flow.description,
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        cases=cases if cases.is_file() else None,
    )
    if isinstance(place, bool) or not isinstance(place, int | float):
        place = _LAST
    return place, card


def _told(flow: Flow) -> Mapping[str, Any]:
    """What the file says of its card; a flow that says nothing comes last."""
    told = flow.extra.get("gallery")
    return told if isinstance(told, Mapping) else {}
