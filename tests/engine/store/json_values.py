"""Any value that a flow may carry, and exact comparison of two of them."""

from __future__ import annotations

import math

from hypothesis import strategies as st

texts = st.text(st.characters(codec=None, exclude_categories=()), max_size=12)
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**40), 10**40)
    | st.floats()
    | texts
    | st.sampled_from(["", "null", "\ud800", "\ud83d\ude00", "\n", "\x00", 0, -0.0, 2**64, 2**63])
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def same(one: object, other: object) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        if math.isnan(one):
            return math.isnan(other)
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    return one == other
