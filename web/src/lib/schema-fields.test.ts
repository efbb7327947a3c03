import { expect, test } from "vitest";
import { fieldsOf, pathsOf } from "./schema-fields";
import { schema } from "./schema-fixture";

test("fields are listed with those inside of them", () => {
  expect(fieldsOf(schema).map(({ path, types, required }) => [path, types.join(" or "), required])).toEqual([
    ["title", "string", true],
    ["author", "string", true],
    ["state", "string or null", false],
    ["tags", "array of string", false],
    ["at", "date or null", false],
    ["size", "object", false],
    ["size.w", "number", true],
    ["parts", "array of object", false],
    ["parts[].a.b", "integer", false],
    ["free", "", false],
  ]);
  const row = (path: string) => fieldsOf(schema).find((one) => one.path === path)!;
  expect(row("title").rules).toEqual(["minLength: 1"]);
  expect(row("state").rules).toEqual(["enum: new, old, null"]);
  expect(row("size.w").rules).toEqual(["minimum: 9223372036854775807"]);
  expect(row("author").reference).toEqual({ collection: "people", onDelete: "cascade" });
  expect(row("tags").reference).toEqual({ collection: "tags" });
});

test("what is not a schema has no fields", () => {
  for (const value of [null, 1, "x", [], {}, { properties: 1 }]) expect(fieldsOf(value)).toEqual([]);
});

test("at most 500 fields are listed", () => {
  const properties = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`f${at}`, {}]));
  expect(fieldsOf({ properties })).toHaveLength(500);
});

test("paths are those of filters and indexes", () => {
  expect(pathsOf(schema)).toContain("parts.a.b");
  expect(pathsOf({ properties: { a: { items: { properties: { b: {} } }, properties: { b: {} } } } })).toEqual(["a", "a.b"]);
});
