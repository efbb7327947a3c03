import { expect, test } from "vitest";
import { mayGrant, switched, trialOf } from "./scopes";

test("a caller gives what they hold", () => {
  const editor = ["data:*", "storage:*", "functions:invoke", "keys:manage"];
  expect(mayGrant(editor, ["read", "write", "storage", "functions"])).toBe(true);
  expect(mayGrant(editor, ["service"])).toBe(true);
  expect(mayGrant(editor, ["admin"])).toBe(false);
  expect(mayGrant(["*"], ["admin"])).toBe(true);
  expect(mayGrant(["keys:manage", "data:posts:*"], ["read"])).toBe(false);
});

test("scopes that go together", () => {
  expect(switched(["write"], "read", true)).toEqual(["read", "write"]);
  expect(switched(["read", "write"], "read", false)).toEqual(["write"]);
  expect(switched(["read", "write"], "service", true)).toEqual(["service"]);
  expect(switched(["read"], "admin", true)).toEqual(["admin"]);
  expect(switched(["admin"], "storage", true)).toEqual(["storage"]);
});

test.each([
  [["admin"], "GET /admin/collections"],
  [["service"], "GET /my%20books?limit=1"],
  [["read", "write"], "GET /my%20books?limit=1"],
  [["write"], "POST /my%20books"],
  [["storage"], "GET /storage/images"],
  [["functions"], "POST /admin/functions/hello/invoke"],
] as const)("a call to try %s", (scopes, text) => {
  const { method, path } = trialOf(scopes, "my books");
  expect(`${method} ${path}`).toBe(text);
});
