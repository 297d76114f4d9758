"""Where Loopwright keeps what it must remember."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import StoreError
from engine.store.files import reason, remedy

HOME_VARIABLE = "LOOPWRIGHT_HOME"


@dataclass(frozen=True, slots=True)
class Places:
    """Paths of everything that is kept.

    Args:
        home: The folder that holds the rest, the cache perhaps excepted.
        flows: The library of flows, a file.
        settings: The settings, a file.
        runs: One folder per run.
        run_index: The list of runs, a file that can be rebuilt.
        nodes: The person's own node types, a folder.
        cache: What can be fetched again, a folder.
    """

    home: Path
    flows: Path
    settings: Path
    runs: Path
    run_index: Path
    nodes: Path
    cache: Path

    @classmethod
    def under(cls, home: Path, cache: Path | None = None) -> Places:
        """The usual places inside a home folder."""
        return cls(
            home=home,
            flows=home / "flows.json",
            settings=home / "settings.json",
            runs=home / "runs",
            run_index=home / "runs.json",
            nodes=home / "nodes",
            cache=cache or home / "cache",
        )

    def create(self) -> Places:
        """Makes the folders that are missing.

        Raises:
            StoreError: A file stands in the way, or the folder cannot be written.
        """
        for folder in (self.home, self.runs, self.nodes, self.cache):
            make_folder(folder)
        return self


def default_places(environment: Mapping[str, str] = os.environ) -> Places:
    """The places of this computer's user, or those under `LOOPWRIGHT_HOME` when it is set.

    Nothing is made; see `Places.create`.
    """
    chosen = environment.get(HOME_VARIABLE, "")
    if chosen.strip():
        return Places.under(_absolute(chosen))
    import platformdirs  # Late: with LOOPWRIGHT_HOME set it is never needed.

    home = platformdirs.user_data_path("loopwright", appauthor=False)
    return Places.under(home, platformdirs.user_cache_path("loopwright", appauthor=False))


def _absolute(text: str) -> Path:
    try:
        return Path(os.path.abspath(Path(text).expanduser()))
    except (RuntimeError, OSError) as fault:
        msg = f"{HOME_VARIABLE} is '{text}', but that home folder is not known: {fault}."
        raise StoreError(msg, "Give the whole path of a folder.") from fault


def make_folder(path: Path) -> None:
    """Makes a folder and those above it, for its owner alone; an existing one must be writable.

    Raises:
        StoreError: A file stands in the way, or the folder cannot be made or written.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError as fault:
        msg = f"'{path}' is a file, but a folder is needed there."
        raise StoreError(msg, f"Move it away, or {_elsewhere()}") from fault
    except OSError as fault:
        msg = f"The folder '{path}' cannot be made: {reason(fault)}."
        raise StoreError(msg, remedy(fault) or f"You may {_elsewhere()}") from fault
    if not os.access(path, os.W_OK | os.X_OK):
        mode = stat.filemode(path.stat().st_mode)
        msg = f"The folder '{path}' cannot be written: you have no right to it."
        hint = f"Give yourself the right to write there, or {_elsewhere()}"
        raise StoreError(msg, hint, f"mode {mode}")


def _elsewhere() -> str:
    return f"set {HOME_VARIABLE} to another folder."
