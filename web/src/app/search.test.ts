import { expect, test } from "vitest";
import { oneOf, parseSearch, positive, stringifySearch, text, yes } from "./search";

test.each(["10", "007", "true", "null", '"quoted"', '{"a":1}', "a b+c&d=e%", "\u202eé", "__proto__"])("%s stays a text", (value) => {
  expect(parseSearch(stringifySearch({ value }))).toEqual({ value });
});

test("what has no value is left out", () => {
  expect(stringifySearch({ a: undefined, b: null })).toBe("");
  expect(stringifySearch({ a: undefined, b: true, c: 7 })).toBe("?b=true&c=7");
});

test("parameters are read as what they may be", () => {
  expect([text("a"), text(""), text(7), text(undefined)]).toEqual(["a", undefined, undefined, undefined]);
  expect([oneOf("a", "a", "b"), oneOf("c", "a", "b")]).toEqual(["a", undefined]);
  expect([yes(true), yes("true"), yes("false"), yes("")]).toEqual([true, true, undefined, undefined]);
  expect([positive("7"), positive(7), positive("0"), positive("1.5"), positive("x")]).toEqual([7, 7, undefined, undefined, undefined]);
});
