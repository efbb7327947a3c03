import { expect, test } from "vitest";
import { exceeds, moneyOf, unitsOf, usageAtLimits } from "./estimate";

const model = {
  currency: "USD",
  unitCosts: { storageGiBMonth: 0.025, millionFunctionRuns: 0.4, millionVectorsMonth: 2.5, thousandConnectionHours: 0.05 },
  margin: 0.2,
};
const limits = {
  maxProjects: 3,
  storageBytes: 2 ** 30,
  functionRunsPerMonth: 100_000,
  vectors: 50_000,
  realtimeConnections: 100,
  environmentsPerProject: 2,
};
const use = { gib: 10, runs: 2_500_000, vectors: 400_000, connections: 20 };

test("a use costs its units, and the price has the margin", () => {
  expect(unitsOf(use)).toEqual({
    storageGiBMonth: 10,
    millionFunctionRuns: 2.5,
    millionVectorsMonth: 0.4,
    thousandConnectionHours: 14.6,
  });
  // 0.25 + 1 + 1 + 0.73
  expect(moneyOf(unitsOf(use), model)).toEqual({ cost: 2.98, price: 3.576 });
  expect(moneyOf(unitsOf({ gib: 0, runs: 1, vectors: 0, connections: 0 }), model)).toEqual({ cost: 0, price: 0 });
});

test("a project at the limits of a plan", () => {
  expect(usageAtLimits(limits)).toEqual({ gib: 1, runs: 100_000, vectors: 50_000, connections: 100 });
  expect(usageAtLimits({ ...limits, vectors: null })).toBeUndefined();
  expect(usageAtLimits({ ...limits, maxProjects: null })).toBeDefined();
});

test("a use above the limits", () => {
  const within = { gib: 1, runs: 100_000, vectors: 50_000, connections: 100 };
  expect(exceeds(within, limits)).toBe(false);
  for (const over of [{ gib: 1.1 }, { runs: 100_001 }, { vectors: 50_001 }, { connections: 101 }]) {
    expect(exceeds({ ...within, ...over }, limits)).toBe(true);
  }
  expect(exceeds({ ...within, vectors: 1e9 }, { ...limits, vectors: null })).toBe(false);
});
