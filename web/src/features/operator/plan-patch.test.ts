import type { Plan } from "manybase/control";
import { expect, test } from "vitest";
import { planPatchOf } from "./plan-patch";

const plan = {
  slug: "pro",
  name: "Pro",
  priceUsdMonthly: 25,
  limits: {
    maxProjects: 20,
    storageBytes: 50 * 2 ** 30,
    functionRunsPerMonth: 5_000_000,
    vectors: null,
    realtimeConnections: 5_000,
    environmentsPerProject: 5,
  },
  grandfather: false,
} as Plan;
const unchanged = {
  name: "Pro",
  priceUsdMonthly: "25",
  maxProjects: "20",
  storageBytes: "50 GiB",
  functionRunsPerMonth: "5,000,000",
  vectors: "unlimited",
  realtimeConnections: "",
  environmentsPerProject: "5",
};

test("what is as it was is not sent", () => expect(planPatchOf(plan, unchanged)).toEqual({ patch: {}, changes: [] }));

test("only what changed is sent, with before and after", () => {
  const { patch, changes } = planPatchOf(plan, { ...unchanged, name: " Team ", priceUsdMonthly: "29.50", vectors: "5", grandfather: "on" });
  expect(patch).toEqual({ name: "Team", priceUsdMonthly: 29.5, limits: { vectors: 5 }, grandfather: true });
  expect(changes.map(({ before, after }) => [before, after])).toEqual([
    ["Pro", "Team"],
    ["$25.00", "$29.50"],
    ["unlimited", "5"],
    ["no", "yes"],
  ]);
});

test("a price is a number", () =>
  expect(() => planPatchOf(plan, { ...unchanged, priceUsdMonthly: "free" })).toThrow(expect.objectContaining({ field: "priceUsdMonthly" })));
