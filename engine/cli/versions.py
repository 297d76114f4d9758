"""Which version this is."""

from __future__ import annotations


def version() -> str:
    """The version of the installed program; that of the checkout where it is not installed."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("loopwright")
    except PackageNotFoundError:
        return "(not installed)"
