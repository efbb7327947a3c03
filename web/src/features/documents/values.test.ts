import { expect, test } from "vitest";
import { cellOf, fieldText, fieldValue, fieldsOf, kindOf, ownFields, patchOf, referenceOf } from "./values";

test("cells", () => {
  expect([undefined, null, "", 0, -0.5, 9_007_199_254_740_993n, false, [1, { a: null }]].map(cellOf)).toEqual([
    { kind: "missing", text: "" },
    { kind: "null", text: "null" },
    { kind: "text", text: "" },
    { kind: "number", text: "0" },
    { kind: "number", text: "-0.5" },
    { kind: "number", text: "9007199254740993" },
    { kind: "boolean", text: "false" },
    { kind: "json", text: '[1,{"a":null}]' },
  ]);
  expect(cellOf("x".repeat(300)).text).toHaveLength(257);
});

const schema = { properties: { title: { type: "string" }, author: { type: "string", "x-ref": "people" }, stars: { type: "integer" } } };

test("fields", () => {
  expect(fieldsOf(schema, [{ id: "1", zebra: 1, title: "", createdAt: "" }])).toEqual([
    "id", "title", "author", "stars", "zebra", "createdAt", "updatedAt",
  ]);
  expect(fieldsOf(null, [])).toEqual(["id", "createdAt", "updatedAt"]);
});

test("references", () => {
  expect(referenceOf(schema, "author")).toBe("people");
  expect(referenceOf({ properties: { a: { "x-ref": { collection: "posts" } } } }, "a")).toBe("posts");
  expect([referenceOf(schema, "title"), referenceOf(null, "a"), referenceOf(schema, "constructor")]).toEqual([undefined, undefined, undefined]);
});

test("kinds follow the value, then the schema", () => {
  expect([kindOf("a", {}), kindOf(1n, {}), kindOf([], {}), kindOf(undefined, { type: "integer" }), kindOf(null, {})]).toEqual([
    "text", "number", "json", "number", "json",
  ]);
  expect([{ enum: ["a"] }, { enum: [] }, { enum: ["a", 1] }].map((rules) => kindOf(undefined, rules))).toEqual(["text", "json", "json"]);
});

test("fields are read back", () => {
  expect(fieldValue("5", "number")).toBe(5);
  expect(fieldValue("5", "text")).toBe("5");
  expect(fieldValue(" ", "json")).toBeUndefined();
  expect(fieldValue(fieldText({ a: [1] }, "json"), "json")).toEqual({ a: [1] });
  expect(() => fieldValue("five", "number")).toThrow(SyntaxError);
  expect(() => fieldValue('"5"', "number")).toThrow(SyntaxError);
});

test("only what changed is sent", () => {
  expect(patchOf({ a: 1, b: { c: [1] } }, { a: 1, b: { c: [1] } })).toBeUndefined();
  expect(patchOf({ a: 1, b: 2, c: 3 }, { a: 1, b: null, d: 4 })).toEqual({ $set: { b: null, d: 4 }, $unset: { c: true } });
  expect(ownFields({ id: "1", a: 1, createdAt: "", updatedAt: "" })).toEqual({ a: 1 });
});
