"""The processes that JavaScript runs in: started when needed, kept for the next call."""

from __future__ import annotations

import atexit
import json
import os
import struct
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from engine.sandbox.limits import DEEPEST, LONGEST_TEXT, MOST_PRINTED, MOST_VALUES
from engine.sandbox.threads import Lease

_HERE = Path(__file__).parent
_MOST_IDLE = 4
_LONGEST_REPLY = 8 * LONGEST_TEXT


class JavascriptProcess:
    """One process with a JavaScript engine, and nothing else of the program, in it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            _command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_bare_environment(),
            # Ctrl-C is for the program, which ends its boxes itself.
            start_new_session=True,
        )

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """What the code gave; None when the process died of it."""
        assert self._process.stdin is not None
        body = json.dumps(request).encode()
        try:
            self._process.stdin.write(struct.pack(">I", len(body)) + body)
            self._process.stdin.flush()
            return self._reply()
        except (OSError, ValueError):
            return None

    def _reply(self) -> dict[str, Any] | None:
        assert self._process.stdout is not None
        head = self._process.stdout.read(4)
        size = struct.unpack(">I", head)[0] if len(head) == 4 else 0
        if not 0 < size <= _LONGEST_REPLY:
            return None
        reply: dict[str, Any] = json.loads(self._process.stdout.read(size))
        return reply

    def is_alive(self) -> bool:
        """Whether it can take a request."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Ends it at once; whoever waits for its answer gets None."""
        self._process.kill()

    def close(self) -> None:
        """Ends it and lets go of everything; only when nobody waits for it."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            # What could not be written any more is of no use to a process that is gone.
            with suppress(OSError):
                pipe.close()
        self._process.wait()


class _Idle:
    """Processes between two calls."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._processes: list[JavascriptProcess] = []

    def take(self) -> JavascriptProcess:
        while True:
            with self._lock:
                process = self._processes.pop() if self._processes else None
            if process is None:
                return JavascriptProcess()
            if process.is_alive():
                return process
            process.close()

    def give_back(self, process: JavascriptProcess) -> None:
        with self._lock:
            if len(self._processes) < _MOST_IDLE:
                self._processes.append(process)
                return
        process.close()

    def close(self) -> None:
        with self._lock:
            processes, self._processes = self._processes, []
        for process in processes:
            process.close()


_idle = _Idle()
atexit.register(_idle.close)


def ask(request: Mapping[str, Any], lease: Lease) -> dict[str, Any] | None:
    """What a process answers; None when it died, or the lease was ended."""
    process = _idle.take()
    keep = False
    try:
        with lease.on(process.kill):
            reply = process.answer(request)
        # After a broken limit the process may hold on to memory.
        keep = reply is not None and not reply["fault"] and not lease.ended
        return reply
    finally:
        if keep:
            _idle.give_back(process)
        else:
            process.close()


def _command() -> list[str]:
    spec = find_spec("_quickjs")
    assert spec is not None
    assert spec.origin is not None
    limits = (MOST_VALUES, LONGEST_TEXT, DEEPEST, MOST_PRINTED)
    worker, prelude = str(_HERE / "javascript_worker.py"), str(_HERE / "prelude.js")
    return [sys.executable, "-I", "-S", worker, spec.origin, prelude, *map(str, limits)]


def _bare_environment() -> dict[str, str]:
    """Nothing of the person's environment, which may hold keys; Windows needs its own folder."""
    return {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
