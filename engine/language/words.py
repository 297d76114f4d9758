"""How the language speaks of values and names to a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from difflib import get_close_matches
from itertools import islice
from typing import TypeGuard

_MOST_NAMES_COMPARED = 500
_LONGEST_NAME_COMPARED = 80
_LONGEST_SHOWN = 40
_NAMES_LISTED = 8


def kind_of(value: object) -> str:
    """What sort of value it is, as in "cannot compare *a text* with *a number*"."""
    if value is None:
        return "nothing (None)"
    if isinstance(value, bool):
        return "a yes/no value"
    for types, word in _KINDS:
        if isinstance(value, types):
            return word
    return "a value of an unknown kind"


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    ((int, float), "a number"),
    (str, "a text"),
    (Mapping, "a record"),
    (Sequence, "a list"),
    (Set, "a set"),
)


def shown(value: object) -> str:
    """A value with its kind, short enough for a message."""
    kind = kind_of(value)
    if isinstance(value, str):
        text = value if len(value) <= _LONGEST_SHOWN else value[:_LONGEST_SHOWN] + "…"
        return f'{kind} ("{text}")'
    if isinstance(value, bool) or (isinstance(value, int) and value.bit_length() < 200):
        return f"{kind} ({value})"
    return f"{kind} ({value})" if isinstance(value, float) else kind


def _can_be_meant(name: object) -> TypeGuard[str]:
    if not isinstance(name, str) or len(name) > _LONGEST_NAME_COMPARED:
        return False
    return not name.startswith("__") and name not in ("constructor", "prototype")


def sentence(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


def nearest(wrong: str, names: Iterable[object]) -> str:
    """The name that was probably meant; empty when none is near."""
    candidates = [
        name
        for name in islice(names, _MOST_NAMES_COMPARED)
        if _can_be_meant(name) and name != wrong
    ]
    lowered = wrong.lower()
    for name in candidates:
        if name.lower() == lowered:
            return name
    plain = [name for name in candidates if not name.startswith("$")]
    for name in candidates:
        # Only the sign was left out; else such names are near to those that have it too.
        if name.startswith("$") and name[1:].lower() == lowered:
            return name
    meant = candidates if wrong.startswith("$") else plain
    close = get_close_matches(wrong[:_LONGEST_NAME_COMPARED], meant, n=1, cutoff=0.6)
    return close[0] if close else ""


def missing(wrong: str, names: Iterable[object], where: str) -> tuple[str, str]:
    """Message and hint for a name that is not there.

    Args:
        wrong: The name that was asked for.
        names: What there is.
        where: In what it was looked for; empty for names at large.
    """
    known = list(islice(names, _MOST_NAMES_COMPARED))
    name = wrong if len(wrong) <= _LONGEST_NAME_COMPARED else wrong[:_LONGEST_NAME_COMPARED] + "…"
    near = nearest(wrong, known)
    what = f"There is no `{name}` in {where}" if where else f"There is no name `{name}`"
    if near:
        return f"{what}; did you mean `{near}`?", ""
    return f"{what}.", listed(known, where)


def listed(names: Iterable[object], where: str) -> str:
    """A hint that lists what there is instead."""
    texts = [name for name in names if _can_be_meant(name)]
    if not texts:
        return f"There is nothing in {where} yet." if where else ""
    more = ", …" if len(texts) > _NAMES_LISTED else ""
    first = ", ".join(f"`{name}`" for name in texts[:_NAMES_LISTED])
    return f"{'It has' if where else 'There are'}: {first}{more}."
