"""The process that JavaScript runs in: one request after the other, each in a fresh engine.

Started as a program of its own, without the project's packages on its path. It can open no file
and start no program once it is ready; a request that is too large for it ends it.
"""

from __future__ import annotations

import json
import struct
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, BinaryIO

_SPARE_MEMORY = 96 * 1024 * 1024
_STACK = 1024 * 1024


def main() -> None:
    """Answers requests from standard input until it is closed."""
    quickjs = _load(sys.argv[1])
    prelude = Path(sys.argv[2]).read_text("utf-8")
    start = f"{prelude}(globalThis, {', '.join(sys.argv[3:])})"
    answer, requests = sys.stdout.buffer, sys.stdin.buffer
    _confine()
    while (request := _read(requests)) is not None:
        _limit(request["memory"], request["seconds"])
        reply = json.dumps(_Call(quickjs, start, request).run()).encode()
        answer.write(struct.pack(">I", len(reply)) + reply)
        answer.flush()


def _load(path: str) -> Any:
    spec = spec_from_file_location("_quickjs", path, loader=ExtensionFileLoader("_quickjs", path))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _read(requests: BinaryIO) -> dict[str, Any] | None:
    head = requests.read(4)
    if len(head) < 4:
        return None
    body = requests.read(struct.unpack(">I", head)[0])
    request: dict[str, Any] = json.loads(body)
    return request


class _Call:
    """One piece of code in an engine of its own."""

    def __init__(self, quickjs: Any, start: str, request: dict[str, Any]) -> None:
        self._quickjs = quickjs
        self._start = start
        self._request = request
        self._context = quickjs.Context()
        self._context.set_memory_limit(request["memory"])
        self._context.set_max_stack_size(_STACK)

    def run(self) -> dict[str, Any]:
        """What came out: `text` from the box, or `fault`; and what was `printed`."""
        reply = {"text": "", "fault": "", "printed": ""}
        try:
            box = self._context.eval(self._start)
            try:
                reply["text"] = self._text(box)
            except self._quickjs.JSException as fault:
                reply["fault"] = str(fault)[:1000]
            # The clock starts anew at each call.
            reply["printed"] = json.loads(box("printed"))
        except (self._quickjs.JSException, MemoryError) as fault:
            reply["fault"] = reply["fault"] or str(fault)[:1000] or "out of memory"
        return reply

    def _text(self, box: Any) -> str:
        end = perf_counter() + self._request["seconds"]
        self._context.set_time_limit(self._request["seconds"])
        text: str = box("run", self._request["code"], self._request["values"])
        while text == "pending":
            left = end - perf_counter()
            if left <= 0:
                raise self._quickjs.JSException("interrupted")
            self._context.set_time_limit(left)
            if not self._context.execute_pending_job():
                text = box("look")
                break
            text = box("look")
        return text


def _confine() -> None:
    """Takes the right to open, write and start anything, where the system can do that."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind in ("RLIMIT_NOFILE", "RLIMIT_NPROC", "RLIMIT_CORE"):
        if hasattr(resource, kind):
            resource.setrlimit(getattr(resource, kind), (0, 0))


def _limit(memory: int, seconds: float) -> None:
    """A second wall behind the engine's own limits, which also holds when the program is gone."""
    if not sys.platform.startswith("linux"):
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_BASE + memory + _SPARE_MEMORY, hard))
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(process_time() + seconds) + 3, hard))


def _memory_now() -> int:
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[0]) * 4096 if statm.exists() else 0


_BASE = _memory_now()

if __name__ == "__main__":
    main()
