import type { Member } from "manybase/control";
import { expect, test, vi } from "vitest";

vi.mock("../../app/queries", () => ({ adminOf: () => undefined }));
const { fixedBy, grantable } = await import("./queries");

const member = (role: string, status = "active") => ({ role, status }) as Member;

test("only Owners give the role Owner", () => {
  expect(grantable(["Owner", "Admin", "Writer"], "Owner")).toEqual(["Owner", "Admin", "Writer"]);
  expect(grantable(["Owner", "Admin", "Writer"], "Admin")).toEqual(["Admin", "Writer"]);
});

test("what keeps a member as it is", () => {
  const [ada, bob] = [member("Owner"), member("Owner")];
  const invited = member("Owner", "pending");
  expect(fixedBy(ada, [ada, invited, member("Admin")], "Owner")).toBe("lastOwner");
  expect(fixedBy(ada, [ada, bob], "Owner")).toBeUndefined();
  expect(fixedBy(ada, [ada, bob], "Admin")).toBe("ownersOnly");
  expect(fixedBy(invited, [ada, invited], "Owner")).toBeUndefined();
  expect(fixedBy(invited, [ada, invited], "Admin")).toBe("ownersOnly");
  expect(fixedBy(member("Admin"), [ada], "Admin")).toBeUndefined();
});
