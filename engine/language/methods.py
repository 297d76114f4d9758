"""The methods of texts, lists and records that an expression may call: none changes anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.errors import ExpressionError
from engine.language.arithmetic import fits_text
from engine.language.budget import PAIR, Evaluation
from engine.language.comparison import equal, position_of
from engine.language.functions import whole
from engine.language.rule import Rule, by_name
from engine.language.values import all_items
from engine.language.words import kind_of, sentence, shown

_LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


def _text(value: Any, method: str) -> str:
    if not isinstance(value, str):
        raise ExpressionError(
            f"`.{method}` takes a text here, not {shown(value)}.",
            "`str(…)` makes a text of a number.",
        )
    return value


def _simple(name: str, growth: int = 0) -> Callable[..., Any]:
    """A method without arguments whose result is at most `growth` times as long as the text."""
    method = getattr(str, name)

    def run(ev: Evaluation, text: str) -> Any:
        if growth and not text.isascii():
            fits_text(len(text) * growth, ev)
        ev.spend(len(text) >> 3)
        return method(text)

    return run


def _stripped(name: str) -> Callable[..., Any]:
    method = getattr(str, name)

    def run(ev: Evaluation, text: str, characters: Any = None) -> str:
        taken = 1 if characters is None else len(_text(characters, name))
        ev.spend(len(text) * taken >> 5)
        result = method(text, characters)
        assert isinstance(result, str)
        return result

    return run


def _ends(name: str) -> Callable[..., bool]:
    method = getattr(str, name)

    def run(ev: Evaluation, text: str, part: Any, *bounds: Any) -> bool:
        parts = all_items(part, ev) if not isinstance(part, str) else [part]
        checked = tuple(_text(each, name) for each in parts)
        ev.spend(sum(min(len(each), len(text)) >> 4 for each in checked))
        return bool(method(text, checked, *(whole(bound, name) for bound in bounds)))

    return run


def _without(name: str) -> Callable[..., str]:
    method = getattr(str, name)

    def run(ev: Evaluation, text: str, part: Any) -> str:
        ev.spend_text(len(text))
        result = method(text, _text(part, name))
        assert isinstance(result, str)
        return result

    return run


def _searched(name: str, *, backwards: bool = False) -> Callable[..., int]:
    method = getattr(str, name)

    def run(ev: Evaluation, text: str, part: Any, *bounds: Any) -> int:
        wanted = _text(part, name)
        # Searching from the end has no fast algorithm behind it: it may compare at every place.
        ev.spend(len(text) * max(len(wanted) if backwards else 1, 1) >> 4)
        try:
            return int(method(text, wanted, *(whole(bound, name) for bound in bounds)))
        except ValueError:
            raise ExpressionError(
                sentence(f"{shown(wanted)} is not in the text."), "`.find` gives -1 instead."
            ) from None

    return run


def _replace(ev: Evaluation, text: str, old: Any, new: Any, count: Any = -1) -> str:
    _text(old, "replace")
    _text(new, "replace")
    limit = whole(count, "replace")
    ev.spend_text(len(text))
    found = text.count(old)
    if limit >= 0:
        found = min(found, limit)
    fits_text(len(text) + found * max(len(new) - len(old), 0), ev)
    return text.replace(old, new, limit)


def _join(ev: Evaluation, text: str, items: Any) -> str:
    parts = all_items(items, ev)
    for part in parts:
        if not isinstance(part, str):
            raise ExpressionError(
                f"`.join` puts texts together, but the list holds {shown(part)}.",
                'Make texts of them: `", ".join(str(x) for x in …)`.',
            )
    fits_text(sum(map(len, parts)) + len(text) * len(parts), ev)
    return text.join(parts)


def _padded(name: str) -> Callable[..., str]:
    method = getattr(str, name)

    def run(ev: Evaluation, text: str, width: Any, *fill: Any) -> str:
        fits_text(max(len(text), whole(width, name)), ev)
        if fill and len(_text(fill[0], name)) != 1:
            raise ExpressionError(f"`.{name}` fills up with one character.")
        result = method(text, width, *fill)
        assert isinstance(result, str)
        return result

    return run


def _expandtabs(ev: Evaluation, text: str, tabsize: Any = 8) -> str:
    fits_text(len(text) + text.count("\t") * max(whole(tabsize, "expandtabs"), 0), ev)
    return text.expandtabs(tabsize)


def _split(name: str) -> Callable[..., list[str]]:
    method = getattr(str, name)

    def run(ev: Evaluation, text: str, sep: Any = None, maxsplit: Any = -1) -> list[str]:
        if sep is not None and not _text(sep, name):
            raise ExpressionError("A text cannot be split at nothing.", "`list(text)` splits all.")
        backwards = len(sep) if sep is not None and name == "rsplit" else 1
        ev.spend(len(text) * backwards >> 3)
        limit = whole(maxsplit, name)
        # One part more than can be paid for ends the evaluation before memory fills up.
        affordable = ev.left + 1
        parts = method(text, sep, min(limit, affordable) if limit >= 0 else affordable)
        ev.spend(len(parts))
        return list(parts)

    return run


def _splitlines(ev: Evaluation, text: str, keepends: Any = False) -> list[str]:
    ev.spend(sum(text.count(end) for end in _LINE_ENDS) + (len(text) >> 3))
    return text.splitlines(bool(keepends))


def _parted(name: str) -> Callable[..., list[str]]:
    method = getattr(str, name)

    def run(ev: Evaluation, text: str, sep: Any) -> list[str]:
        if not _text(sep, name):
            raise ExpressionError("A text cannot be split at nothing.")
        ev.spend(len(text) * (len(sep) if name == "rpartition" else 1) >> 3)
        return list(method(text, sep))

    return run


def _list_index(ev: Evaluation, items: Any, value: Any, *bounds: Any) -> int:
    found = position_of(value, items, ev, *(whole(bound, "index") for bound in bounds))
    if found is None:
        raise ExpressionError(sentence(f"{shown(value)} is not in the list."))
    return found


def _list_count(ev: Evaluation, items: Any, value: Any) -> int:
    count = 0
    for item in items:
        ev.spend(1)
        count += item is value or equal(value, item, ev)
    return count


def _list_copy(ev: Evaluation, items: Any) -> list[Any]:
    return all_items(items, ev)


def _get(ev: Evaluation, record: Mapping[Any, Any], key: Any, default: Any = None) -> Any:
    if isinstance(key, str) and is_blocked_key(key):
        return default
    try:
        return record.get(key, default)
    except TypeError:
        raise ExpressionError(f"`.get` takes a name, not {kind_of(key)}.") from None


def is_blocked_key(key: str) -> bool:
    """Whether a name never stands for data, although the data may hold it."""
    return key.startswith("__") or key in ("constructor", "prototype")


def _keys(ev: Evaluation, record: Mapping[Any, Any]) -> list[Any]:
    ev.spend(len(record))
    return list(record)


def _values(ev: Evaluation, record: Mapping[Any, Any]) -> list[Any]:
    ev.spend(len(record))
    return list(record.values())


def _items(ev: Evaluation, record: Mapping[Any, Any]) -> list[list[Any]]:
    ev.spend(PAIR * len(record))
    return [[key, value] for key, value in record.items()]


def _record_copy(ev: Evaluation, record: Mapping[Any, Any]) -> dict[Any, Any]:
    ev.spend(2 * len(record))
    return dict(record)


_CHECKS = {
    "isalnum": "letters and digits", "isalpha": "letters", "isascii": "plain ASCII characters",
    "isdecimal": "decimal digits", "isdigit": "digits", "isidentifier": "the form of a name",
    "islower": "small letters", "isnumeric": "numerals", "isprintable": "printable characters",
    "isspace": "blanks", "istitle": "words that begin with a capital", "isupper": "capitals",
}  # fmt: skip


def _check_rules() -> list[Rule]:
    return [
        Rule(name, f".{name}()", f"Whether it is made of {words} only.", _simple(name))
        for name, words in _CHECKS.items()
    ]


TEXT_METHODS: Mapping[str, Rule] = by_name(
    Rule("capitalize", ".capitalize()", "First letter large.", _simple("capitalize", 3)),
    Rule("casefold", ".casefold()", "Small letters, for comparing.", _simple("casefold", 3)),
    Rule("center", ".center(width)", "Blanks on both sides.", _padded("center"), 1, 2),
    Rule("count", ".count(part)", "How often the part occurs.", _searched("count"), 1, 3),
    Rule("endswith", ".endswith(part)", "Whether it ends so.", _ends("endswith"), 1, 3),
    Rule(
        "expandtabs", ".expandtabs(size)", "Tabs become blanks.", _expandtabs, 0, 1, ("tabsize",)
    ),
    Rule("find", ".find(part)", "Where the part begins, or -1.", _searched("find"), 1, 3),
    Rule("index", ".index(part)", "Where the part begins.", _searched("index"), 1, 3),
    Rule("join", ".join(list)", "The texts of a list with this between.", _join, 1, 1, (), True),
    Rule("ljust", ".ljust(width)", "Blanks to the right.", _padded("ljust"), 1, 2),
    Rule("lower", ".lower()", "Small letters.", _simple("lower", 3)),
    Rule("lstrip", ".lstrip()", "Without blanks at the start.", _stripped("lstrip"), 0, 1),
    Rule("partition", ".partition(sep)", "Before, sep, after.", _parted("partition"), 1, 1),
    Rule("removeprefix", ".removeprefix(part)", "Without it at the start.",
         _without("removeprefix"), 1, 1),
    Rule("removesuffix", ".removesuffix(part)", "Without it at the end.",
         _without("removesuffix"), 1, 1),
    Rule("replace", ".replace(old, new)", "Each `old` becomes `new`.", _replace, 2, 3, ("count",)),
    Rule("rfind", ".rfind(part)", "Where it occurs last, or -1.",
         _searched("rfind", backwards=True), 1, 3),
    Rule("rindex", ".rindex(part)", "Where it occurs last.",
         _searched("rindex", backwards=True), 1, 3),
    Rule("rjust", ".rjust(width)", "Blanks to the left.", _padded("rjust"), 1, 2),
    Rule("rpartition", ".rpartition(sep)", "Parted at the last sep.", _parted("rpartition"), 1, 1),
    Rule("rsplit", ".rsplit(sep)", "Parts, counted from the end.", _split("rsplit"), 0, 2,
         ("sep", "maxsplit")),
    Rule("rstrip", ".rstrip()", "Without blanks at the end.", _stripped("rstrip"), 0, 1),
    Rule("split", ".split(sep)", "The parts between each `sep`.", _split("split"), 0, 2,
         ("sep", "maxsplit")),
    Rule("splitlines", ".splitlines()", "The lines as a list.", _splitlines, 0, 1, ("keepends",)),
    Rule("startswith", ".startswith(part)", "Whether it begins so.", _ends("startswith"), 1, 3),
    Rule("strip", ".strip()", "Without blanks around.", _stripped("strip"), 0, 1),
    Rule("swapcase", ".swapcase()", "Small and large swapped.", _simple("swapcase", 3)),
    Rule("title", ".title()", "Each Word Large.", _simple("title", 3)),
    Rule("upper", ".upper()", "Large letters.", _simple("upper", 3)),
    Rule("zfill", ".zfill(width)", "Zeros to the left.", _padded("zfill"), 1, 1),
    *_check_rules(),
)  # fmt: skip

LIST_METHODS: Mapping[str, Rule] = by_name(
    Rule("count", ".count(value)", "How often the value is in it.", _list_count, 1, 1),
    Rule("index", ".index(value)", "Where the value stands first.", _list_index, 1, 3),
    Rule("copy", ".copy()", "The same items in a new list.", _list_copy),
)

RECORD_METHODS: Mapping[str, Rule] = by_name(
    Rule("get", ".get(name, default)", "The value of that name, else the default.", _get, 1, 2),
    Rule("keys", ".keys()", "The names as a list.", _keys),
    Rule("values", ".values()", "The values as a list.", _values),
    Rule("items", ".items()", "Pairs of name and value.", _items),
    Rule("copy", ".copy()", "The same fields in a new record.", _record_copy),
)

METHOD_TABLES = (TEXT_METHODS, LIST_METHODS, RECORD_METHODS)
"""The methods of texts, of lists, of records."""
