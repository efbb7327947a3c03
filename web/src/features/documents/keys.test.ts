import { expect, test } from "vitest";
import { moved } from "./keys";

const size = { rows: 100, columns: 3, page: 20 };

test.each([
  ["ArrowDown", false, 11, 1],
  ["ArrowUp", false, 9, 1],
  ["ArrowRight", false, 10, 2],
  ["PageUp", false, 0, 1],
  ["PageDown", false, 30, 1],
  ["Home", false, 10, 0],
  ["End", false, 10, 2],
  ["Home", true, 0, 0],
  ["End", true, 99, 2],
  ["ArrowDown", true, 99, 1],
])("%s with control: %s", (key, control, row, column) => {
  expect(moved({ row: 10, column: 1 }, key, control, size)).toEqual({ row, column });
});

test("other keys do not move", () => {
  expect([moved({ row: 0, column: 0 }, "a", false, size), moved({ row: 0, column: 0 }, "constructor", false, size)]).toEqual([undefined, undefined]);
});
