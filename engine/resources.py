"""Where the files that ship with Loopwright lie: gallery, schema, icons."""

from __future__ import annotations

from pathlib import Path

RESOURCES = Path(__file__).resolve().parent.parent / "resources"
"""Beside `engine`, in a checkout and in an installed copy alike."""


def resource(*parts: str) -> Path:
    """The path of a shipped file or folder, for example `resource("templates")`."""
    return RESOURCES.joinpath(*parts)
