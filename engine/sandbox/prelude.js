// Runs before a person's code and gives the one function that drives it. What it needs of the
// built-ins is taken now, so that code which changes them harms only itself. Every answer is a
// text of plain ASCII, written inside the box.
(function (global, MOST_VALUES, LONGEST_TEXT, DEEPEST, MOST_PRINTED) {
  "use strict";
  const { stringify, parse } = JSON;
  const { isArray } = Array;
  const { join } = Array.prototype;
  const { keys, defineProperty } = Object;
  const { apply } = Reflect;
  const evaluate = global.eval;
  const kindOf = Object.prototype.toString;
  const { slice, includes } = String.prototype;
  const bigToText = BigInt.prototype.toString;
  const then = Promise.prototype.then;
  const { Promise: PromiseType, SyntaxError: SyntaxErrorType, Error: ErrorType, BigInt: toBig, String: toText } = global;
  const LARGEST_PLAIN = 10n ** 4000n;
  const LARGEST_SAFE = 2 ** 53 - 1;

  let printed = "";
  let state = "";
  let outcome;
  let resultFirst = false;
  let readResult = () => undefined;

  function cut(text, longest) {
    return text.length > longest ? apply(slice, text, [0, longest]) + "\u2026" : text;
  }

  // --- values in ---------------------------------------------------------------------------

  function untagged(value) {
    if (typeof value === "string") {
      const tag = value[0];
      const rest = apply(slice, value, [1]);
      if (tag === "s") return rest;
      if (tag === "i") return rest[0] === "-" ? -toBig(apply(slice, rest, [1])) : toBig(rest);
      return rest === "NaN" ? NaN : rest === "Infinity" ? Infinity : -Infinity;
    }
    if (value !== null && typeof value === "object") {
      const names = keys(value);
      for (let i = 0; i < names.length; i++) set(value, names[i], untagged(value[names[i]]));
    }
    return value;
  }

  // An assignment to `__proto__` would change the prototype instead.
  function set(target, name, value) {
    const facts = { __proto__: null, value, writable: true, enumerable: true, configurable: true };
    defineProperty(target, name, facts);
  }

  function bind(wire) {
    const names = parse(apply(slice, wire, [1]));
    if (wire[0] === "t") untagged(names);
    const all = keys(names);
    for (let i = 0; i < all.length; i++) set(global, all[i], names[all[i]]);
  }

  // --- values out --------------------------------------------------------------------------

  class Unfit {
    constructor(reason) {
      this.reason = reason;
      this.path = "";
    }
  }

  function written(value) {
    const left = { values: MOST_VALUES, text: LONGEST_TEXT, tagged: false };
    try {
      const plain = write(value, 0, left);
      if (plain !== null) return "p" + plain;
      left.values = MOST_VALUES;
      left.text = LONGEST_TEXT;
      left.tagged = true;
      return "t" + write(value, 0, left);
    } catch (fault) {
      if (!(fault instanceof Unfit)) throw fault;
      return "e" + stringify(["unfit", cut(fault.reason, 80), cut(fault.path, 200)]);
    }
  }

  function pay(text, left) {
    left.text -= text.length;
    if (left.text < 0) throw new Unfit("long");
    return text;
  }

  // The value as JSON; null when it holds a number that needs the tagged form.
  function write(value, depth, left) {
    if (--left.values < 0) throw new Unfit("large");
    if (depth > DEEPEST) throw new Unfit("deep");
    switch (typeof value) {
      case "undefined":
        return "null";
      case "boolean":
        return value ? "true" : "false";
      case "string":
        if (value.length > left.text) throw new Unfit("long");
        return pay(stringify(left.tagged ? "s" + value : value), left);
      case "number":
        return writeNumber(value, left);
      case "bigint":
        return writeBig(value, left);
      case "object":
        return value === null ? "null" : writeObject(value, depth, left);
      default:
        throw new Unfit("type " + typeof value);
    }
  }

  function writeNumber(value, left) {
    if (value === Infinity || value === -Infinity || value !== value) {
      return left.tagged ? '"n' + value + '"' : null;
    }
    const text = "" + value;
    // The shortest digits of a large whole number are not all of its digits.
    const isLarge = (value > LARGEST_SAFE || value < -LARGEST_SAFE) && !mentions(text, "e");
    return pay(isLarge ? apply(bigToText, toBig(value), []) : text, left);
  }

  function writeBig(value, left) {
    if (left.tagged) return pay('"i' + apply(bigToText, value, [16]) + '"', left);
    if (value >= LARGEST_PLAIN || value <= -LARGEST_PLAIN) return null;
    return pay(apply(bigToText, value, []), left);
  }

  function writeObject(value, depth, left) {
    if (isArray(value)) return writeArray(value, depth, left);
    const toJSON = value.toJSON;
    if (typeof toJSON === "function") return write(apply(toJSON, value, []), depth + 1, left);
    const kind = apply(kindOf, value, []);
    if (kind !== "[object Object]") throw new Unfit("type " + apply(slice, kind, [8, -1]));
    let text = "{";
    let name;
    try {
      const names = keys(value);
      for (let i = 0; i < names.length; i++) {
        name = names[i];
        const inner = write(value[name], depth + 1, left);
        if (inner === null) return null;
        text += (i ? "," : "") + pay(stringify(name), left) + ":" + inner;
      }
    } catch (fault) {
      if (fault instanceof Unfit) fault.path = "." + cut(name, 40) + fault.path;
      throw fault;
    }
    return text + "}";
  }

  function writeArray(value, depth, left) {
    let text = "[";
    let i = 0;
    try {
      const count = value.length;
      for (; i < count; i++) {
        const inner = write(value[i], depth + 1, left);
        if (inner === null) return null;
        text += (i ? "," : "") + inner;
      }
    } catch (fault) {
      if (fault instanceof Unfit) fault.path = "[" + i + "]" + fault.path;
      throw fault;
    }
    return text + "]";
  }

  // --- printing ----------------------------------------------------------------------------

  function shown(value) {
    if (typeof value === "string") return value;
    try {
      const text = typeof value === "object" ? stringify(value) : undefined;
      return typeof text === "string" ? text : toText(value);
    } catch {
      return "[a value that cannot be shown]";
    }
  }

  function print(...values) {
    if (printed.length > MOST_PRINTED) return;
    let line = "";
    for (let i = 0; i < values.length; i++) {
      line += (i ? " " : "") + shown(values[i]);
      if (line.length > MOST_PRINTED) break;
    }
    printed += cut(line, MOST_PRINTED) + "\n";
  }

  set(global, "console", { log: print, info: print, warn: print, error: print, debug: print });

  // --- running -----------------------------------------------------------------------------

  function failed(error) {
    let name = "", message = "", stack = "";
    try {
      if (error instanceof ErrorType) {
        name = cut(toText(error.name), 60);
        message = cut(toText(error.message), 2000);
        stack = cut(toText(error.stack), 4000);
      } else {
        message = cut(shown(error), 2000);
      }
    } catch {
      message = "an error that cannot be shown";
    }
    return "e" + stringify(["thrown", name, message, stack]);
  }

  // Whether it can be read as it stands; nothing of it runs.
  function isScript(code) {
    try {
      evaluate("throw 0;" + code);
    } catch (error) {
      return !(error instanceof SyntaxErrorType);
    }
  }

  function mentions(code, word) {
    return apply(includes, code, [word]);
  }

  // `return` and `await` need a function around them; without one, the last line has a value.
  function start(code) {
    set(global, "__loopwright", (read) => { readResult = read; });
    const keep = '__loopwright(() => typeof result === "undefined" ? undefined : result);';
    const inFunction = (mentions(code, "return") || mentions(code, "await")) && !isScript(code);
    if (inFunction && isScript("async () => (" + code + "\n)")) {
      return evaluate("(async () => (" + code + "\n))()");
    }
    if (inFunction) return evaluate("(async () => {" + keep + code + "\n})()");
    resultFirst = true;
    return evaluate(code + "\n;var __loopwrightKept = " + keep);
  }

  // What is returned counts most, then `result`, then the value of the last line.
  function chosen(given) {
    if (given !== undefined && !resultFirst) return given;
    let result;
    try {
      result = readResult();
    } catch {
      // `let result` was never reached.
    }
    return result === undefined ? given : result;
  }

  function take(value, choose) {
    const last = choose && !(value instanceof PromiseType) ? chosen(value) : value;
    if (!(last instanceof PromiseType)) {
      state = "done";
      outcome = last;
      return;
    }
    state = "pending";
    const done = (given) => take(given, choose && last === value);
    apply(then, last, [done, (error) => { state = "failed"; outcome = error; }]);
  }

  function run(code, wire) {
    try {
      bind(wire);
      take(start(code), true);
    } catch (error) {
      state = "failed";
      outcome = error;
    }
    return look();
  }

  function look() {
    if (state === "pending") return state;
    try {
      return state === "done" ? written(outcome) : failed(outcome);
    } catch (error) {
      return failed(error);
    }
  }

  // A text that was put together of many is handed over as one piece.
  return (command, code, wire) => {
    const text = command === "run" ? run(code, wire) : command === "look" ? look() : stringify(printed);
    return apply(join, [text], [""]);
  };
})
