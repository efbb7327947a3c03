import { expect, test } from "vitest";
import { allowancesOf } from "./limits";

test("what is used of the limits", () => {
  const limits = { storageBytes: 10, functionRunsPerMonth: 10, vectors: 10, realtimeConnections: null, maxProjects: 3, future: 1 };
  const usage = { storageBytes: 7, functionRuns: 8, vectors: 10, realtimeConnections: 99, projects: 0 };
  expect(allowancesOf(limits, usage)).toEqual([
    { name: "storageBytes", used: 7, limit: 10, state: "free" },
    { name: "functionRunsPerMonth", used: 8, limit: 10, state: "near" },
    { name: "vectors", used: 10, limit: 10, state: "reached" },
    { name: "realtimeConnections", used: 99, limit: null, state: "free" },
    { name: "maxProjects", used: 0, limit: 3, state: "free" },
  ]);
  expect(allowancesOf(null, null)).toEqual([]);
});
