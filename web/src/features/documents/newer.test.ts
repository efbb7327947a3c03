import { expect, test } from "vitest";
import { Newer } from "./newer";

const one = (id: string, second: number) => ({ id, updatedAt: `2026-01-31T09:30:${String(second).padStart(2, "0")}.000Z` });

test("documents that changed since they were seen, and new ones", () => {
  const newer = new Newer("2026-01-31T09:30:20.000Z", [one("a", 10), one("b", 10)]);
  expect(newer.take([one("a", 10), one("b", 10)])).toEqual([]);
  expect(newer.take([one("new", 30), one("a", 25), one("b", 10)])).toEqual(["new", "a"]);
  expect(newer.take([one("new", 30), one("a", 25)])).toEqual([]);
});

test("rows that come into sight are not new by that, nor where the clock of this machine is late", () => {
  const newer = new Newer("2026-01-31T09:30:01.000Z", [one("a", 15)]);
  expect(newer.take([one("far", 12), one("a", 15), { id: "b" }])).toEqual([]);
});
