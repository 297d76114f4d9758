"""The program as a process of its own, in front of a pipe or a terminal."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LIMIT_S = 30


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", **more}


def start(*words: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "engine", *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(),
    )


class Terminal:
    """The program at a terminal: what it shows is read, lines are typed."""

    def __init__(self, *words: object, **more: str) -> None:
        import pty

        self.text = ""
        self._pid, self._master = pty.fork()
        if self._pid == 0:
            command = [sys.executable, "-m", "engine", *map(str, words)]
            os.execvpe(command[0], command, environment(**more))

    def wait_for(self, pattern: str) -> None:
        """Reads until the pattern has been shown since the last wait."""
        end = time.monotonic() + LIMIT_S
        while not (found := re.search(pattern, self.text)):
            assert time.monotonic() < end, f"{pattern!r} never came:\n{self.text}"
            if not self._read():
                raise AssertionError(f"{pattern!r} never came:\n{self.text}")
        self.text = self.text[found.end() :]

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], LIMIT_S)
        try:
            data = os.read(self._master, 65536) if ready else b""
        except OSError:  # The other side has ended.
            return False
        self.text += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", data.decode("utf-8", "replace"))
        return bool(data)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def interrupt(self) -> None:
        os.kill(self._pid, signal.SIGINT)

    def end(self) -> int:
        """Reads to the end; the exit code."""
        while self._read():
            pass
        os.close(self._master)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
