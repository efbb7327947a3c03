import { expect, test } from "vitest";
import { can, permissionsOf } from "./permissions";

// The cases of the server's own test.
const cases: [string, string, boolean][] = [
  ["data:posts:read", "data:posts:read", true],
  ["data:posts:read", "data:posts:list", false],
  ["data:*", "data:posts:read", true],
  ["data:*", "data", false],
  ["data:*:read", "data:posts:read", true],
  ["data:*:read", "data:posts:list", false],
  ["data:*:read", "data:read", false],
  ["data:posts:*", "data:posts:read", true],
  ["data:posts:*", "data:posts", false],
  ["data:posts:*", "data:other:read", false],
  ["*", "data:posts:read", true],
  ["*", "ops:read", true],
  ["*:read", "collections:read", true],
  ["*:read", "data:posts:read", false],
  ["*:read", "auth:config:read", false],
  ["*:config:read", "auth:config:read", true],
  ["functions:manage", "functions:read", true],
  ["functions:manage", "functions:manage", true],
  ["functions:manage", "functions:invoke", false],
  ["functions:read", "functions:manage", false],
  ["*:manage", "roles:read", true],
  ["manage", "read", true],
  ["introspect:manage", "introspect:posts:read", false],
  ["data:post", "data:posts", false],
  ["data:posts", "data:post", false],
  ["", "data:posts:read", false],
  ["data:*", "", false],
  ["data::read", "data::read", false],
  [":*", ":x", false],
  ["data:", "data:", false],
  ["data:Posts:read", "data:posts:read", false],
];

test.each(cases)("%s for %s: %s", (held, needed, allowed) => {
  expect(can([held], needed)).toBe(allowed);
});

test("without permissions", () => expect(can([], "data:posts:read")).toBe(false));

test("what a token grants", () => {
  const token = (payload: string) => `e30.${btoa(payload).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "")}.c2ln`;
  expect(permissionsOf(token('{"sub":"user_1","perms":["data:*","keys:manage"]}'))).toEqual(["data:*", "keys:manage"]);
  for (const none of ["", "opaque", token("{}"), token("none")]) expect(permissionsOf(none)).toEqual([]);
});
