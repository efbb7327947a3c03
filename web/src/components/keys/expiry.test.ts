import { expect, test } from "vitest";
import { endOf } from "./expiry";

const now = new Date(2026, 0, 10, 12).getTime();

test("ends of keys", () => {
  expect(endOf("never", "", now)).toBeNull();
  expect(endOf("30", "", now)).toBe(new Date(2026, 1, 9, 12).toISOString());
  expect(endOf("date", "2026-01-10", now)).toBe(new Date(2026, 0, 11).toISOString());
  expect(endOf("date", "2026-01-09", now)).toBeUndefined();
  expect(endOf("date", "", now)).toBeUndefined();
  expect(endOf("date", "soon", now)).toBeUndefined();
});
