import type { AuditEntry } from "manybase/control";
import { expect, test } from "vitest";
import { limitChanges, limitText, limitsOf, parseLimit, pinnedBy } from "./limits";

const plan = {
  maxProjects: 3,
  storageBytes: 2 ** 30,
  functionRunsPerMonth: 100_000,
  vectors: null,
  realtimeConnections: 100,
  environmentsPerProject: 2,
};

test("what is shown is read as the same", () => {
  for (const limit of [0, 1, 2 ** 30, 1_500_001, Number.MAX_SAFE_INTEGER, null]) {
    expect(parseLimit("storageBytes", limitText("storageBytes", limit))).toBe(limit);
    expect(parseLimit("vectors", limitText("vectors", limit))).toBe(limit);
  }
  expect(limitText("storageBytes", 50 * 2 ** 30)).toBe("50 GiB");
});

test("what is not a limit is refused at its field", () => {
  for (const text of ["-1", "1.5", "many", "1e3", "9007199254740992", "50 GiB"]) {
    expect(() => parseLimit("vectors", text)).toThrow(expect.objectContaining({ field: "vectors" }));
  }
  for (const text of ["-1 GiB", "1.0000001 KiB", "9 PiB"]) {
    expect(() => parseLimit("storageBytes", text)).toThrow(expect.objectContaining({ field: "storageBytes" }));
  }
});

test("empty fields are left out", () =>
  expect(limitsOf({ maxProjects: " 7 ", vectors: "Unlimited", storageBytes: "" })).toEqual({ maxProjects: 7, vectors: null }));

test("what the audit record says is pinned", () => {
  const entry = (action: string, details: object) => ({ action, details }) as AuditEntry;
  expect(pinnedBy(entry("limits.pinned", { limits: { maxProjects: 7, vectors: null, other: 1 } }))).toEqual({ maxProjects: 7, vectors: null });
  expect(pinnedBy(entry("limits.cleared", {}))).toEqual({});
  expect(pinnedBy(null)).toEqual({});
});

test("before and after", () => {
  expect(limitChanges({ maxProjects: 7 }, { maxProjects: 7, vectors: 5 }, plan)).toEqual([
    { label: "Vectors of a project", before: "unlimited (of the plan)", after: "5" },
  ]);
  expect(limitChanges({ storageBytes: 1024 }, {}, plan)).toEqual([
    { label: "Files of a project", before: "1 KiB", after: "1 GiB (of the plan)" },
  ]);
});
