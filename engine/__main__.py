"""`python -m engine` is the command `loopwright`."""

from __future__ import annotations

import sys

from engine.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
