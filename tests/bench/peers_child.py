"""Measures one library in a process of its own: a case's number per line in, JSON per line out."""

from __future__ import annotations

import importlib
import json
import os
import sys

from tests.bench.peers_timing import measured


def main() -> None:
    """Takes the library's name from the command line; ends with its input."""
    # What a library prints must not stand between the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    library = importlib.import_module(f"tests.bench.peers_{sys.argv[1]}")
    cases = list(library.cases())
    ways = [{"shape": case.shape, "way": case.way} for case in cases]
    print(json.dumps({"versions": library.VERSIONS, "ways": ways}), file=answers)
    for line in sys.stdin:
        print(json.dumps(measured(cases[int(line)])), file=answers)


if __name__ == "__main__":
    main()
