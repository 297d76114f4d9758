"""Programs that run beside a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def start(program: str, *arguments: object) -> subprocess.Popen[bytes]:
    """Runs Python text in a process of its own; it talks through its standard streams."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )


def end(child: subprocess.Popen[bytes]) -> bytes:
    """What else it prints until it ends well."""
    out, _ = child.communicate(timeout=120)
    assert child.returncode == 0
    return out


def kill(child: subprocess.Popen[bytes]) -> bytes:
    """Kills it where it stands; gives what it had printed."""
    child.kill()
    out, _ = child.communicate(timeout=120)
    return out
