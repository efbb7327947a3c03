import type { AuditEntry } from "manybase/admin";
import type { Member } from "manybase/control";
import { expect, test } from "vitest";
import { offerOf, offersFrom } from "./offer";

const now = Date.parse("2026-01-10T12:34:56Z");
const owner = (userId: string, role = "Owner", status = "active") => ({ userId, role, status }) as Member;
const entry = (action: string, at = "2026-01-09T00:00:00Z") =>
  ({ action: `project.${action}`, at, actor: { id: "user_1" }, details: { userId: "user_2" } }) as unknown as AuditEntry;
const both = [owner("user_1"), owner("user_2")];

test("the last offer is open for 7 days", () => {
  expect(offerOf([entry("changed"), entry("transferOffered")], both, now)).toEqual({ to: both[1], until: "2026-01-16T00:00:00.000Z" });
  expect(offerOf([entry("transferOffered", "2026-01-03T12:34:56Z")], both, now)).toBeUndefined();
  expect(offerOf([], both, now)).toBeUndefined();
});

test("an offer that was withdrawn or accepted is not open", () => {
  for (const end of ["transferWithdrawn", "transferred"]) expect(offerOf([entry(end), entry("transferOffered")], both, now)).toBeUndefined();
  expect(offerOf([entry("transferOffered"), entry("transferWithdrawn")], both, now)).toBeDefined();
});

test("both must be Owners", () => {
  for (const [first, second] of [["Admin", "Owner"], ["Owner", "Editor"]]) {
    expect(offerOf([entry("transferOffered")], [owner("user_1", first), owner("user_2", second)], now)).toBeUndefined();
  }
  expect(offerOf([entry("transferOffered")], [owner("user_1"), owner("user_2", "Owner", "pending")], now)).toBeUndefined();
});

test("entries of the last 7 days are read", () => expect(offersFrom(now)).toBe("2026-01-03T12:00:00.000Z"));
