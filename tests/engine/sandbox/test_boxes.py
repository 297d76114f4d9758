"""Values pass into code and out of it, failures are told in words, and a call can be cancelled."""

from __future__ import annotations

import asyncio
import math
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import NodeError
from engine.sandbox.box import run_code
from engine.sandbox.limits import Limits

LANGUAGES = ("python", "javascript")
LIMITS = Limits(seconds=20)


VALUES = [
    *(0, False, "", [], {}, None, True, 1, -5, 1.5, math.inf, -math.inf, 1e300, 1e-300),
    *(2**53, -(2**64), 10**30, 10**5000, -(10**5000)),
    *("é😀\x00\n", "{{ x }} $& \\1 \"'` ${a}", "</script>\u2028\u2029"),
    [None, [{}]],
    {"a": {"": 0}},
    {"__proto__": {"x": 1}, "constructor": 2, "toString": 3},
    {"i": "i0", "n": "nNaN", "b": 2**70},
]


def run(language, code, limits=LIMITS, printed=None, **inputs):
    on_print = printed.append if printed is not None else None
    return asyncio.run(run_code(language, code, inputs, limits, on_print))


def failure(language, code, limits=LIMITS, **inputs):
    with pytest.raises(NodeError) as caught:
        run(language, code, limits, **inputs)
    return caught.value


def failure_or_none(language, code):
    try:
        run(language, code)
    except NodeError as error:
        return error
    return None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_passes_unchanged(language, value):
    result = run(language, "a", a=value)

    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_number_that_is_none_passes(language):
    result = run(language, "a", a=[math.nan, 1])

    assert math.isnan(result[0])
    assert result[1] == 1


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


@pytest.mark.parametrize("language", LANGUAGES)
@given(value=json_values)
@settings(max_examples=60)
def test_any_value_passes_unchanged(language, value):
    assert run(language, "a", a=value) == value


@given(st.text(st.characters(), max_size=10))
@settings(max_examples=40)
def test_any_text_at_all_passes_javascript(text):
    assert run("javascript", "result = [a, {[a]: 1}]", a=text) == [text, {text: 1}]


@given(st.sampled_from(LANGUAGES), st.text(max_size=30))
@settings(max_examples=60)
def test_any_text_as_code_ends_in_a_value_or_in_words(language, code):
    error = failure_or_none(language, code)

    assert error is None or error.message.endswith(".")


def test_half_a_character_in_python_is_told():
    error = failure("python", "a", a=["\ud800"])

    assert "`a` holds a text with half a character" in error.message


def test_half_a_character_passes_javascript():
    assert run("javascript", "[a, '\ud800', '\\udc00']", a="\ud800") == ["\ud800"] * 2 + ["\udc00"]


@pytest.mark.parametrize(
    ("language", "code", "value"),
    [
        ("python", "result = 5", 5),
        ("python", "result = [1]\nresult.append(2)", [1, 2]),
        ("python", "a = 2\na * 3", 6),
        ("python", "(1 +\n 2)  # three", 3),
        ("python", "if True:\n    return 1, 2\n5", [1, 2]),
        ("python", "for i in range(5):\n    if i == 3: return (i,\n        'x')", [3, "x"]),
        ("python", "return", None),
        ("python", "", None),
        ("python", "result = 1\nprint('x')", 1),
        ("python", "if False: result = 1", None),
        ("python", "def f():\n    return 7\nf()", 7),
        ("python", "async def f(): return 8\nawait f()", 8),
        ("python", "type = str = len = list = 5\n[type]", [5]),
        ("python", "'é'; 'ü'", "ü"),
        ("python", "x = 1\r\ny = 2\r\nx + y", 3),
        ("python", "\ufeff4", 4),
        ("javascript", "result = 5", 5),
        ("javascript", "const result = [1]; result.push(2)", [1, 2]),
        ("javascript", "let a = 2; a * 3", 6),
        ("javascript", "return 4 // four", 4),
        ("javascript", "if (true) { 7 }", 7),
        ("javascript", "", None),
        ("javascript", "undefined", None),
        ("javascript", "[undefined, { a: undefined }]", [None, {"a": None}]),
        ("javascript", "await Promise.resolve(5)", 5),
        ("javascript", "const a = await Promise.resolve(5); result = a + 1", 6),
        ("javascript", "async function f() { return 7 } f()", 7),
        ("javascript", "result = Promise.resolve(3)", 3),
        ("javascript", "let result; (async () => { result = await 9 })()", 9),
        ("javascript", "// return it\n5", 5),
        ("javascript", "let result = 1; return", 1),
        ("javascript", "3.0", 3),
        ("javascript", "-0", 0),
        ("javascript", "2n ** 200n", 2**200),
        ("javascript", "[2n ** 100000n, 'x', NaN].slice(0, 2)", [2**100000, "x"]),
        ("javascript", "new Date(0)", "1970-01-01T00:00:00.000Z"),
        ("javascript", "(function () { return [...arguments] })(1, 2)", [1, 2]),
        ("javascript", "1;\r\n2", 2),
    ],
)
def test_the_value_of_code(language, code, value):
    assert run(language, code) == value


def test_whole_numbers_of_javascript_are_whole_numbers():
    assert [type(each) for each in run("javascript", "[3.0, 2.5, 1e3, 5n]")] == [
        int,
        float,
        int,
        int,
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_code_works_on_copies(language):
    data = {"list": [1, {"a": 2}]}

    changed = run(
        language,
        "d.list[1].a = 9; d" if language == "javascript" else "d['list'][1]['a'] = 9\nd",
        d=data,
    )

    assert changed == {"list": [1, {"a": 9}]}
    assert data == {"list": [1, {"a": 2}]}


class View(Mapping):
    def __getitem__(self, key):
        return {"items": Items()}[key]

    def __iter__(self):
        return iter(["items"])

    def __len__(self):
        return 1


class Items(Sequence):
    def __getitem__(self, index):
        return (1, 2)[index]

    def __len__(self):
        return 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_read_only_views_come_as_plain_data(language):
    assert run(language, "view", view=View()) == {"items": [1, 2]}


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_that_are_none_in_the_language_do_no_harm(language):
    assert run(language, "a", **{"a": 1, "class": 2, "first name": 3, "": 4, "1": 5}) == 1


@pytest.mark.parametrize(
    ("language", "code", "message"),
    [
        ("python", "x = 1\ny = x / 0", "Line 2, `y = x / 0`: a number is divided by zero."),
        ("python", "x = 1\n\ny =", "Line 3, `y =`: this is not valid Python: invalid syntax"),
        ("python", "nam", "Line 1, `nam`: there is no `nam` here."),
        (
            "python",
            "def f():\n    return [][1]\nf()",
            "Line 2, `return [][1]`: the list or text is",
        ),
        ("python", "{}['k']", "Line 1, `{}['k']`: there is no key `k`"),
        ("python", "import socket", "Line 1, `import socket`: the module `socket` is not offered"),
        ("python", "def f():\n    yield 1", "Line 2, `yield 1`: yield expressions cannot be used"),
        ("python", "raise ValueError('no')", "Line 1, `raise ValueError('no')`: ValueError: no."),
        ("python", "import time\ntime.sleep(1)", "Line 2, `time.sleep(1)`: `system.sleep` is not"),
        (
            "python",
            "{1: 2}",
            "The result cannot go on in the flow: the key in `result[1]` is no text.",
        ),
        (
            "python",
            "{'a': [{1}]}",
            "The result cannot go on in the flow: `result.a[0]` is of the kind `set`.",
        ),
        ("python", "print", "The result cannot go on in the flow: `result` is of the kind"),
        ("python", "a = []\na.append(a)\na", "The result is nested more than 200 levels deep"),
        ("javascript", "let a = 1;\nnull.x", "Line 2, `null.x`: TypeError: cannot read property"),
        (
            "javascript",
            "let a = 1;\nlet b = ;",
            "Line 2, `let b = ;`: this is not valid JavaScript",
        ),
        ("javascript", "const x = await 1;\nlet b = ;", "Line 2, `let b = ;`: this is not valid"),
        ("javascript", "nam", "Line 1, `nam`: there is no `nam` here."),
        ("javascript", "JSON.parse('{')", "Line 1, `JSON.parse('{')`: SyntaxError: Expected"),
        ("javascript", "\n\nthrow new Error('no')", "Line 3, `throw new Error('no')`: no."),
        ("javascript", "throw { a: 1 }", 'The code failed: {"a":1}.'),
        (
            "javascript",
            "Promise.reject(new Error('no'))",
            "Line 1, `Promise.reject(new Error('no'))`: no.",
        ),
        ("javascript", "new Promise(() => {})", "The code failed: it waits for a promise"),
        (
            "javascript",
            "({ a: [() => 1] })",
            "The result cannot go on in the flow: `result.a[0]` is of the kind `function`.",
        ),
        (
            "javascript",
            "new Map()",
            "The result cannot go on in the flow: `result` is of the kind `Map`.",
        ),
        (
            "javascript",
            "Symbol()",
            "The result cannot go on in the flow: `result` is of the kind `symbol`.",
        ),
    ],
)
def test_a_failure_names_the_line_and_the_cause(language, code, message):
    assert failure(language, code).message.startswith(message)


def test_a_missing_name_is_told_with_those_that_are_there():
    assert failure("python", "totl", total=1, input=2).hint == "The code sees: input, total."
    assert failure("javascript", "totl", total=1, input=2).hint == "The code sees: input, total."


def test_what_is_not_in_the_box_is_told():
    assert "reaches no files" in failure("javascript", "fetch('x')").hint
    assert "Wait node" in failure("python", "import time\ntime.sleep(1)").hint


@pytest.mark.parametrize("language", LANGUAGES)
def test_printed_lines_are_handed_over_also_when_the_code_fails(language):
    say = "print('a', 1)" if language == "python" else "console.log('a', 1)"
    printed = []

    run(language, f"{say}\n{say}", printed=printed)
    with pytest.raises(NodeError):
        run(language, f"{say}\nnope", printed=printed)

    assert printed == ["a 1\na 1", "a 1"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_code_that_is_too_long_is_refused(language):
    assert "characters; at most" in failure(language, "1" * 200_001).message


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (object(), "`a` holds a value of an unknown kind (object), which code cannot take."),
        ({1: 2}, "`a` has a key that is no text: 1."),
        ([0] * 1_000_001, "`a` is too large for code"),
    ],
    ids=["object", "key", "size"],
)
def test_a_value_that_cannot_go_in_is_told(language, value, message):
    assert failure(language, "a", a=value).message.startswith(message)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_value_that_is_nested_too_deeply_is_told(language):
    deep = []
    for _ in range(2000):
        deep = [deep]

    assert "`a` is nested more than 200 levels deep" in failure(language, "a", a=deep).message


@pytest.mark.parametrize(
    ("language", "code"),
    [("python", "while True: pass"), ("javascript", "while (true);")],
)
def test_a_time_limit_is_a_timeout(language, code):
    error = failure(language, f"1\n{code}", Limits(seconds=0.1))

    assert error.kind == "timeout"
    assert "it ran longer than 0.1 s" in error.message


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "a = []\nwhile True: a.append('x' * 1000 + str(len(a)))"),
        ("javascript", "const a = []; while (true) a.push([1])"),
    ],
)
def test_a_memory_limit_is_told(language, code):
    error = failure(language, code, Limits(seconds=20, memory_mb=20))

    assert error.kind == "memory"
    assert "more than 20 MB" in error.message


BUSY = [
    ("python", "while True: pass"),
    ("python", "import json\na = [0]\nfor i in range(60): a = [a, a]\njson.dumps(a)"),
    ("python", "while True: print('x')"),
    ("javascript", "while (true);"),
    ("javascript", "new Array(4294967295).join('x')"),
    ("javascript", "async function f() { for (;;) await 1 } f()"),
]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize(("language", "code"), BUSY)
def test_cancelling_ends_busy_code_at_once(language, code):
    assert asyncio.run(seconds_to_cancel(language, code)) < 0.1


async def seconds_to_cancel(language, code):
    await run_code(language, "1", {}, LIMITS)
    before = work_of_children()
    task = asyncio.create_task(run_code(language, code, {}, LIMITS))
    busy = await asyncio.to_thread(wait_until, lambda: busy_child(before))
    start = time.perf_counter()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    took = time.perf_counter() - start

    assert await asyncio.to_thread(wait_until, lambda: busy not in work_of_children())
    assert await run_code(language, "1 + 1", {}, LIMITS) == 2
    return took


def wait_until(condition):
    end = time.perf_counter() + 20
    while not (found := condition()):
        assert time.perf_counter() < end
    return found


def work_of_children():
    """Processor time by process, in clock ticks."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            facts = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(facts[1]) == os.getpid() and facts[0] != "Z":
            found[entry.parent.name] = int(facts[11]) + int(facts[12])
    return found


def busy_child(before):
    """A child process that has worked for 50 ms since."""
    now = work_of_children()
    return next((each for each in now if now[each] - before.get(each, 0) >= 5), None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_many_calls_at_once_get_each_its_own_value(language):
    async def all_of_them():
        return await asyncio.gather(
            *(run_code(language, "a + 1", {"a": n}, LIMITS) for n in range(60))
        )

    assert asyncio.run(all_of_them()) == list(range(1, 61))


@pytest.mark.parametrize("language", LANGUAGES)
def test_calls_that_are_cancelled_do_not_end_others(language):
    async def some_of_them():
        kept = [asyncio.create_task(run_code(language, "a", {"a": n}, LIMITS)) for n in range(20)]
        gone = [asyncio.create_task(run_code(language, "a", {"a": n}, LIMITS)) for n in range(20)]
        await asyncio.sleep(0)
        for task in gone:
            task.cancel()
        await asyncio.gather(*gone, return_exceptions=True)
        return await asyncio.gather(*kept)

    assert asyncio.run(some_of_them()) == list(range(20))
