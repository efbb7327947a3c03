import { expect, test } from "vitest";
import { documentOf } from "./bundle";
import { document as blog } from "./blog";
import { variablesOf } from "./load";
import { document as orders } from "./orders";
import { document as teams } from "./teams";

test("a folder is the document of an import", () => {
  const files = {
    "a/manybase/meta.json": '{"formatVersion": 1, "project": {"name": "A"}}',
    "a/manybase/settings.json": '{"profileFields": ["name"]}',
    "a/manybase/collections/b.json": '{"name": "b"}',
    "a/manybase/collections/a.json": '{"name": "a", "schema": {"maximum": 3}}',
    "a/manybase/functions/f.json": '{"name": "f", "codeFile": "f.ts"}',
    "a/manybase/functions/f.ts": "export default 1;\n",
  };
  expect(documentOf(files)).toEqual({
    formatVersion: 1,
    project: { name: "A" },
    settings: { profileFields: ["name"] },
    collections: [{ name: "a", schema: { maximum: 3 } }, { name: "b" }],
    functions: [{ name: "f", code: "export default 1;\n" }],
  });
});

const names = (list: unknown[] | undefined) => (list as { name: string }[] | undefined)?.map(({ name }) => name);

test("the examples are whole", () => {
  expect(names(blog.collections)).toEqual(["comments", "posts"]);
  expect(names(blog.buckets)).toEqual(["images"]);
  expect(names(teams.collections)).toContain("memberships");
  expect(names(teams.policySets)).toContain("ownedTeams");
  expect(names(orders.integrations)).toEqual(["mail", "stock"]);
  for (const { functions = [] } of [teams, orders]) {
    expect(functions.length).toBeGreaterThan(2);
    for (const one of functions) expect(one).toHaveProperty("code", expect.stringContaining("export default"));
  }
  expect(variablesOf(orders)).toContainEqual({ name: "STOCK_TOKEN", secret: true });
  expect(variablesOf(blog)).toEqual([]);
});
