import { describe, expect, test } from "vitest";
import { operandFor, ownerCondition, parseFilter, printFilter, setCondition, type Rows } from "./filter";
import { parseJson } from "../../../lib/json-source";
import { printRule, type JsonObject } from "./json";

const read = (text: string) => parseFilter(parseJson(text) as JsonObject);

describe("filters that a form shows come back as they were", () => {
  test.each([
    '{"ownerId": "$auth.uid"}',
    '{"teamId": {"$in": "$auth.sets.teams"}}',
    '{"team": {"$nin": "$auth.token.teams"}}',
    '{"$or": [{"published": true}, {"ownerId": "$auth.uid"}]}',
    '{"ownerId": "$auth.uid", "status": {"$ne": "archived"}}',
    '{"state": {"$exists": false}}',
    '{"n": {"$in": [1, 2.5]}, "s": {"$in": ["a", "b"]}, "gone": null}',
    '{"__proto__": "x", "constructor": 1}',
    "{}",
  ])("%s", (text) => {
    const rows = read(text);
    expect(rows).toBeDefined();
    expect(printRule(printFilter(rows!))).toBe(text);
  });
});

test("several conditions of one field are joined by $and", () => {
  const rows = read('{"n": {"$gte": 1, "$lt": 5}}')!;
  expect(rows).toHaveLength(2);
  const printed = printFilter(rows);
  expect(printed).toEqual({ $and: [{ n: { $gte: 1 } }, { n: { $lt: 5 } }] });
  expect(parseFilter(printed)).toEqual(rows);
});

test("several groups of alternatives are joined by $and", () => {
  const either = [ownerCondition(), setCondition("teamId", "teams")];
  const rows: Rows = [either, [ownerCondition("a"), ownerCondition("b")]];
  expect(parseFilter(printFilter(rows))).toEqual(rows);
});

test.each([
  '{"a": {"$regex": "x"}}',
  '{"a": {"b": 1}}',
  '{"a": [1]}',
  '{"a": {"$in": []}}',
  '{"a": {"$in": ["x", 1]}}',
  '{"a": {"$in": ["$auth.uid"]}}',
  '{"$nor": [{"a": 1}]}',
  '{"$or": []}',
  '{"$or": [{"a": 1, "b": 2}]}',
  '{"a": {"toString": 1}}',
])("only JSON shows %s", (text) => expect(read(text)).toBeUndefined());

test("numbers that are none stay texts, and long ones exact", () => {
  const of = (text: string) => printFilter([[{ path: "n", operator: "is", operand: { kind: "number", text } }]])["n"];
  expect([of("1e"), of(" 2 "), of("9007199254740993"), of("1.5")]).toEqual(["1e", 2, 9007199254740993n, 1.5]);
});

test("another comparison keeps what was typed", () => {
  expect(operandFor("in", { kind: "text", text: "a" })).toEqual({ kind: "texts", texts: ["a"] });
  expect(operandFor("is", { kind: "numbers", texts: ["1", "2"] })).toEqual({ kind: "number", text: "1" });
  expect(operandFor("is", { kind: "auth", name: "sets.teams" })).toEqual({ kind: "auth", name: "uid" });
  expect(operandFor("in", { kind: "auth", name: "sets.teams" })).toEqual({ kind: "auth", name: "sets.teams" });
  expect(operandFor("exists", { kind: "text", text: "a" })).toEqual({ kind: "null" });
});
