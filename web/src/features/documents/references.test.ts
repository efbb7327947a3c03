import { expect, test } from "vitest";
import { idsAt, labelOf, mayFollow, referencesOf, searchFilter, searchedFields } from "./references";

const schema = {
  properties: {
    author: { type: "string", "x-ref": "people" },
    parts: { type: "array", items: { type: "object", properties: { by: { type: "string", "x-ref": { collection: "people" } } } } },
    tags: { type: "array", items: { type: "string", "x-ref": "tags" } },
    note: { type: "string" },
    title: { type: ["string", "null"] },
    at: { type: "string", "x-bson": "date" },
  },
};

test("fields that refer, also inside of lists", () => {
  expect(referencesOf(schema)).toEqual([
    { path: "author", collection: "people" },
    { path: "parts.by", collection: "people" },
    { path: "tags", collection: "tags" },
  ]);
  expect(referencesOf(null)).toEqual([]);
});

test("the ids of a document", () => {
  const document = { author: "ada", parts: [{ by: "eve" }, { by: "ada" }, { by: "eve" }, 5, {}], tags: ["a", "", 3, "b"] };
  expect(["author", "parts.by", "tags", "missing.by", "constructor"].map((path) => idsAt(document, path))).toEqual([
    ["ada"], ["eve", "ada"], ["a", "b"], [], [],
  ]);
});

test("what a document is called", () => {
  expect(labelOf({ id: "1", name: "Ada", title: "" })).toBe("Ada");
  expect(labelOf({ id: "1", title: 5 })).toBe("1");
});

test("a search escapes what a pattern would mean", () => {
  expect(searchedFields(schema)).toEqual(["title", "note"]);
  expect(searchedFields(undefined)).toEqual(["title", "name", "label", "email"]);
  expect(searchFilter(" a(b ", schema)).toEqual({
    $or: [{ id: "a(b" }, { title: { $regex: "a\\(b", $options: "i" } }, { note: { $regex: "a\\(b", $options: "i" } }],
  });
  expect(searchFilter("  ", schema)).toEqual({});
});

test("who may follow a reference", () => {
  const perms = ["data:people:read", "data:people:list", "users:read", "data:tags:read"];
  expect(["people", "tags", "users"].map((name) => mayFollow(perms, name))).toEqual([true, false, true]);
});
