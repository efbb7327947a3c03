import { expect, test } from "vitest";
import type { SetupStatus } from "manybase/control";
import { isShown, screens } from "./navigation";

test("each letter leads to one screen", () => {
  const letters = screens.flatMap(({ letter }) => letter ?? []);
  expect(letters.length).toBeGreaterThan(10);
  expect(new Set(letters).size).toBe(letters.length);
  for (const letter of letters) expect(letter).toMatch(/^[a-z]$/);
});

test("what the server has switched off is not shown", () => {
  const connections = screens.find(({ feature }) => feature === "connectionsEnabled")!;
  const server = (connectionsEnabled: boolean) => ({ connectionsEnabled }) as SetupStatus;
  expect([isShown(connections, [], server(true)), isShown(connections, [], server(false)), isShown(connections, [], undefined)]).toEqual([true, false, false]);
  const users = screens.find(({ needs }) => needs?.includes("users:read"))!;
  expect([isShown(users, ["users:manage"], undefined), isShown(users, [], server(true))]).toEqual([true, false]);
});
