"""How messages quote a name, and which known name is near."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

_LONGEST = 60


def quoted(name: object) -> str:
    """The name in quotes, fit for any terminal: cut when long, odd characters escaped."""
    text = str(name)
    return repr(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")


def ended(text: str) -> str:
    """The text with a full stop, unless it has an end already."""
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


def nearest(word: str, known: Sequence[str]) -> str:
    """A hint that names the nearest known name, empty when none is near."""
    # Matching is quadratic: a name as long as a page is no slip of the pen.
    near = get_close_matches(word[:100], known[:2000], n=1, cutoff=0.6)
    return f"Did you mean {quoted(near[0])}?" if near else ""
