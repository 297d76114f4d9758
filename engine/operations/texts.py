"""Texts taken apart, put together, and searched by pattern."""

from __future__ import annotations

from typing import Any

from engine.errors import LanguageError, NodeError
from engine.language.words import shown
from engine.operations.convert import as_list, as_text

_HALF = "The text holds half a character (a lone surrogate): patterns cannot read it."


def split(value: Any, separator: str, *, trim: bool, drop_empty: bool) -> list[str]:
    """The parts of a text between the separators; without a separator, its characters.

    Raises:
        NodeError: It is no text.
    """
    text = _text(value)
    parts = text.split(separator) if separator else list(text)
    if trim:
        parts = [part.strip() for part in parts]
    return [part for part in parts if part] if drop_empty else parts


def join(value: Any, separator: str) -> str:
    """The items of a list in one text.

    Raises:
        NodeError: It is no list, or an item cannot be written.
    """
    return separator.join(as_text(item) for item in as_list(value))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise NodeError(f"A text is needed here, not {shown(value)}.", "*Convert* can make a text.")


def find(value: Any, pattern: str, group: str, *, ignore_case: bool, every: bool) -> list[Any]:
    """What a pattern finds in a text: the first match, or every one.

    A match gives its chosen group; else a record of its named groups; else its first group; else
    all of it.

    Raises:
        NodeError: The pattern is faulty, too hard for the text, or has no such group.
    """
    # Patterns of this kind take time in proportion to the text, whatever they are.
    from engine.language.patterns import compiled, work_of

    text = _text(value)
    flagged = f"(?i){pattern}" if ignore_case else pattern
    try:
        work_of(flagged, text)
        matches = compiled(flagged).finditer(text)
        found = []
        for match in matches:
            found.append(_part(match, group))
            if not every:
                break
    except LanguageError as fault:
        raise NodeError(f"Field 'Pattern': {fault.message}", fault.hint) from None
    except UnicodeEncodeError:
        raise NodeError(_HALF) from None
    return found


def _part(match: Any, group: str) -> Any:
    if group:
        wanted: int | str = int(group) if group.isascii() and group.isdigit() else group
        try:
            return match.group(wanted)
        except (IndexError, KeyError):
            raise NodeError(
                f"The pattern has no group '{group}'.",
                "Groups are counted from 1; 0 is the whole match; `(?P<name>…)` has a name.",
            ) from None
    named = match.groupdict()
    if named:
        return dict(named)
    groups = match.groups()
    return groups[0] if groups else match.group(0)
