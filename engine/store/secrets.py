"""Secrets: where they come from, and keeping them out of everything that is shown or kept."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import quote, quote_plus

from engine.errors import StoreError

PREFIX = "LOOPWRIGHT_SECRET_"
COVER = "•••"
# Shorter ones stand in ordinary words: they are covered only where they stand alone.
_SHORT = 4
# The middle of a base64 text tells less the shorter it is.
_SHORTEST_MIDDLE = 6
_LONG = 1_000
_HEXADECIMAL = re.compile(r"%[0-9A-F]{2}|\\\\u[0-9a-f]{4}")


class SecretSource(Protocol):
    """A place that secrets come from."""

    def get(self, name: str) -> str | None:
        """The secret, or None when this place has none of that name."""

    def names(self) -> Iterable[str]:
        """The names of the secrets that it can list."""


class EnvironmentSecrets:
    """Secrets in environment variables: `$secrets.api_key` is `LOOPWRIGHT_SECRET_API_KEY`.

    Args:
        environment: The variables.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._environment = environment

    def get(self, name: str) -> str | None:
        """The variable's value: of that very name, else in capitals with `_` for other signs."""
        for spelling in (name, re.sub(r"\W", "_", name, flags=re.ASCII).upper()):
            # An empty one is none: it would be sent as a key.
            if value := self._environment.get(PREFIX + spelling):
                return value
        return None

    def names(self) -> list[str]:
        """The names of all that are set, without the prefix."""
        return sorted(
            key.removeprefix(PREFIX)
            for key, value in self._environment.items()
            if key.startswith(PREFIX) and key != PREFIX and value
        )


class Secrets:
    """The secrets of all sources; an earlier source wins.

    Args:
        sources: Where to look, in order.
    """

    def __init__(self, sources: Sequence[SecretSource] | None = None) -> None:
        self._sources = (EnvironmentSecrets(),) if sources is None else tuple(sources)

    def get(self, name: str) -> str:
        """The secret of that name.

        Raises:
            StoreError: There is none; the hint says how to set it.
        """
        for source in self._sources:
            value = source.get(name)
            if value is not None:
                return value
        raise StoreError(f"There is no secret '{name}'.", self._hint(name))

    def names(self) -> list[str]:
        """The names of all secrets that can be listed."""
        return sorted({name for source in self._sources for name in source.names()})

    def redactor(self) -> Redactor:
        """Covers every secret that is known now."""
        return Redactor(self.get(name) for name in self.names())

    def _hint(self, name: str) -> str:
        from engine.flow.faults import nearest  # Late: only a slip of the pen needs it.

        variable = PREFIX + re.sub(r"\W", "_", name, flags=re.ASCII).upper()
        return f"{nearest(name, self.names())} Set it as {variable}.".strip()


class Redactor:
    """Puts `•••` in the place of secrets, in whatever form they appear; free when there are none.

    A secret of fewer than four signs is covered only where it stands alone.

    Args:
        values: The secrets.
    """

    def __init__(self, values: Iterable[str]) -> None:
        secrets = {value for value in values if value}
        self._numbers = {value for value in secrets if re.fullmatch(r"-?[\d.eE+-]+", value)}
        forms = {form for secret in secrets for form in _forms(secret)}
        # The longest first: one secret may hold another.
        ordered = sorted(forms, key=lambda each: (-len(each), each))
        self._pattern = re.compile("|".join(map(_pattern, ordered))) if ordered else None
        self._probes = sorted({form.casefold() for form in forms})

    def text(self, text: str) -> str:
        """The text with every secret covered."""
        if self._pattern is None:
            return text
        if len(text) > _LONG and not self._may_hold_secret(text):
            return text
        return self._pattern.sub(COVER, text)

    def _may_hold_secret(self, text: str) -> bool:
        # In long text plain searches are much faster than the pattern, and mostly find nothing.
        folded = text.casefold()
        return any(probe in folded for probe in self._probes)

    def value(self, value: Any) -> Any:
        """A JSON value with every secret covered, in names too; the same object if it has none."""
        return value if self._pattern is None else self._covered(value)

    def _covered(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, (int, float)):
            return COVER if self._numbers and _number_text(value) in self._numbers else value
        if isinstance(value, Mapping):
            return self._covered_object(value)
        if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
            parts = [self._covered(part) for part in value]
            same = all(new is old for new, old in zip(parts, value, strict=True))
            return value if same else parts
        return value

    def _covered_object(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        same = True
        covered: dict[str, Any] = {}
        for name, part in value.items():
            new_name, new_part = self._free_name(name, covered), self._covered(part)
            same = same and new_part is part and new_name == name
            covered[new_name] = new_part
        return value if same else covered

    def _free_name(self, name: Any, taken: Mapping[str, Any]) -> Any:
        if not isinstance(name, str):
            return name
        covered = free = self.text(name)
        count = 1
        while free in taken:
            # Two names that become one must not lose a value.
            count += 1
            free = f"{covered} {count}"
        return free


def _number_text(value: float) -> str:
    # A whole number too long to be printed is no secret that anyone typed.
    if isinstance(value, int) and value.bit_length() > 4_000:
        return ""
    return repr(value)


def _pattern(form: str) -> str:
    # Hexadecimal digits of `%c3` and `\\u00e4` are written in capitals as well.
    escaped = _HEXADECIMAL.sub(r"(?i:\g<0>)", re.escape(form))
    if len(form) >= _SHORT:
        return escaped
    return rf"(?<![^\W_]){escaped}(?![^\W_])"


def _forms(secret: str) -> Iterator[str]:
    yield secret
    for ascii_only in (True, False):
        once = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield once.replace("/", "\\/")
        # JSON inside JSON, as in the body of a request that is itself shown.
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]
    yield repr(secret)[1:-1]
    data = secret.encode("utf-8", "surrogatepass")
    yield from (quote(data), quote(data, safe=""), quote_plus(data))
    yield from _base64_forms(data)


def _base64_forms(data: bytes) -> Iterator[str]:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        whole = encode(data).decode()
        yield whole
        yield whole.rstrip("=")
        # Inside a longer text, such as `user:secret`, it may begin at any of three places; what
        # its neighbours have a part in is left out.
        for before in range(3):
            middle = encode(bytes(before) + data).decode().rstrip("=")
            start = (0, 2, 3)[before]
            end = len(middle) - (0 if (before + len(data)) % 3 == 0 else 1)
            if end - start >= _SHORTEST_MIDDLE:
                yield middle[start:end]
