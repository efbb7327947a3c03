import type { ApiKey } from "manybase/admin";
import { expect, test } from "vitest";
import { ageOf } from "./age";

const now = Date.parse("2026-06-30T12:00:00Z");
const key = (fields: Partial<ApiKey>): ApiKey => ({
  id: "key_1",
  name: "build server",
  scopes: ["read"],
  createdAt: "2026-01-01T00:00:00Z",
  lastUsedAt: "2026-06-29T00:00:00Z",
  expiresAt: null,
  ...fields,
});

test.each([
  [{}, {}],
  [{ lastUsedAt: null }, { use: "unused" }],
  [{ lastUsedAt: null, createdAt: "2026-06-20T00:00:00Z" }, {}],
  [{ lastUsedAt: "2026-03-01T00:00:00Z" }, { use: "idle" }],
  [{ expiresAt: "2026-06-30T12:00:00Z" }, { end: "expired" }],
  [{ expiresAt: "2026-07-02T00:00:00Z" }, { end: "soon" }],
  [{ expiresAt: "2026-12-31T00:00:00Z" }, {}],
] as [Partial<ApiKey>, object][])("a key with %o", (fields, age) => expect(ageOf(key(fields), now)).toEqual(age));
