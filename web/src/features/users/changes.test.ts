import type { Role, User } from "manybase/admin";
import { expect, test } from "vitest";
import { coversRole, metadataText, patchOf, roleOf } from "./changes";

const user: User = {
  id: "usr_1",
  email: "ada@example.com",
  name: "Ada",
  emailVerified: false,
  metadata: { role: "writer", plan: "gold" },
  status: "active",
  mfaEnabled: false,
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z",
};
const same = { email: user.email, name: "Ada", role: "writer", metadata: metadataText(user) };

test("only what was changed is sent", () => {
  expect(patchOf(user, same, false)).toEqual({});
  expect(patchOf(user, { ...same, name: " " }, false)).toEqual({ name: null });
  expect(patchOf(user, { ...same, email: "b@example.com", emailVerified: "on" }, false)).toEqual({
    email: "b@example.com",
    emailVerified: true,
  });
  expect(patchOf(user, { ...same, role: "user" }, false)).toEqual({ metadata: { plan: "gold", role: "user" } });
  expect(patchOf(user, { ...same, metadata: '{"plan": "tin"}' }, false)).toEqual({ metadata: { plan: "tin", role: "writer" } });
});

test("a user without a role stays without one", () => {
  const plain = { ...user, metadata: {} };
  expect(roleOf(plain)).toBe("user");
  expect(patchOf(plain, { ...same, role: "user", metadata: "" }, false)).toEqual({});
  expect(patchOf(plain, { ...same, role: "user", metadata: '{"a": 1}' }, false)).toEqual({ metadata: { a: 1 } });
});

test("fields that cannot be changed are not sent", () => {
  const verified = { ...user, emailVerified: true };
  expect(patchOf(verified, { name: "Ada", metadata: metadataText(user) }, true)).toEqual({});
});

test.each(["{", "[1]", "1", '{"role": "admin"}'])("metadata that is refused: %s", (metadata) => {
  expect(() => patchOf(user, { ...same, metadata }, false)).toThrow();
});

test("roles that a caller covers", () => {
  const roles: Role[] = [
    { name: "user", permissions: ["data:*:read"], builtIn: true },
    { name: "writer", permissions: ["data:*"], builtIn: false },
  ];
  expect(coversRole(["users:manage"], roles, "user")).toBe(true);
  expect(coversRole(["users:manage"], roles, "writer")).toBe(false);
  expect(coversRole(["users:manage", "data:*"], roles, "writer")).toBe(true);
  expect(coversRole(["users:manage"], undefined, "writer")).toBe(true);
});
