"""Recorded cases of a flow: what it starts with, how it is answered, what is expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.cli.values import read_value
from engine.errors import UsageError
from engine.flow.faults import nearest

_KEYS = ("name", "input", "answers", "expect")
EXPECTABLE = ("status", "output", "messages", "context", "runs", "error")
_STATUSES = ("finished", "paused", "error", "stopped")
_HINT = "`loopwright test --help` shows the form."


@dataclass(frozen=True, slots=True)
class Case:
    """One recorded case; see `loopwright test --help`."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, Any] = field(default_factory=dict)
    expect: Mapping[str, Any] = field(default_factory=dict)


def read_cases(path: Path) -> list[Case]:
    """The cases in a file.

    Raises:
        UsageError: It is missing or not of the form; the message names the case and the place.
    """
    if not path.is_file():
        msg = f"There are no recorded cases: the file '{path}' does not exist."
        raise UsageError(msg, _HINT)
    data = read_value(f"@{path}", "cases", _HINT)
    if isinstance(data, Mapping):
        data = data.get("cases")
    if not isinstance(data, list) or not data:
        msg = f"'{path}' holds no list of cases."
        raise UsageError(msg, 'It must be {"cases": [{...}]} with at least one case.')
    return [_case(entry, number, path) for number, entry in enumerate(data, start=1)]


def _case(entry: Any, number: int, path: Path) -> Case:
    where = f"'{path.name}', case {number}"
    if not isinstance(entry, Mapping):
        raise UsageError(f"{where}: it must be an object.", _HINT)
    _refuse_unknown(entry, _KEYS, where)
    name = entry.get("name", f"case {number}")
    if not isinstance(name, str):
        raise UsageError(f"{where}: its name must be text.", _HINT)
    for key in ("input", "answers", "expect"):
        if not isinstance(entry.get(key, {}), Mapping):
            raise UsageError(f"{where} ({name}): '{key}' must be an object.", _HINT)
    expect = entry.get("expect", {})
    _refuse_unknown(expect, EXPECTABLE, f"{where} ({name}), expect")
    _check_expectation(expect, f"{where} ({name})")
    return Case(name, entry.get("input", {}), entry.get("answers", {}), expect)


def _refuse_unknown(entry: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for name in entry:
        if name not in known:
            hint = nearest(name, known) or f"There are {', '.join(known)}."
            raise UsageError(f"{where}: nothing is called '{name}' there.", hint)


def _check_expectation(expect: Mapping[str, Any], where: str) -> None:
    status = expect.get("status", "finished")
    if status not in _STATUSES:
        msg = f"{where}: the expected status must be one of {', '.join(_STATUSES)}."
        raise UsageError(msg, nearest(str(status), _STATUSES))
    for key in ("context", "runs"):
        if not isinstance(expect.get(key, {}), Mapping):
            raise UsageError(f"{where}: the expected {key} must be an object.", _HINT)
    for node, visits in expect.get("runs", {}).items():
        if not isinstance(visits, int) or isinstance(visits, bool) or visits < 0:
            msg = f"{where}: how often '{node}' runs must be a whole number."
            raise UsageError(msg, _HINT)
