import { expect, test } from "vitest";
import { cellOf, collectionIn, dataPermission, differences, documentsOf, isPermission, othersOf, partsHeld, switched } from "./grants";

test("cells of a role", () => {
  const role = ["data:*:read", "data:posts:*", "functions:manage"];
  expect(cellOf(role, "data:*:read")).toEqual({ held: true });
  expect(cellOf(role, "data:books:read")).toEqual({ held: true, through: "data:*:read" });
  expect(cellOf(role, "data:posts:delete")).toEqual({ held: true, through: "data:posts:*" });
  expect(cellOf(role, "data:books:delete")).toEqual({ held: false });
  expect(cellOf(role, "functions:read")).toEqual({ held: true, through: "functions:manage" });
  expect(cellOf(["data:*"], dataPermission("*", "admin"))).toEqual({ held: true, through: "data:*" });
  expect(cellOf(["*"], "ops:read")).toEqual({ held: true, through: "*" });
});

test("strings to cells and back", () => {
  expect(dataPermission("*", "*")).toBe("data:*");
  expect(dataPermission("posts", "*")).toBe("data:posts:*");
  const role = switched(switched(["ops:read"], "data:posts:list", true), "data:posts:list", true);
  expect(role).toEqual(["ops:read", "data:posts:list"]);
  expect(switched(role, "ops:read", false)).toEqual(["data:posts:list"]);
});

test.each([
  ["data:posts:read", "posts"],
  ["data:posts:*", "posts"],
  ["data:*:read", undefined],
  ["data:posts", undefined],
  ["data:posts:read:x", undefined],
  ["data:posts:fly", undefined],
  ["users:read", undefined],
])("the collection in %s", (permission, name) => expect(collectionIn(permission)).toBe(name));

test("what no cell shows", () => {
  const role = ["*", "data:*", "data:*:*", "data:posts:read", "*:read", "users:manage", "reports:manage", "storage:*"];
  expect(othersOf("members", role)).toEqual(["data:*:*", "*:read", "reports:manage", "storage:*"]);
  expect(othersOf("users", ["users:manage", "storage:read"])).toEqual(["users:manage"]);
});

test("changes", () => {
  expect(differences(["a:b", "c:d"], ["c:d", "a:b"])).toBe(0);
  expect(differences(["a:b"], ["c:d"])).toBe(2);
});

test.each([
  ["*", true],
  ["data:*:read", true],
  ["auth:config:read", true],
  ["a:b:c:d", true],
  ["a:b:c:d:e", false],
  ["", false],
  ["data:", false],
  ["data:po*", false],
  ["data:<img>", false],
  ["x".repeat(201), false],
])("whether %s is a permission", (text, valid) => expect(isPermission(text)).toBe(valid));

test("in words", () => {
  expect(documentsOf(["data:*:read", "data:posts:read", "data:posts:update", "data:a:list"])).toEqual([
    { collection: "*", operations: ["read"] },
    { collection: "a", operations: ["list"] },
    { collection: "posts", operations: ["update"] },
  ]);
  expect(documentsOf(["users:read"])).toEqual([]);
  expect(documentsOf(["*"])).toEqual([{ collection: "*", operations: ["list", "read", "create", "update", "delete", "admin"] }]);
  expect(partsHeld("members", ["users:manage", "storage:write"])).toEqual([
    { name: "storage", actions: ["write"] },
    { name: "users", actions: ["read", "manage"] },
  ]);
  expect(partsHeld("users", ["users:manage", "functions:invoke"])).toEqual([{ name: "functions", actions: ["invoke"] }]);
});
