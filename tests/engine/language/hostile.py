"""Expressions that try to use up time or memory, to get out, or to change what they are given.

Run as a program, it evaluates each in turn and prints a line of JSON for each: seconds of CPU time,
the value or the error, and the peak of this process's memory above its start, in bytes.
"""

from __future__ import annotations

import json
import sys
import time
from copy import deepcopy
from typing import Any

from engine.errors import ExpressionError
from engine.language.expression import parse_expression
from engine.language.scope import GivenNames

DATA: dict[str, Any] = {
    "context": {
        "big": list(range(100_000)),
        "text": "a" * 1_000_000,
        "record": {str(number): number for number in range(1_000)},
        "x": 1,
        "__class__": "a key",
        "_hidden": "a key",
        "constructor": "a key",
    },
    "state": {"score": 1},
    "input": "abc",
    "messages": [],
}

GROWING_NUMBERS = [
    "9**9**9", "2**100000", "(10**1000)**1000", "7**(9**5)", "(-9)**99999",
    "1 << 10**9", "1 << 100000", "10**4000 * 10**4000", "(1<<13000) * (1<<13000)",
    "round(5, -10**9)", "round(1.5, 10**9)", "int('9'*1000000)", "float('9'*10**6)",
    "str(10**4100 * 10**4000)", "[10**4000//7 for x in range(100000)]",
    "[str(10**4000) for x in range(100000)]", "[x**x for x in range(3000)]",
    "sum(10**4000 for x in range(10**6))", "2**-10**400", "0x" + "f" * 12_000, "1" * 5_000,
]  # fmt: skip

GROWING_TEXTS = [
    "'a'*10**9", "10**9*'a'", "('a'*1000000)*1000", "['a'*100000 for x in range(100000)]",
    "[context.text + 'b' for x in range(1000)]", "[context.text.upper() for x in range(1000)]",
    "f'{1:999999999}'", "f'{1:{10**9}}'", "f'{1.5:.999999999f}'", "f\"{'a':>999999999}\"",
    "'%999999999d' % 1", "'{:999999999}'.format(1)", "'{a:9999999}'.format_map(context)",
    "'a'.ljust(10**9)", "'a'.rjust(10**10)", "'a'.center(10**9)", "'1'.zfill(10**9)",
    "'\\t'.expandtabs(10**9)", "('\\t'*1000000).expandtabs(1000)",
    "context.text.replace('a', 'b'*1000)", "context.text.replace('', 'b'*1000)",
    "context.text.join(['a']*1000)", "context.text.join(context.text)",
    "','.join(str(x) for x in range(10**8))", "[str(context.big) for x in context.big]",
    "[f'{context.big}' for x in context.big]", "[context.text]*100000",
    "str([context.text]*1000)", "f'{[context.text]*1000}'",
]  # fmt: skip

GROWING_LISTS = [
    "[0]*10**9", "[[0]*1000]*10**6", "[1]*10**5*10**5", "list(range(10**9))", "range(10**30)",
    "sum(range(10**10))", "max(range(10**9))", "sorted(range(10**8))", "len(range(10**12))",
    "[x for x in range(10**9)]", "{x for x in range(10**8)}", "{x: x for x in range(10**8)}",
    "[0 for x in range(1000) for y in range(1000) for z in range(1000)]",
    "sum(x*y for x in range(5000) for y in range(5000))",
    "any(False for x in range(10**4) for y in range(10**4))",
    "[[y for y in range(1000)] for x in range(100000)]",
    "('a b '*2000000).split()", "('a\\n'*4000000).splitlines()", "context.text.split('a')*20",
    "[list(context.text) for x in range(100)]", "list(zip(context.big, context.big))*100",
    "[context.big + context.big for x in context.big]", "[context.big[:] for x in context.big]",
    "[context.record.items() for x in context.big]", "[enumerate(context.big) for x in [0]*99]",
    "[{'a': x, 'b': [x]} for x in context.big for y in context.big]",
]  # fmt: skip

SLOW = [
    "[x in context.big for x in context.big]", "[context.big.count(x) for x in context.big]",
    "[context.big.index(x) for x in context.big]", "[sorted(context.big) for x in context.big]",
    "[sum(context.big) for x in context.big]", "[max(context.big) for x in context.big]",
    "[context.big == context.big[:] for x in context.big]",
    "[context.text == context.text + '' for x in range(100000)]",
    "('a'*1000000).rfind('b' + 'a'*500000)", "('a'*1000000).rsplit('b' + 'a'*500000)",
    "('ab'*500000).strip('ab'*100000)", "('a'*1000000).rpartition('b' + 'a'*500000)",
    "sum(('a'*29000).find('a'*99+'b') for i in range(10000))",
    "re_match('(.*a){30}b', 'a'*1000000)", "re_match('((a{1,30}){1,30}){1,30}b', 'a'*1000)",
    "[re_match('(x+x+)+y', 'x'*10000) for i in range(100000)]",
    "re_match(r'(?:(?:a|b)*a(?:a|b){400})+c', 'ab'*50000)",
    "re_match(r'(\\pL{1,30}.?){9}x', 'aé'*1000)", "re_match('a'*2000, 'a')",
    "re_match('('*1000 + ')'*1000, 'a')",
]  # fmt: skip

DEEP = [
    "-" * 20_000 + "1", "-" * 9_000 + "1", "not " * 2_400 + "1", "~" * 5_000 + "1",
    "+ " * 4_900 + "1", "(" * 5_000 + "1" + ")" * 5_000, "[" * 3_000 + "]" * 3_000,
    "(" * 100 + "1" + ")" * 100, "1" + "+1" * 4_900, "1" + "**1" * 3_000, "a" + ".b" * 4_900,
    "a" + "[0]" * 3_000, "len" + "()" * 4_000, "1 if 1 else " * 800 + "1",
    "lambda: " * 1_200 + "1", "f'{" * 100 + "1" + "}'" * 100, "f'{" + "-" * 5_000 + "1}'",
    "f'{" + "(" * 199 + "1" + ")" * 199 + "}'", "{" * 200, "a" * 20_000,
    "'" + "a" * 20_000 + "'", "[" + "[x for x in [0]] and " * 400 + "0]",
    "[x for x in " * 100 + "[]" + "]" * 100,
]  # fmt: skip


def _doubling(result: str) -> str:
    """A list that holds the same list twice, forty times over, then an attempt to write it out."""
    loops = " ".join(f"for v{n + 1} in [[v{n},v{n}]]" for n in range(40))
    return f"[{result.replace('LAST', 'v40')} for v0 in [[1]] {loops}]"


DOUBLING = [
    _doubling(result)
    for result in (
        "LAST", "str(LAST)", "LAST == LAST + []", "f'{LAST}'", "sorted([LAST, LAST + []])",
        "LAST + [] in [LAST]", "[LAST].count(LAST + [])", "min(LAST, LAST + [])",
        "LAST < LAST + []", "{'a': LAST}", "sum(LAST, [])", "set(LAST)", "dict(a=LAST)",
        "[LAST].index(LAST + [])", "repr(LAST)",
    )
]  # fmt: skip

ESCAPES = [
    "().__class__.__bases__[0].__subclasses__()", "context.__class__", "''.__class__",
    "__import__('os').system('id')", "open('/etc/passwd').read()", "eval('1')", "exec('1')",
    "globals()", "getattr(context, '__class__')", "(lambda: 1)()", "(x := 5)", "len.__self__",
    "[x := 1 for y in [1]]", "context['__class__']", "context.get.__self__", "type(1)",
    "context.items.__func__", "'{0.__class__}'.format(1)", "[*context.big]", "{**context}",
    "max(*context.big)", "dict(**context)", "await x", "[x async for x in y]", "(yield 1)",
    "print(1)", "input()", "vars()", "dir()", "help()", "breakpoint()", "compile('1','','eval')",
    "b'a'*10", "1j", "...", "'a'.encode()", "'a'.translate({97: 'b'*100})", "''.maketrans({})",
    "str.format('a')", "context.constructor", "context['constructor']", "context._hidden",
    "[_ for _ in [1]]", "_x", "f'{context.__class__}'", "f'{context!a}'", "math.pi",
    "import os", "a; b", "a = b", "x\x00y", "\ud800", "context.get.x", "context.big.sort",
    "(context.get)('x')()", "[len][0]([])", "isinstance(1, object)", "super()", "object()",
    "c\uff4fntext.\uff3f\uff3fclass\uff3f\uff3f", "(x for x in [1])", "map(str, [1])",
    "[x.gi_frame for x in (y for y in [1])]", "any(x for x in [1]).gi_frame", "dict.fromkeys('a')",
]  # fmt: skip

CHANGES = [
    "[].append(1)", "context.big.append(1)", "context.big.clear()", "context.update({'a': 1})",
    "context.pop('x')", "context.setdefault('z', 1)", "context.record.popitem()",
    "context.big.sort()", "context.big.reverse()", "context.big.insert(0, 1)", "del context.x",
    "context.big.extend([1])", "context.big.remove(1)", "[1 for context.x in [2]]",
    "[1 for context['x'] in [2]]", "{1}.add(2)",
]  # fmt: skip

HOSTILE: list[str] = [
    *GROWING_NUMBERS, *GROWING_TEXTS, *GROWING_LISTS, *SLOW, *DEEP, *DOUBLING, *ESCAPES, *CHANGES,
]  # fmt: skip


def report(expression: str) -> dict[str, Any]:
    """What evaluating it took and gave."""
    start = time.process_time()
    result = {"error": "", "value": ""}
    try:
        value = parse_expression(expression).evaluate(GivenNames(DATA))
        result["value"] = type(value).__name__
    except ExpressionError as fault:
        result["error"] = ascii(str(fault))
    return {**result, "seconds": time.process_time() - start, "peak": _peak()}


def _peak() -> int:
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def main() -> None:
    """Evaluates all and prints a line for each, then whether the data are as they were."""
    before = deepcopy(DATA)
    start = _peak()
    for expression in HOSTILE:
        result = report(expression)
        result["peak"] -= start
        print(json.dumps(result), flush=True)
    print(json.dumps({"unchanged": before == DATA}))


if __name__ == "__main__":
    main()
