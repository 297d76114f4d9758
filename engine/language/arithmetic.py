"""Sums and the like, where no result can grow beyond its bounds."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

from engine.errors import ExpressionError
from engine.language.budget import LONGEST_TEXT, MOST_BITS, WORK, Evaluation
from engine.language.values import NUMBERS, OrderedSet, is_list, is_number, is_record
from engine.language.words import kind_of

_MOST_BITS_TAKEN = 100_000

BinaryOperation = Callable[[Any, Any, Evaluation], Any]


def _cannot(verb: str, left: object, right: object, hint: str = "") -> ExpressionError:
    message = f"Cannot {verb} {kind_of(left)} and {kind_of(right)}."
    if not hint and {type(left), type(right)} <= {int, float, str}:
        hint = "`str(…)` makes a text of a number, `float(…)` a number of a text."
    return ExpressionError(message, hint)


def _numbers(verb: str, left: Any, right: Any) -> None:
    if not (is_number(left) and is_number(right)):
        raise _cannot(verb, left, right)
    for value in (left, right):
        if isinstance(value, int) and value.bit_length() > _MOST_BITS_TAKEN:
            raise _too_large()


def _too_large() -> ExpressionError:
    return ExpressionError(
        "The result is too large a number.", f"The limit is about {MOST_BITS * 3 // 10:,} digits."
    )


def _fit(bits: int, ev: Evaluation) -> None:
    if bits > MOST_BITS:
        raise _too_large()
    if bits > 500:
        ev.spend(bits >> 5)


def _bits(value: Any) -> int:
    return value.bit_length() if isinstance(value, int) else 0


def add(left: Any, right: Any, ev: Evaluation) -> Any:
    """`left + right` of two numbers, texts or lists."""
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return left + right
    if isinstance(left, str) and isinstance(right, str):
        fits_text(len(left) + len(right), ev)
        return left + right
    if is_list(left) and is_list(right):
        ev.spend(len(left) + len(right))
        return [*left, *right]
    _numbers("add", left, right)
    return left + right


def subtract(left: Any, right: Any, ev: Evaluation) -> Any:
    """`left - right` of two numbers or sets."""
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return left - right
    if isinstance(left, Set) and isinstance(right, Set):
        ev.spend(len(left))
        return OrderedSet(member for member in left if member not in right)
    _numbers("subtract", left, right)
    return left - right


def multiply(left: Any, right: Any, ev: Evaluation) -> Any:
    """`left * right` of two numbers, or a text or list repeated."""
    if type(left) in NUMBERS and type(right) in NUMBERS:
        if type(left) is not float and type(right) is not float:
            _fit(left.bit_length() + right.bit_length(), ev)
        return left * right
    if isinstance(right, str) or is_list(right):
        left, right = right, left
    if isinstance(right, int):
        if isinstance(left, str):
            fits_text(len(left) * max(right, 0), ev)
            return left * right
        if is_list(left):
            ev.spend(min(len(left) * max(right, 0), WORK + 1))
            return list(left) * right
    _numbers("multiply", left, right)
    return left * right


def divide(left: Any, right: Any, ev: Evaluation) -> Any:
    """`left / right`."""
    _numbers("divide", left, right)
    return left / right


def floor_divide(left: Any, right: Any, ev: Evaluation) -> Any:
    """`left // right`."""
    _numbers("divide", left, right)
    ev.spend(_bits(left) >> 5)
    return left // right


def remainder(left: Any, right: Any, ev: Evaluation) -> Any:
    """`left % right` of numbers; texts are put together with f-strings instead."""
    if isinstance(left, str):
        raise ExpressionError(
            "`%` does not fill in texts here.", 'Write f"… {name} …" or join texts with `+`.'
        )
    _numbers("take the remainder of", left, right)
    ev.spend(_bits(left) >> 5)
    return left % right


def power(left: Any, right: Any, ev: Evaluation) -> Any:
    """`left ** right`, when it is a real number of reasonable size."""
    _numbers("raise to a power", left, right)
    if isinstance(left, int) and isinstance(right, int) and right > 0 and abs(left) > 1:
        _fit(min(left.bit_length() * right, MOST_BITS + 1), ev)
    result = left**right
    if isinstance(result, complex):
        raise ExpressionError("The root of a negative number is not a number here.")
    return result


def shift_left(left: Any, right: Any, ev: Evaluation) -> Any:
    """`left << right` of whole numbers."""
    _whole("shift", left, right)
    _fit(min(left.bit_length() + max(right, 0), MOST_BITS + 1) if left else 0, ev)
    return left << right if left else 0


def shift_right(left: Any, right: Any, ev: Evaluation) -> Any:
    """`left >> right` of whole numbers."""
    _whole("shift", left, right)
    return left >> right


def _whole(verb: str, left: Any, right: Any) -> None:
    if not (isinstance(left, int) and isinstance(right, int)):
        raise _cannot(verb, left, right, "`and` and `or` join conditions.")
    _numbers(verb, left, right)


def _bitwise(symbol: str, operation: BinaryOperation) -> BinaryOperation:
    def run(left: Any, right: Any, ev: Evaluation) -> Any:
        if isinstance(left, Set) and isinstance(right, Set):
            ev.spend(len(left) + len(right))
            return operation(OrderedSet(left), OrderedSet(right), ev)
        if symbol == "|" and is_record(left) and is_record(right):
            ev.spend(len(left) + len(right))
            return {**left, **right}
        _whole(f"use `{symbol}` on", left, right)
        return operation(left, right, ev)

    return run


bit_or = _bitwise("|", lambda left, right, _ev: left | right)
bit_and = _bitwise("&", lambda left, right, _ev: left & right)
bit_xor = _bitwise("^", lambda left, right, _ev: left ^ right)


def fits_text(length: int, ev: Evaluation) -> None:
    """Pays for a text of `length` characters before it is made.

    Raises:
        ExpressionError: It would be too long.
    """
    if length > LONGEST_TEXT:
        raise ExpressionError(
            "The text would be too long.", f"The limit is {LONGEST_TEXT:,} characters."
        )
    ev.spend_text(length)


def _signed(verb: str, operation: Callable[[Any], Any]) -> Callable[[Any, Evaluation], Any]:
    def run(value: Any, _ev: Evaluation) -> Any:
        if not is_number(value):
            raise ExpressionError(f"Cannot {verb} {kind_of(value)}.", "A number is needed here.")
        return operation(value)

    return run


negative = _signed("put a minus before", operator.neg)
positive = _signed("put a plus before", operator.pos)


def inverted(value: Any, _ev: Evaluation) -> Any:
    """`~value` of a whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ExpressionError(f"Cannot use `~` on {kind_of(value)}.", "Write `not` instead.")
    return ~value


def total(items: Sequence[Any], start: Any, ev: Evaluation) -> Any:
    """The sum of the items."""
    if all(type(item) in NUMBERS for item in items) and type(start) in NUMBERS:
        return sum(items, start)
    if isinstance(start, str):
        raise ExpressionError("`sum` does not join texts.", 'Write "".join(…) instead.')
    result = start
    for item in items:
        if isinstance(item, Mapping):
            raise _cannot("add", result, item)
        result = add(result, item, ev)
    return result
