"""Code that means harm: it tries to get out, to change its inputs, or to use up the machine."""

from __future__ import annotations

ENDLESS = "it ran longer than"

PYTHON = {
    "endless loop": "while True: pass",
    "endless loop that catches everything": (
        "while True:\n try:\n  while True: pass\n except BaseException: pass"
    ),
    "endless sum": "sum(range(10**12))",
    "endless comprehension": "[0 for a in range(10**6) for b in range(10**6)]",
    "long list": "[0] * 10**9",
    "long range": "list(range(10**9))",
    "text that doubles": "a = 'x'\nwhile True: a += a",
    "text that is huge": "'x' * 10**10",
    "list that doubles": "a = [0]\nwhile True: a = a + a",
    "list of lists as result": "a = [0]\nfor i in range(60): a = [a, a]\nresult = a",
    "list of lists returned": "a = [0]\nfor i in range(60): a = [a, a]\nreturn a",
    "list of lists as json": "import json\na = [0]\nfor i in range(60): a = [a, a]\njson.dumps(a)",
    "list of lists as text": "a = [0]\nfor i in range(60): a = [a, a]\nstr(a)",
    "list of lists compared": (
        "a = [0]\nb = [0]\nfor i in range(60):\n a = [a, a]\n b = [b, b]\na == b"
    ),
    "list in itself": "a = []\na.append(a)\na",
    "deep list": "a = []\nfor i in range(10**7): a = [a]\na",
    "deep recursion": "def f(n): return f(n + 1) + 1\nf(0)",
    "tower of powers": "9 ** 9 ** 9",
    "shift": "1 << 10**12",
    "product": "a = 3\nwhile True: a = a * a",
    "factorial": "import math\nmath.factorial(10**7)",
    "number as text": "str(7 ** 10**6)",
    "operating system": "import os\nos.system('touch CANARY')",
    "folders": "import os\nos.listdir('/')",
    "environment": "import os\nos.environ['LOOPWRIGHT_HOME']",
    "other programs": "import subprocess\nsubprocess.run(['touch', 'CANARY'])",
    "network": "import socket\nsocket.create_connection(('127.0.0.1', PORT))",
    "web": "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:PORT')",
    "reading a file": "open('CANARY').read()",
    "reading by path": "from pathlib import Path\nPath('CANARY').read_text()",
    "writing a file": "open('CANARY', 'w').write('x')",
    "subclasses": "().__class__.__bases__[0].__subclasses__()",
    "globals of a function": "def f(): pass\nf.__globals__",
    "builtins": "__builtins__['open']('CANARY')",
    "import by name": "__import__('os').system('touch CANARY')",
    "eval": 'eval(\'__import__("os").listdir("/")\')',
    "exec": "exec('import os\\nos.system(\"touch CANARY\")')",
    "native code": "import ctypes\nctypes.CDLL(None)",
    "pickle": "import pickle\npickle.loads(b'x')",
    "pattern": "import re\nre.match('(a+)+$', 'a' * 60 + 'b')",
    "pattern with a back reference": "import re\nre.match(r'(a+)+\\1$', 'a' * 60 + 'b')",
    "format": "'{:>9999999999}'.format('x')",
    "format with a star": "'%*d' % (10**10, 1)",
    "flood of print": "while True: print('x' * 1000)",
    "huge print": "print('x' * 20_000_000)\nwhile True: pass",
    "huge error": "raise ValueError('x' * 10**7)",
    "huge result": "'x' * 17_000_000",
    "many results": "[0] * 1_500_000",
    "sleep": "import time\ntime.sleep(1000)",
    "waiting": "import asyncio\nawait asyncio.sleep(1000)",
    "slow sort": "def key(x):\n while True: pass\nsorted([2, 1], key=key)",
    "text of an object": ("class A:\n def __repr__(self):\n  while True: pass\nrepr(A())"),
    "own helpers": (
        "def _loopwright_text(value):\n a = [0]\n for i in range(60): a = [a, a]\n return a\n1"
    ),
    "end of the program": "import sys\nsys.exit(3)",
}

JAVASCRIPT = {
    "endless loop": "while (true) {}",
    "endless loop that catches everything": "for (;;) { try { while (true) {} } catch (e) {} }",
    "endless getter": "({ get a() { while (true); } })",
    "endless toJSON": "({ toJSON() { while (true); } })",
    "toJSON of toJSON": "({ toJSON() { return this; } })",
    "endless toString": (
        "console.log({ toString() { while (true); } }, Symbol.iterator); "
        "`${{ toString() { while (true); } }}`"
    ),
    "endless comparison": "[3, 1, 2].sort(() => { while (true); })",
    "endless replace": "'aa'.replace(/a/g, () => { while (true); })",
    "endless proxy": "new Proxy({}, { ownKeys() { while (true); } })",
    "endless iterator": "[...(function* () { while (true) yield 1; })()]",
    "endless promises": "function f() { return Promise.resolve().then(f); } f()",
    "endless job": "Promise.resolve().then(() => { while (true); })",
    "promise for nothing": "await new Promise(() => {})",
    "endless thenable": "Promise.resolve({ then() { while (true); } })",
    "text that doubles": "let s = 'x'; while (true) s += s;",
    "texts in a list": "const a = []; while (true) a.push('x'.repeat(1000) + a.length);",
    "list that grows": "const a = []; while (true) a.push(a);",
    "sparse list": "new Array(4294967295)",
    "sparse list as text": "new Array(4294967295).join('x')",
    "sparse list turned round": "new Array(4294967295).reverse()",
    "sparse list searched": "new Array(4294967295).indexOf(1)",
    "list that is filled": "new Array(1e9).fill(0)",
    "bytes": "new Uint8Array(1e9)",
    "many bytes": "const a = []; while (true) a.push(new Uint8Array(1e6));",
    "deep recursion": "function f() { return f() + 1; } f()",
    "deep list": "let a = []; for (let i = 0; i < 1e7; i++) a = [a]; a",
    "list of lists": "let a = [0]; for (let i = 0; i < 60; i++) a = [a, a]; a",
    "list in itself": "const a = []; a.push(a); a",
    "big number": "2n ** 100000000n",
    "product": "let a = 3n; while (true) a *= a;",
    "pattern": "/(a+)+$/.test('a'.repeat(60) + 'b')",
    "constructor": (
        "[].constructor.constructor('return this')().require('fs').readFileSync('CANARY')"
    ),
    "eval": "(0, eval)(\"import('CANARY')\")",
    "module": "import('CANARY')",
    "module of the system": "import('os')",
    "node": "require('child_process').execSync('touch CANARY')",
    "process": "process.exit(1)",
    "web": "fetch('http://127.0.0.1:PORT')",
    "system of the engine": "std.open('CANARY', 'w')",
    "prototype": (
        "Object.prototype.polluted = 1; Array.prototype.push = null; JSON.stringify = null; "
        "String.prototype.slice = () => { throw 1; }; Promise.prototype.then = null; 1"
    ),
    "setter for every item": (
        "Object.defineProperty(Array.prototype, '0', { set() { while (true); } }); [1, 2]"
    ),
    "own drivers": "__loopwright = null; globalThis.eval = null; 1",
    "driver called": "__loopwright(() => { while (true); }); 1",
    "flood of console.log": "while (true) console.log('x'.repeat(1000))",
    "huge console.log": "console.log('x'.repeat(2e7)); while (true);",
    "huge error": "throw new Error('x'.repeat(2e7))",
    "error with a getter": "throw { get message() { while (true); } }",
    "error that is no text": "throw Symbol('x')",
    "huge result": "'x'.repeat(17e6)",
    "many results": "new Array(1.5e6).fill(0)",
    "blocking": "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1e6)",
    "breaking out of the text": "}); while (true); (() => {",
    "half a character": "'\ud800' + '\\udfff\\ud800'",
    "zero": "'\x00' + '\\0'",
}
