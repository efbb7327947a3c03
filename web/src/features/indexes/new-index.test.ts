import { expect, test } from "vitest";
import { formPath, indexOf, type Key } from "./new-index";

const keys: Key[] = [
  { row: 0, path: " state ", direction: 1 },
  { row: 1, path: "at", direction: -1 },
];

test("an index has its keys, and the options that were chosen", () => {
  expect(indexOf(keys, { name: " ", partialFilter: "", expireAfterSeconds: "", include: "" })).toEqual({ body: { keys: { state: 1, at: -1 } } });
  const values = { unique: "on", name: "by-state", partialFilter: '{"n": {"$gt": 9007199254740993}}', expireAfterSeconds: "60", include: "a\n\n b.c \n" };
  expect(indexOf(keys, values)).toEqual({
    body: {
      keys: { state: 1, at: -1 },
      unique: true,
      name: "by-state",
      partialFilter: { n: { $gt: 9007199254740993n } },
      expireAfterSeconds: 60,
      include: ["a", "b.c"],
    },
  });
});

test.each([
  [[{ row: 0, path: " ", direction: 1 }], {}, "key-0"],
  [[...keys, { row: 2, path: "at", direction: 1 }], {}, "key-2"],
  [keys, { partialFilter: "{" }, "partialFilter"],
  [keys, { partialFilter: "[]" }, "partialFilter"],
  [keys, { expireAfterSeconds: "1.5" }, "expireAfterSeconds"],
] as [Key[], Record<string, string>, string][])("a mistake is at its field: %#", (list, values, field) => {
  expect(indexOf(list, values)).toMatchObject({ field });
});

test("details of the server are at the field that they are about", () => {
  expect(formPath("/keys/at", keys)).toBe("/key-1");
  expect(formPath("/keys", keys)).toBe("/key-0");
  expect(formPath("/keys/other", keys)).toBe("/key-0");
  expect(formPath("/include/1", keys)).toBe("/include/1");
});
