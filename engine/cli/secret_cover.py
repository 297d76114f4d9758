"""Keeps secrets out of everything that is printed."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

_SECRET = "LOOPWRIGHT_SECRET_"


def cover_of_secrets() -> Callable[[Any], Any] | None:
    """Puts dots in the place of every secret in a value; None when there are no secrets."""
    if not any(name.startswith(_SECRET) for name in os.environ):
        return None
    from engine.store.secrets import Secrets  # Late: most people have none.

    return Secrets().redactor().value
