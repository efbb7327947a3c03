import { expect, test } from "vitest";
import { addSteps, highest, planesOf, total, type MetricSeries } from "./figures";

test("sums of steps", () => {
  expect(addSteps([[1, null, null], [2, 3, null], []])).toEqual([3, 3, null]);
  expect(addSteps([])).toEqual([]);
  expect([total([1, null, 2]), highest([null, 4, 1]), highest([null])]).toEqual([3, 4, 0]);
});

test("planes by their requests", () => {
  const planes = {
    auth: { ok: [1, null], error: [0, 0] },
    data: { ok: [1, 1], error: [1, 0] },
    graphql: { ok: [0, 0], error: [null, 0] },
    admin: { ok: [1, 0], error: [0, null] },
  };
  expect(planesOf({ planes } as unknown as MetricSeries)).toEqual([
    { plane: "data", ok: 2, error: 1 },
    { plane: "admin", ok: 1, error: 0 },
    { plane: "auth", ok: 1, error: 0 },
  ]);
});
