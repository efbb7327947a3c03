import { expect, test } from "vitest";
import { differs, queryOf, sectionsOf, sideOf, type Change, type Plan } from "./plan";

const change = (section: string, name: string, action: Change["action"]): Change => ({ section, name, action });
const plan: Plan = {
  changes: [
    change("collections", "posts", "update"),
    change("roles", "Writer", "unchanged"),
    change("functions", "hi", "create"),
    change("collections", "tags", "create"),
  ],
  summary: { create: 2, update: 1, unchanged: 1 },
};

test("changes by section", () => {
  const names = (all: boolean) => sectionsOf(plan, all).map(([section, changes]) => [section, changes.map(({ name }) => name)]);
  expect(names(false)).toEqual([
    ["collections", ["posts", "tags"]],
    ["functions", ["hi"]],
  ]);
  expect(names(true).map(([section]) => section)).toEqual(["collections", "roles", "functions"]);
});

test("whether there is something to apply", () => {
  expect(differs(plan)).toBe(true);
  expect(differs({ changes: [], summary: { create: 0, update: 0, unchanged: 9 } })).toBe(false);
});

test("a side of a change", () => {
  expect(sideOf(null)).toBe("");
  expect(sideOf(["a"])).toBe('[\n  "a"\n]');
  expect(sideOf({ name: "hi", code: "export default 1;\n" })).toBe('{\n  "name": "hi"\n}\n\nexport default 1;\n');
});

test("what is accepted, as the query of the call", () => {
  expect(queryOf({ allowMissing: false, skipTests: false })).toEqual({});
  expect(queryOf({ allowMissing: true, skipTests: true })).toEqual({ allowMissing: "1", skipTests: "1" });
});
