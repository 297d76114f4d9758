"""Finding the flow that another flow names: a file beside it, or one of the library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from engine.errors import RunError
from engine.flow.document import Flow
from engine.flow.file import read_flow

SUFFIX = ".flow.json"


class FlowFinder:
    """Finds flows by file, id or name.

    Args:
        from_library: Gives the flow of the library with that id or name; None when it has none.
        library_names: The names in the library, for hints.
    """

    def __init__(
        self,
        from_library: Callable[[str], Flow | None] | None = None,
        library_names: Callable[[], Sequence[str]] | None = None,
    ) -> None:
        self._from_library = from_library
        self._library_names = library_names

    def find(self, name: str, beside: Path | None) -> tuple[Flow, Path | None]:
        """The flow, and its file where it has one.

        Args:
            name: A path, a file name with or without `.flow.json`, an id or a name.
            beside: The file of the flow that names it.

        Raises:
            RunError: There is no such flow.
        """
        folders = [beside.parent] if beside is not None else []
        for candidate in _candidates(name, folders):
            if candidate.is_file():
                return read_flow(candidate), candidate
        for folder in folders:
            found = _by_id_or_name(folder, name)
            if found is not None:
                return found
        if self._from_library is not None:
            flow = self._from_library(name)
            if flow is not None:
                return flow, None
        raise RunError(f"There is no flow '{name}'.", self._hint(name, folders))

    def _hint(self, name: str, folders: Sequence[Path]) -> str:
        from difflib import get_close_matches

        known = [p.name.removesuffix(SUFFIX) for f in folders for p in f.glob(f"*{SUFFIX}")]
        if self._library_names is not None:
            known.extend(self._library_names())
        near = get_close_matches(name, known, n=1)
        if near:
            return f"Did you mean '{near[0]}'?"
        where = f"'{folders[0]}' and the library" if folders else "the library"
        return f"It is looked for in {where}."


def _candidates(name: str, folders: Sequence[Path]) -> list[Path]:
    path = Path(name)
    places = [path] if path.is_absolute() else [folder / path for folder in folders]
    return [q for p in places for q in (p, p.with_name(p.name + SUFFIX)) if p.name]


def _by_id_or_name(folder: Path, name: str) -> tuple[Flow, Path] | None:
    """A flow in this folder whose id or name it is; files that cannot be read are passed over."""
    from engine.errors import FlowFileError

    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            flow = read_flow(path)
        except FlowFileError:
            continue
        if name in (flow.id, flow.name):
            return flow, path
    return None
