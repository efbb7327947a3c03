import { expect, test } from "vitest";
import { isFiltered, pageSize, queryOf } from "./filters";

test("an address as a query", () => {
  expect(queryOf({})).toEqual({ sort: [{ createdAt: -1 }], limit: pageSize });
  expect(queryOf({ find: " ada ", status: "blocked", role: "writer", verified: "no", sort: "name" })).toEqual({
    text: "ada",
    status: "blocked",
    role: "writer",
    emailVerified: false,
    sort: [{ name: 1 }],
    limit: pageSize,
  });
});

test("what leaves users out", () => {
  expect([{}, { sort: "name" as const }, { find: "  " }].map(isFiltered)).toEqual([false, false, false]);
  expect([{ find: "a" }, { verified: "yes" as const }].map(isFiltered)).toEqual([true, true]);
});
