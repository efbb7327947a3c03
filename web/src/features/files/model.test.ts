import type { StoredFile } from "manybase";
import { expect, test } from "vitest";
import { ancestorsOf, contentOf, kindOf, metadataOf, nameOf, pathIn, rightsIn } from "./model";

const file = (path: string): StoredFile => ({ path, size: 1, contentType: "text/plain" });
const files = ["a.txt", "docs/b.txt", "docs/2026/c.txt", "docs-old/d.txt", "__proto__/e.txt"].map(file);

test("a folder has its files and the folders below it", () => {
  const root = contentOf("", files, ["empty", "docs", "docs/later"]);
  expect(root.files.map(({ path }) => path)).toEqual(["a.txt"]);
  expect(root.folders).toEqual([
    { path: "__proto__", name: "__proto__", empty: false },
    { path: "docs", name: "docs", empty: false },
    { path: "docs-old", name: "docs-old", empty: false },
    { path: "empty", name: "empty", empty: true },
  ]);
  const docs = contentOf("docs", files, ["docs", "docs/later", "docs/later/on"]);
  expect(docs.files.map(({ path }) => path)).toEqual(["docs/b.txt"]);
  expect(docs.folders.map(({ path, empty }) => [path, empty])).toEqual([["docs/2026", false], ["docs/later", false]]);
});

test("paths", () => {
  expect(nameOf("a/b/c.txt")).toBe("c.txt");
  expect(nameOf("c.txt")).toBe("c.txt");
  expect(pathIn("", "a")).toBe("a");
  expect(pathIn("x/y", "a")).toBe("x/y/a");
  expect(ancestorsOf("x/y").map(({ path }) => path)).toEqual(["x", "x/y"]);
  expect(ancestorsOf("")).toEqual([]);
});

test.each([
  ["image/png", "image"],
  ["IMAGE/PNG; a=b", "image"],
  ["image/svg+xml", "text"],
  ["text/html; charset=utf-8", "text"],
  ["application/json", "text"],
  ["application/vnd.api+json", "text"],
  ["application/pdf", "other"],
  ["application/octet-stream", "other"],
])("%s is shown as %s", (type, kind) => expect(kindOf(type)).toBe(kind));

test("rules hold for members that do not manage files", () => {
  const bucket = { name: "b", access: "private", createdAt: "" } as const;
  const ruled = { ...bucket, rules: { list: {}, create: {} } };
  const writer = ["storage:read", "storage:write"];
  expect(rightsIn(bucket, writer)).toEqual({ list: true, upload: true, change: true, remove: true, folders: true, manage: false });
  expect(rightsIn(ruled, writer)).toEqual({ list: true, upload: true, change: false, remove: false, folders: false, manage: false });
  expect(rightsIn(ruled, ["*"])).toEqual({ list: true, upload: true, change: true, remove: true, folders: true, manage: true });
  expect(rightsIn(bucket, ["storage:read"])).toEqual({ list: true, upload: false, change: false, remove: false, folders: false, manage: false });
  expect(rightsIn({ ...bucket, rules: { read: {} } }, writer).list).toBe(false);
});

test("metadata", () => {
  expect(metadataOf('{"team": "red"}')).toEqual({ team: "red" });
  expect(metadataOf(" ")).toEqual({});
  for (const text of ["{", "[1]", "1", "null"]) expect(() => metadataOf(text)).toThrow();
});
