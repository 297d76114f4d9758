"""How the value of Python code leaves its box: as text that is written inside the box.

Inside, because a list that holds one list twice, which holds one list twice … is small there and
endless outside. `PREPARE` runs before the code and holds on to the built-in names that it needs,
so code and inputs may use `type` or `list` as names of their own. The last expression of `WRITE`
can only ever be a text, whatever the code has done.
"""

from __future__ import annotations

from engine.sandbox.limits import DEEPEST, LONGEST_TEXT, MOST_VALUES
from engine.sandbox.python_source import LAST, RETURNED

# A larger number is written in hexadecimal: decimal digits take time in the square of their count.
_PLAIN_DIGITS = 4000

PREPARE = f"""
import json as _loopwright_json

def _loopwright_fault(
    value, depth, left,
    type=type, bool=bool, int=int, float=float, str=str, list=list, tuple=tuple, dict=dict,
    len=len, hex=hex, repr=repr,
):
    left[0] -= 1
    if left[0] < 0:
        return ['large', '']
    if depth > {DEEPEST}:
        return ['deep', '']
    kind = type(value)
    if value is None or kind is bool or kind is float:
        return None
    if kind is str:
        left[1] -= len(value)
        return ['long', ''] if left[1] < 0 else None
    if kind is int:
        if not -left[3] < value < left[3]:
            left[1] -= len(hex(value))
            left[2] = True
        return ['long', ''] if left[1] < 0 else None
    if kind is list or kind is tuple:
        index = 0
        for item in value:
            fault = _loopwright_fault(item, depth + 1, left)
            if fault is not None:
                return [fault[0], '[' + str(index) + ']' + fault[1]]
            index += 1
        return None
    if kind is dict:
        for key, item in value.items():
            if type(key) is not str:
                return ['key', '[' + repr(key)[:80] + ']']
            left[1] -= len(key)
            fault = _loopwright_fault(item, depth + 1, left)
            if fault is not None:
                return [fault[0], '.' + key[:40] + fault[1]]
        return None
    return ['type ' + str(kind)[:80], '']

def _loopwright_tagged(
    value, largest, type=type, int=int, str=str, list=list, tuple=tuple, dict=dict, hex=hex
):
    kind = type(value)
    if kind is str:
        return 's' + value
    if kind is int and not -largest < value < largest:
        return 'i' + hex(value)
    if kind is list or kind is tuple:
        return [_loopwright_tagged(item, largest) for item in value]
    if kind is dict:
        return {{key: _loopwright_tagged(item, largest) for key, item in value.items()}}
    return value

def _loopwright_text(value, dumps=_loopwright_json.dumps):
    left = [{MOST_VALUES}, {LONGEST_TEXT}, False, 10 ** {_PLAIN_DIGITS}]
    fault = _loopwright_fault(value, 0, left)
    if fault is not None:
        return 'e' + dumps([fault[0], fault[1][:200]])
    if left[2]:
        return 't' + dumps(_loopwright_tagged(value, left[3]))
    return 'p' + dumps(value)

_loopwright_missing = NameError
None
"""

WRITE = f"""
try:
    _loopwright_value = {RETURNED}
except _loopwright_missing:
    try:
        _loopwright_value = result
    except _loopwright_missing:
        try:
            _loopwright_value = {LAST}
        except _loopwright_missing:
            _loopwright_value = None

'%s' % (_loopwright_text(_loopwright_value),)
"""
