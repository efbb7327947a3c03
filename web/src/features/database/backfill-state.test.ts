import { expect, test } from "vitest";
import { advanced, begun, progressOf } from "./backfill-state";

const running = { ...begun, phase: "running" } as const;

test("calls add up until no document is without an id", () => {
  const first = advanced(running, { matched: 100, modified: 100, remaining: 150 });
  expect(first).toEqual({ phase: "running", modified: 100, remaining: 150 });
  expect(progressOf(first)).toEqual({ value: 100, max: 250 });
  const second = advanced(first, { matched: 100, modified: 99, remaining: 51 });
  const last = advanced(second, { matched: 51, modified: 51, remaining: 0 });
  expect(last).toEqual({ phase: "done", modified: 250, remaining: 0 });
  expect(progressOf(last)).toEqual({ value: 1, max: 1 });
});

test("where nothing was without an id it is done at once", () => {
  expect(advanced(running, { matched: 0, modified: 0, remaining: 0 }).phase).toBe("done");
  expect(progressOf(begun)).toEqual({ value: 0, max: 1 });
});

test("a call that helps no document ends it, also one that was to be the last", () => {
  expect(advanced(running, { matched: 10, modified: 0, remaining: 10 }).phase).toBe("stuck");
  expect(advanced({ ...begun, phase: "stopping" }, { matched: 10, modified: 5, remaining: 10 }).phase).toBe("stopping");
});
