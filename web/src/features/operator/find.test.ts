import type { User } from "manybase/control";
import { expect, test } from "vitest";
import { findUsers } from "./find";

const users = [
  { id: "user_1A", email: "ada@example.com", name: "Ada Marsh" },
  { id: "user_2B", email: "bob@example.com", name: null },
] as User[];
const found = (text?: string) => findUsers(users, text).map(({ id }) => id);

test("users by a part of address, name or id", () => {
  expect(found()).toEqual(["user_1A", "user_2B"]);
  expect(found("  ")).toEqual(["user_1A", "user_2B"]);
  expect(found("MARSH")).toEqual(["user_1A"]);
  expect(found("user_2b")).toEqual(["user_2B"]);
  expect(found("example.org")).toEqual([]);
});
