import { expect, test } from "vitest";
import { exactJson, isObject, printJson, sameJson } from "./json";

test.each([null, "a\n", 1, true, [], {}, [1, [2]], { a: { b: [] }, 'c"': "" }])("%o is printed as JSON.stringify does", (value) =>
  expect(printJson(value)).toBe(JSON.stringify(value, undefined, 2)),
);

// Node.js 20, on which units may run, cannot keep them.
test.skipIf(exactJson === JSON)("large integers are numbers", () => {
  const text = '{\n  "a": 9007199254740993,\n  "b": [\n    -9223372036854775808\n  ]\n}';
  expect(printJson(exactJson.parse(text))).toBe(text);
});

test.each([
  [1, 1, true],
  [1, "1", false],
  [1n, 1n, true],
  [null, {}, false],
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [{ a: undefined }, { b: undefined }, false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
])("%o and %o: %s", (a, b, same) => expect(sameJson(a, b)).toBe(same));

test("objects", () => expect([{}, [], null, "a"].map(isObject)).toEqual([true, false, false, false]));

test("marks that turn a text are shown, and the value stays", () => {
  const value = { name: "\u202egnp.exe", list: [1] };
  const text = printJson(value);
  expect(text).toBe('{\n  "name": "\\u202egnp.exe",\n  "list": [\n    1\n  ]\n}');
  expect(exactJson.parse(text)).toEqual(value);
});
