import { expect, test } from "vitest";
import type { SetupStatus } from "manybase/control";
import { isShown, screens } from "./navigation";

test("each letter leads to one screen", () => {
  const letters = screens.flatMap(({ letter }) => letter ?? []);
  expect(letters.length).toBeGreaterThan(10);
  expect(new Set(letters).size).toBe(letters.length);
  for (const letter of letters) expect(letter).toMatch(/^[a-z]$/);
});

const here = { byo: false };

test("what the server has switched off is not shown", () => {
  const connections = screens.find(({ feature }) => feature === "connectionsEnabled")!;
  const server = (connectionsEnabled: boolean) => ({ connectionsEnabled }) as SetupStatus;
  expect([isShown(connections, here, [], server(true)), isShown(connections, here, [], server(false)), isShown(connections, here, [], undefined)]).toEqual([true, false, false]);
  const users = screens.find(({ needs }) => needs?.includes("users:read"))!;
  expect([isShown(users, here, ["users:manage"], undefined), isShown(users, here, [], server(true))]).toEqual([true, false]);
});

test("the contents of a database are shown of projects that have one of their own", () => {
  const database = screens.find(({ own }) => own)!;
  expect([isShown(database, { byo: true }, ["introspect:read"], undefined), isShown(database, here, ["introspect:read"], undefined)]).toEqual([true, false]);
});
