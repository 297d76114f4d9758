"""The functions that an expression may call, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import datetime
from typing import Any

from engine.errors import ExpressionError
from engine.language.arithmetic import total
from engine.language.budget import PAIR, WORK, Evaluation
from engine.language.comparison import all_of, any_of, in_order, mixed_kinds, pay_for_ordering
from engine.language.patterns import starts_with_pattern, work_of
from engine.language.rule import Rule, by_name
from engine.language.scope import NodeValue
from engine.language.values import (
    OrderedSet,
    all_items,
    is_list,
    is_number,
    is_record,
    make_set,
    python_text,
)
from engine.language.words import kind_of, sentence, shown

_MOST_DIGITS = 300
_LONGEST_NUMBER = 4_300


def _length(ev: Evaluation, value: Any) -> int:
    if isinstance(value, str | Set) or is_list(value) or is_record(value):
        return len(value)
    raise ExpressionError(
        sentence(f"{kind_of(value)} has no length."), "Texts, lists and records have one."
    )


def _chosen(word: str, choose: Callable[..., Any]) -> Callable[..., Any]:
    def run(ev: Evaluation, *values: Any, **options: Any) -> Any:
        items = all_items(values[0], ev) if len(values) == 1 else list(values)
        if not items:
            if "default" in options:
                return options["default"]
            raise ExpressionError(
                f"There is nothing to take the {word} of: the list is empty.",
                f"Give a value for that case: `{word}(…, default=0)`.",
            )
        pay_for_ordering(items, ev)
        try:
            return choose(items)
        except TypeError:
            raise mixed_kinds(items) from None

    return run


def _sum(ev: Evaluation, items: Any, start: Any = 0) -> Any:
    return total(all_items(items, ev), start, ev)


def _any(ev: Evaluation, items: Any) -> bool:
    return any_of(items, ev)


def _all(ev: Evaluation, items: Any) -> bool:
    return all_of(items, ev)


def _sorted(ev: Evaluation, items: Any, *, reverse: Any = False) -> list[Any]:
    return in_order(all_items(items, ev), ev, reverse=bool(reverse))


def _abs(ev: Evaluation, value: Any) -> Any:
    return abs(_number(value, "abs"))


def _number(value: Any, function: str) -> Any:
    if not is_number(value):
        raise ExpressionError(
            f"`{function}` takes a number, not {shown(value)}.", "`float(…)` makes one of a text."
        )
    return value


def whole(value: Any, function: str) -> int:
    """`value` as a whole number for an argument of `function`.

    Raises:
        ExpressionError: It is none.
    """
    if not isinstance(value, int):
        raise ExpressionError(f"`{function}` takes a whole number here, not {shown(value)}.")
    return value


def rounded(value: Any, digits: Any = None) -> Any:
    """`value` rounded as Python does, to the nearest even of two equally near.

    Raises:
        ExpressionError: A value is no number, or `digits` is out of bounds.
    """
    _number(value, "round")
    if digits is None:
        return round(value)
    if abs(whole(digits, "round")) > _MOST_DIGITS:
        raise ExpressionError(f"`round` takes at most {_MOST_DIGITS} digits.")
    return round(value, digits)


def _round(ev: Evaluation, value: Any, digits: Any = None) -> Any:
    return rounded(value, digits)


def _str(ev: Evaluation, value: Any = "") -> str:
    return python_text(value, ev)


def _converted(function: Callable[[Any], Any], name: str) -> Callable[..., Any]:
    def run(ev: Evaluation, value: Any = 0) -> Any:
        if (isinstance(value, str) and len(value) <= _LONGEST_NUMBER) or is_number(value):
            try:
                return function(value)
            except ValueError:
                raise ExpressionError(sentence(f"{shown(value)} is not a number.")) from None
        raise ExpressionError(f"`{name}` cannot make a number of {shown(value)}.")

    return run


def _bool(ev: Evaluation, value: Any = False) -> bool:
    return bool(value)


def _list(ev: Evaluation, items: Any = ()) -> list[Any]:
    return all_items(items, ev)


def _dict(ev: Evaluation, items: Any = (), **fields: Any) -> dict[Any, Any]:
    if is_record(items):
        ev.spend(len(items))
        return {**items, **fields}
    pairs = all_items(items, ev)
    if not all(is_list(pair) and len(pair) == 2 for pair in pairs):
        raise ExpressionError("`dict` takes a list of pairs: `[['name', 1], …]`.")
    try:
        return {**dict(map(tuple, pairs)), **fields}
    except TypeError:
        raise ExpressionError("The names in a record must be texts or numbers.") from None


def _set(ev: Evaluation, items: Any = ()) -> OrderedSet:
    return make_set(all_items(items, ev))


def _range(ev: Evaluation, *bounds: Any) -> list[int]:
    numbers = [whole(bound, "range") for bound in bounds]
    if len(numbers) == 3 and numbers[2] == 0:
        raise ExpressionError("The step of `range` cannot be 0.")
    steps = range(*numbers)
    # `len` of a huge range overflows, so its size is found by indexing.
    ev.spend(len(steps) if not steps[WORK:] else WORK + 1)
    return list(steps)


def _enumerate(ev: Evaluation, items: Any, start: Any = 0) -> list[list[Any]]:
    found = all_items(items, ev)
    ev.spend(PAIR * len(found))
    return [[index, item] for index, item in enumerate(found, whole(start, "enumerate"))]


def _zip(ev: Evaluation, *lists: Any) -> list[list[Any]]:
    rows = [all_items(items, ev) for items in lists]
    shortest = min((len(row) for row in rows), default=0)
    ev.spend(shortest * (len(rows) + PAIR))
    return [list(row) for row in zip(*rows, strict=False)]


def _re_match(ev: Evaluation, pattern: Any, text: Any) -> bool:
    for value in (pattern, text):
        if not isinstance(value, str):
            raise ExpressionError(
                f"`re_match` takes a pattern and a text, not {shown(value)}.",
                "`str(…)` makes a text of a number.",
            )
    ev.spend(10 + work_of(pattern, text) // 20)
    return starts_with_pattern(pattern, text)


def _now(ev: Evaluation) -> Any:
    try:
        value = ev.lookup("current_date_time")
    except KeyError:
        return datetime.now().astimezone().isoformat(timespec="seconds")
    return value.output if isinstance(value, NodeValue) else value


def _test(check: Callable[[Any], bool]) -> Callable[..., bool]:
    def run(ev: Evaluation, value: Any) -> bool:
        return check(value)

    return run


def is_of_type(value: object, name: str) -> bool:
    """Whether `isinstance(value, name)` for one of the type names of the language."""
    return TYPES[name](value)


TYPES: Mapping[str, Callable[[Any], bool]] = {
    "str": lambda value: isinstance(value, str),
    "int": lambda value: isinstance(value, int),
    "float": lambda value: isinstance(value, float),
    "bool": lambda value: isinstance(value, bool),
    "list": is_list,
    "dict": is_record,
    "set": lambda value: isinstance(value, Set),
}
"""What `isinstance` can ask for."""


def _no_yes_no(value: Any) -> bool:
    return is_number(value) and not isinstance(value, bool)


_TESTS: Sequence[tuple[str, str, Callable[[Any], bool]]] = (
    ("is_string", "a text", TYPES["str"]),
    ("is_number", "a number (not a yes/no value)", _no_yes_no),
    ("is_boolean", "True or False", TYPES["bool"]),
    ("is_list", "a list", is_list),
    ("is_object", "a record", is_record),
    ("is_null", "nothing (None)", lambda value: value is None),
)


def _tests() -> Iterable[Rule]:
    for name, words, check in _TESTS:
        yield Rule(name, f"{name}(value)", f"Whether the value is {words}.", _test(check), 1, 1)


FUNCTIONS: Mapping[str, Rule] = by_name(
    Rule("len", "len(value)", "How many items or characters.", _length, 1, 1),
    Rule(
        "min", "min(a, b, …)", "The smallest value, or the smallest of a list.",
        _chosen("min", min), 1, None, ("default",), True,
    ),
    Rule(
        "max", "max(a, b, …)", "The largest value, or the largest of a list.",
        _chosen("max", max), 1, None, ("default",), True,
    ),
    Rule("sum", "sum(list)", "All numbers of a list added.", _sum, 1, 2, ("start",), True),
    Rule("any", "any(list)", "Whether at least one item is true.", _any, 1, 1, (), True),
    Rule("all", "all(list)", "Whether every item is true.", _all, 1, 1, (), True),
    Rule(
        "sorted", "sorted(list)", "The items in order; `reverse=True` for largest first.",
        _sorted, 1, 1, ("reverse",), True,
    ),
    Rule("abs", "abs(number)", "The number without its minus.", _abs, 1, 1),
    Rule(
        "round", "round(number, digits)", "The number rounded; halves go to the even neighbour.",
        _round, 1, 2,
    ),
    Rule("str", "str(value)", "The value as a text.", _str, 0, 1),
    Rule("int", "int(value)", "A whole number from a text.", _converted(int, "int"), 0, 1),
    Rule("float", "float(value)", "A number from a text.", _converted(float, "float"), 0, 1),
    Rule("bool", "bool(value)", "False for 0, empty and None, else True.", _bool, 0, 1),
    Rule("list", "list(value)", "The items or characters as a list.", _list, 0, 1, (), True),
    Rule(
        "dict", "dict(pairs)", "A record from a list of pairs, or a copy of a record.",
        _dict, 0, 1, ("*",), True,
    ),
    Rule("set", "set(list)", "The items, each once.", _set, 0, 1, (), True),
    Rule("range", "range(stop)", "The numbers 0, 1, … up to before `stop`.", _range, 1, 3),
    Rule(
        "enumerate", "enumerate(list)", "Pairs of number and item, from 0.",
        _enumerate, 1, 2, ("start",), True,
    ),
    Rule("zip", "zip(a, b)", "Pairs of the items of two lists.", _zip, 0, None, (), True),
    Rule(
        "re_match", "re_match(pattern, text)",
        "Whether the text begins with something that fits the pattern.", _re_match, 2, 2,
    ),
    Rule("now", "now()", "Date and time as a text, for example 2026-05-01T09:30:00+02:00.", _now),
    *_tests(),
)  # fmt: skip
"""Every function of expressions but `isinstance`, whose second argument is the name of a type."""
