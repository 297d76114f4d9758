"""Measures one library in a process of its own; the last line that it prints is JSON."""

from __future__ import annotations

import importlib
import json
import sys

from tests.bench.peers_timing import measured


def main() -> None:
    """Takes the library's name from the command line."""
    library = importlib.import_module(f"tests.bench.peers_{sys.argv[1]}")
    figures = [measured(case) for case in library.cases()]
    print(json.dumps({"versions": library.VERSIONS, "figures": figures}))


if __name__ == "__main__":
    main()
