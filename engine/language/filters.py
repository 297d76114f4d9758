"""The filters of templates: `{{ name | upper }}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from engine.errors import ExpressionError
from engine.language.arithmetic import fits_text
from engine.language.budget import Evaluation
from engine.language.functions import rounded, whole
from engine.language.rule import Rule, by_name
from engine.language.values import is_list, is_record, json_text, number_text
from engine.language.words import kind_of, shown

_LONGEST_DATE_FORMAT = 100
_DATE_CODES = re.compile(r"%(?!(?:[YmdHMSyBbAajpIZz%]))")


class NothingThere(Exception):  # noqa: N818 - it is no error: a default may follow
    """A filter finds nothing to give, as `first` of an empty list."""


def rendered(value: Any, ev: Evaluation) -> str:
    """A value as it stands in a text.

    Texts as they are, lists and records as JSON, None as nothing, True as `true`.

    Raises:
        ExpressionError: It is too large, or no value that can be written.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, int | float):
        return number_text(value)
    return json_text(value, ev)


def _text(value: Any, name: str, ev: Evaluation) -> str:
    if is_list(value) or is_record(value):
        raise ExpressionError(
            f"`{name}` takes a text, not {kind_of(value)}.", "`json` or `join` makes a text of it."
        )
    return rendered(value, ev)


def _on_text(name: str, change: Callable[[str], str]) -> Callable[..., str]:
    def run(ev: Evaluation, value: Any) -> str:
        return change(_text(value, name, ev))

    return run


def _default(ev: Evaluation, value: Any, _other: Any) -> Any:
    return value


def _length(ev: Evaluation, value: Any) -> int:
    if isinstance(value, str) or is_list(value) or is_record(value):
        return len(value)
    raise ExpressionError(f"`length` takes a text, list or record, not {shown(value)}.")


def _json(ev: Evaluation, value: Any, indent: Any = None) -> str:
    if indent is not None and not 0 <= whole(indent, "json") <= 8:
        raise ExpressionError("`json` indents by 0 to 8 blanks.")
    return json_text(value, ev, indent=indent)


def _join(ev: Evaluation, value: Any, between: Any = ", ") -> str:
    if not is_list(value):
        raise ExpressionError(f"`join` takes a list, not {kind_of(value)}.")
    separator = _text(between, "join", ev)
    texts = [rendered(item, ev) for item in value]
    fits_text(sum(map(len, texts)) + len(separator) * len(texts), ev)
    return separator.join(texts)


def _end(name: str, index: int) -> Callable[..., Any]:
    def run(ev: Evaluation, value: Any) -> Any:
        if not (isinstance(value, str) or is_list(value)):
            raise ExpressionError(f"`{name}` takes a list or text, not {kind_of(value)}.")
        if not len(value):
            raise NothingThere
        return value[index]

    return run


def _round(ev: Evaluation, value: Any, digits: Any = None) -> Any:
    return rounded(value, digits)


def _replace(ev: Evaluation, value: Any, old: Any, new: Any) -> str:
    text, old, new = (_text(each, "replace", ev) for each in (value, old, new))
    fits_text(len(text) + text.count(old) * max(len(new) - len(old), 0), ev)
    return text.replace(old, new)


def _truncate(ev: Evaluation, value: Any, length: Any = 80) -> str:
    text = _text(value, "truncate", ev)
    if whole(length, "truncate") < 1:
        raise ExpressionError("`truncate` leaves at least 1 character.")
    return text if len(text) <= length else text[: length - 1] + "…"


def _date(ev: Evaluation, value: Any, form: Any = "%Y-%m-%d") -> str:
    if not isinstance(form, str) or len(form) > _LONGEST_DATE_FORMAT or _DATE_CODES.search(form):
        raise ExpressionError(
            "This date format cannot be used.", 'For example: date("%d.%m.%Y %H:%M")'
        )
    return _moment(value).strftime(form)


def _moment(value: Any) -> date:
    if isinstance(value, date):
        return value
    try:
        if isinstance(value, str):
            return datetime.fromisoformat(value.strip())
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value).astimezone()
    except (ValueError, OverflowError, OSError):
        pass
    raise ExpressionError(
        f"{shown(value)} is no date.", "A date looks like 2026-05-01 or 2026-05-01T09:30:00."
    )


def _keys(ev: Evaluation, value: Any) -> list[Any]:
    if not is_record(value):
        raise ExpressionError(f"`keys` takes a record, not {kind_of(value)}.")
    ev.spend(len(value))
    return list(value)


FILTERS: Mapping[str, Rule] = by_name(
    Rule("default", 'default("…")', "Used when the path leads nowhere.", _default, 1, 1),
    Rule("upper", "upper", "Large letters.", _on_text("upper", str.upper)),
    Rule("lower", "lower", "Small letters.", _on_text("lower", str.lower)),
    Rule("title", "title", "Each Word Large.", _on_text("title", str.title)),
    Rule("trim", "trim", "Without blanks around.", _on_text("trim", str.strip)),
    Rule("text", "text", "The value as a text.", lambda ev, value: rendered(value, ev)),
    Rule("length", "length", "How many characters, items or fields.", _length),
    Rule("json", "json", "As JSON; `json(2)` over several lines.", _json, 0, 1),
    Rule("join", 'join(", ")', "The items of a list in one text.", _join, 0, 1),
    Rule("first", "first", "The first item or character.", _end("first", 0)),
    Rule("last", "last", "The last item or character.", _end("last", -1)),
    Rule("keys", "keys", "The names of a record's fields.", _keys),
    Rule("round", "round(2)", "The number with so many digits.", _round, 0, 1),
    Rule("replace", 'replace("a", "b")', "Each `a` becomes `b`.", _replace, 2, 2),
    Rule("truncate", "truncate(80)", "At most so many characters.", _truncate, 0, 1),
    Rule("date", 'date("%d.%m.%Y")', "A date and time in another form.", _date, 0, 1),
)
"""Every filter of templates."""
