import { expect, test } from "vitest";
import { conditionsOf, parseFilter, valueOf, withCondition, without } from "./filter";

const filter = { status: "open", stars: { $gte: 3, $lt: 5 }, meta: { a: 1 }, $or: [{ a: 1 }] };

test("conditions of a filter", () => {
  expect(conditionsOf(filter)).toEqual([
    { path: "status", op: "$eq", value: "open" },
    { path: "stars", op: "$gte", value: 3 },
    { path: "stars", op: "$lt", value: 5 },
    { path: "meta", op: "$eq", value: { a: 1 } },
    { op: "$or", value: [{ a: 1 }] },
  ]);
  expect(conditionsOf({})).toEqual([]);
});

test("each condition can be removed", () => {
  let rest: Record<string, unknown> = filter;
  for (const condition of conditionsOf(filter)) rest = without(rest, condition);
  expect(rest).toEqual({});
  expect(without(filter, { path: "stars", op: "$lt", value: 5 })["stars"]).toEqual({ $gte: 3 });
});

test("a condition is added", () => {
  const one = withCondition({}, { path: "stars", op: "$gte", value: 3 });
  expect(one).toEqual({ stars: { $gte: 3 } });
  expect(withCondition(one, { path: "stars", op: "$lt", value: 5 })).toEqual({ stars: { $gte: 3, $lt: 5 } });
  expect(withCondition(one, { path: "stars", op: "$gte", value: 4 })).toEqual({ ...one, $and: [{ stars: { $gte: 4 } }] });
  expect(withCondition({ a: 1 }, { path: "a", op: "$eq", value: 2 })).toEqual({ a: 1, $and: [{ a: 2 }] });
  expect(withCondition({}, { path: "a", op: "$eq", value: { b: 1 } })).toEqual({ a: { $eq: { b: 1 } } });
});

test("values", () => {
  expect(["5", "true", '"5"', "null", "open", "[1"].map(valueOf)).toEqual([5, true, "5", null, "open", "[1"]);
});

test("filters of an address", () => {
  expect([undefined, "{}", '{"a":1}', "[1]", "{", '"a"'].map(parseFilter)).toEqual([{}, {}, { a: 1 }, undefined, undefined, undefined]);
});
