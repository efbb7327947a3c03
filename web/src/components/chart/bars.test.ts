import { expect, test } from "vitest";
import { chartOf, type Series } from "./bars";

const series = (...values: (number | null)[][]): Series[] =>
  values.map((each, at) => ({ label: String(at), values: each, tone: at === 0 ? "first" : "bad" }));

test("series are stacked, and the highest step is as high as the chart", () => {
  const { steps, max } = chartOf("2026-01-01T00:00:00.000Z", 60, series([3, 1, 0], [1, 0, 0]));
  expect(max).toBe(4);
  expect(steps.map(({ bars }) => bars)).toEqual([
    [
      { y: 25, height: 75, tone: "first" },
      { y: 0, height: 25, tone: "bad" },
    ],
    [{ y: 75, height: 25, tone: "first" }],
    [],
  ]);
  expect(steps[2]!.at.toISOString()).toBe("2026-01-01T00:02:00.000Z");
});

test("a step without counts is not a step of zero", () => {
  const { steps, max } = chartOf("2026-01-01T00:00:00.000Z", 900, series([null, 0, null], [null, 0, 2]));
  expect(steps.map(({ values }) => values)).toEqual([null, [0, 0], [0, 2]]);
  expect(max).toBe(2);
});

test("nothing to show", () => expect(chartOf("2026-01-01T00:00:00.000Z", 60, [])).toEqual({ steps: [], max: 0 }));
