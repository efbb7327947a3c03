import { expect, test } from "vitest";
import { thisMonth } from "./days";

test("the days of this month, in UTC", () => {
  expect(thisMonth(new Date("2026-02-17T23:30:00-05:00"))).toEqual({ from: "2026-02-01", to: "2026-02-18" });
  expect(thisMonth(new Date("2026-03-01T00:00:00Z"))).toEqual({ from: "2026-03-01", to: "2026-03-01" });
});
