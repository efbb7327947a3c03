import type { VectorField } from "manybase/admin";
import { expect, test } from "vitest";
import { effectOf, fieldOf, formPath, searchOf, vectorOf } from "./model";

test.each([
  ["[1, 2.5, -3e2]", [1, 2.5, -300]],
  [" 0.1, 0.2 ", [0.1, 0.2]],
  ["[9007199254740993]", [9007199254740992]],
  ["", undefined],
  ["[]", undefined],
  ["[1, \"2\"]", undefined],
  ["[1e999]", undefined],
  ["[[1]]", undefined],
  ["1 2", undefined],
])("%s is the vector %j", (text, vector) => expect(vectorOf(text)).toEqual(vector));

const values = { name: " embedding ", dimensions: "3", metric: "dot", mode: "manual", source: "title", template: "x", m: "", efSearch: "50" };

test("a field has what its mode needs, and the options that were set", () => {
  expect(fieldOf(values)).toEqual({ name: "embedding", dimensions: 3, metric: "dot", mode: "manual", index: { efSearch: 50 } });
  expect(fieldOf({ ...values, mode: "auto", source: "title\n body.text \n\n", efSearch: "" })).toEqual({
    name: "embedding",
    dimensions: 3,
    metric: "dot",
    mode: "auto",
    source: { fields: ["title", "body.text"], template: "x" },
  });
  expect(fieldOf({ ...values, mode: "auto", template: " " })).toMatchObject({ source: { fields: ["title"] } });
});

test.each([
  ["dimensions", ""],
  ["dimensions", "1.5"],
  ["m", "many"],
])("%s is not %j", (field, text) => expect(fieldOf({ ...values, [field]: text })).toMatchObject({ field }));

const before: VectorField = { name: "v", dimensions: 3, mode: "auto", source: { fields: ["a"] } };

test("a change says what it costs", () => {
  const same = { ...before, metric: "cosine" as const };
  expect(effectOf(before, same)).toBeUndefined();
  expect(effectOf(before, { ...same, index: {} })).toBeUndefined();
  expect(effectOf(before, { ...same, name: "w" })).toBe("discards");
  expect(effectOf(before, { ...same, dimensions: 4 })).toBe("discards");
  expect(effectOf(before, { ...same, mode: "manual" })).toBe("discards");
  expect(effectOf(before, { ...same, source: { fields: ["a"], template: "{{a}}!" } })).toBe("embeds");
  expect(effectOf(before, { ...same, metric: "dot" })).toBe("rebuilds");
  expect(effectOf(before, { ...same, index: { m: 8 } })).toBe("rebuilds");
});

test("details of the server are at the field that they are about", () => {
  expect(formPath("/fields/1/dimensions", 1)).toBe("/dimensions");
  expect(formPath("/fields/1/source/fields/0", 1)).toBe("/source");
  expect(formPath("/fields/1/source/template", 1)).toBe("/template");
  expect(formPath("/fields/1/index/m", 1)).toBe("/m");
  expect(formPath("/fields/0/name", 1)).toBe("/fields/0/name");
  expect(formPath("/fields", 1)).toBe("/fields");
});

test("a search has a text or a vector, by the mode of its field", () => {
  expect(searchOf({ text: "sea", vector: "[1]", limit: "5", filter: '{"a": 1}' }, before)).toEqual({ field: "v", text: "sea", limit: 5, filter: { a: 1 } });
  expect(searchOf({ text: "sea", vector: "[1, 2, 3]", limit: "10" }, { name: "v" })).toEqual({ field: "v", vector: [1, 2, 3], limit: 10 });
});

test.each([
  [{ limit: "0", text: "a" }, "limit"],
  [{ limit: "1001", text: "a" }, "limit"],
  [{ limit: "10", text: " " }, "text"],
  [{ limit: "10", text: "a", filter: "[1]" }, "filter"],
  [{ limit: "10", text: "a", filter: "{" }, "filter"],
])("a mistake is at its field: %j", (entered, field) => expect(searchOf(entered, before)).toMatchObject({ field }));

test.each(["", "[1, true]"])("%j is not a vector to search by", (vector) =>
  expect(searchOf({ limit: "10", vector }, { name: "v", mode: "manual" })).toMatchObject({ field: "vector" }));
