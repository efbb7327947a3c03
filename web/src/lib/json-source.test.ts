import { expect, test } from "vitest";
import { printJson } from "./json";
import { placeProblems, readJson } from "./json-source";

test("integers of 64 bits stay exact, both ways", () => {
  const text = '{\n  "maximum": 9223372036854775807,\n  "enum": [1, 2.5, "a", null]\n}';
  const { value } = readJson(text) as { value: unknown };
  expect(value).toEqual({ maximum: 9223372036854775807n, enum: [1, 2.5, "a", null] });
  expect(readJson(printJson(value, { width: 80, lists: true }))).toEqual({ value });
  expect(printJson(value, { width: 80, lists: true })).toContain('"maximum": 9223372036854775807');
});

test.each([
  ["", 1, 1, "the text ends too early"],
  ["{", 1, 2, "the text ends too early"],
  ['{"a": 1,}', 1, 9, 'a key in "…" is expected here'],
  ['{\n  "a" 1}', 2, 7, ": is expected here"],
  ['{"a": 1 "b": 2}', 1, 9, ", or } is expected here"],
  ["[1 2]", 1, 4, ", or ] is expected here"],
  ["[01]", 1, 2, '"0" is not expected here'],
  ["[.5]", 1, 2, '"." is not expected here'],
  ["{'a': 1}", 1, 2, "\"'\" is not expected here"],
  ["{} x", 1, 4, "nothing is expected here: the value has ended"],
  ['{"a": {"b": 1, "b": 2}}', 1, 16, 'the key "b" occurs twice'],
  ["[" .repeat(200), 1, 151, "there are more than 150 levels"],
])("%s is refused where it is wrong", (text, line, column, message) => {
  expect(readJson(text)).toEqual({ problem: { line, column, message } });
});

test("every text that is JSON is read, and no other", () => {
  const texts = ['""', "0", "-0.5e+3", "true", "[]", "[ ]", "{ }", ' {"a" : [ { } , "\\u00e9\\n" ] }\n', "nul", "1e", "--1", '"\t"', "{]", "[1,]", "tru", "1 2"];
  for (const text of texts) {
    let value: unknown;
    let isJson = true;
    try {
      value = JSON.parse(text);
    } catch {
      isJson = false;
    }
    if (isJson) expect(readJson(text)).toEqual({ value });
    else expect(readJson(text), text).toHaveProperty("problem");
  }
});

test("a problem is at what its pointer names, or at the nearest part around it", () => {
  const text = '{\n  "properties": {\n    "a/b": { "typ": "string" },\n    "list": [1,\n      2]\n  }\n}';
  const at = (path: string) => placeProblems(text, [{ path, message: "no" }])[0];
  expect(at("/properties/a~1b/typ")).toEqual({ line: 3, column: 14, message: "/properties/a~1b/typ: no" });
  expect(at("/properties/list/1")).toEqual({ line: 5, column: 7, message: "/properties/list/1: no" });
  expect(at("/properties/missing/type")).toMatchObject({ line: 2, column: 3 });
  expect(at("")).toEqual({ line: 1, column: 1, message: "no" });
  expect(placeProblems("{", [{ path: "/a", message: "no" }])).toEqual([{ line: 1, column: 1, message: "/a: no" }]);
});

test("keys that objects have by themselves are keys like others", () => {
  const text = '{\n  "__proto__": {\n    "constructor": 1\n  }\n}';
  const { value } = readJson(text) as { value: object };
  expect(printJson(value, { width: 80, lists: true })).toBe(text);
});
