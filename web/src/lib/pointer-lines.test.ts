import { expect, test } from "vitest";
import { lineOf } from "./pointer-lines";

const text = `{
  "formatVersion": 1,
  "collections": [
    {"name": "posts", "schema": {
      "type": "object"}},
    {
      "name": "a \\"[{\\" b",
      "policy": {"read": {
        "filter": {"a/b": {"~x": 1}}}}
    }
  ],
  "roles": [],
  "collections2": [1, -2e3, true, null,
    "last"]
}`;

test.each([
  ["", 1],
  ["/formatVersion", 2],
  ["/collections", 3],
  ["/collections/0", 4],
  ["/collections/0/schema/type", 5],
  ["/collections/1/name", 7],
  ["/collections/1/policy/read/filter/a~1b/~0x", 9],
  ["/collections/1/policy/read/nothing/there", 8],
  ["/collections/7", 3],
  ["/roles/0/name", 12],
  ["/collections2/4", 14],
  ["/collections2/3", 13],
  ["/absent", 1],
])("the line of %s is %i", (pointer, line) => expect(lineOf(text, pointer)).toBe(line));

test("texts of one value", () => {
  expect(lineOf("\n\n7", "")).toBe(3);
  expect(lineOf("", "/a")).toBe(1);
});
