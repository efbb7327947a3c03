import { expect, test } from "vitest";
import { schema } from "../../lib/schema-fixture";
import { draftOf, withField, withoutField, type FieldDraft } from "./fields";
import { inferSchema } from "./infer";

const draft: FieldDraft = { name: "note", kind: "text", required: false, collection: "", allowed: [], description: "" };

test("a field is added at the end and the rest stays", () => {
  const next = withField(schema, { ...draft, required: true, allowed: ["a", "b"] });
  expect(Object.keys(next["properties"] as object).at(-1)).toBe("note");
  expect(next).toMatchObject({ title: "Books", required: ["title", "author", "note"], properties: { note: { type: "string", enum: ["a", "b"] } } });
  expect(withField({}, { ...draft, kind: "reference", collection: "people" })).toEqual({
    type: "object",
    properties: { note: { type: "string", "x-ref": "people" } },
  });
  expect(withField({}, { ...draft, name: "__proto__" })["properties"]).toEqual(JSON.parse('{"__proto__": {"type": "string"}}'));
});

test("a field keeps its place and what the form does not show", () => {
  const next = withField(schema, { ...draftOf(schema, "title")!, name: "heading", description: "" }, "title");
  expect(Object.keys(next["properties"] as object)[0]).toBe("heading");
  expect((next["properties"] as Record<string, unknown>)["heading"]).toEqual({ type: "string", minLength: 1 });
  expect(next["required"]).toEqual(["author", "heading"]);
  expect(withField(schema, draftOf(schema, "author")!, "author")["properties"]).toEqual(schema.properties);
  expect(draftOf(schema, "author")!.kind).toBe("other");
  expect(draftOf(schema, "free")).toBeUndefined();
  const longest = { type: "array", items: { type: "integer", maximum: 9223372036854775807n } };
  expect(draftOf({ properties: { counts: longest } }, "counts")!.kind).toBe("other");
});

test("another kind replaces the rules of the former one", () => {
  const next = withField(schema, { ...draftOf(schema, "title")!, kind: "integer" }, "title");
  expect((next["properties"] as Record<string, unknown>)["title"]).toEqual({ type: "integer", description: "On the cover" });
});

test.each(["text", "integer", "number", "boolean", "date", "reference", "list", "object", "any"] as const)("the form shows what it wrote: %s", (kind) => {
  const one = { ...draft, kind, collection: kind === "reference" ? "people" : "", description: "Why" };
  expect(draftOf(withField({}, one), "note")).toEqual(one);
});

test("a field is removed, also from those that are required", () => {
  const next = withoutField(withoutField(schema, "title"), "author");
  expect(next).not.toHaveProperty("required");
  expect(next["properties"]).not.toHaveProperty("title");
});

test("documents give the schema that they all fit", () => {
  const documents = [
    { id: "1", createdAt: "", title: "a", n: 1, tags: ["x"], size: { w: 1 } },
    { id: "2", createdAt: "", title: "b", n: 1.5, tags: [], size: { w: 2, h: 9223372036854775807n }, empty: null },
  ];
  expect(inferSchema(documents)).toEqual({
    type: "object",
    properties: {
      title: { type: "string" },
      n: { type: "number" },
      tags: { type: "array", items: { type: "string" } },
      size: { type: "object", properties: { w: { type: "integer" }, h: { type: "integer" } }, required: ["w"] },
      empty: {},
    },
    required: ["title", "n", "tags", "size"],
  });
  expect(inferSchema([])).toEqual({ type: "object", properties: {} });
});
