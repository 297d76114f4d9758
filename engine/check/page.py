"""The catalogue of problems as a page of the documentation.

`python -m engine.check.page FILE` writes it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from engine.check.catalogue import catalogue


def catalogue_page() -> str:
    """The catalogue as Markdown."""
    head = (
        "# What the validator finds\n\n"
        "`loopwright validate FLOW` lists the problems of a flow. An *error* stops a run or makes "
        "it go wrong,\na *warning* may, an *info* is good to know. The codes are stable.\n\n"
        "| Code | Severity | What it means |\n|---|---|---|\n"
    )
    rows = (f"| `{each.code}` | {each.severity} | {each.explanation} |" for each in catalogue())
    return head + "\n".join(rows) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(catalogue_page(), encoding="utf-8")
