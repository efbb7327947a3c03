import { expect, test } from "vitest";
import { controlOf, controlText, controlValue, localText } from "./cells";

const large = 9_007_199_254_740_993n;
const kindOf = (value: unknown, rules = {}, name = "a") => controlOf(value, name, rules)?.kind;

test("a control follows the value, then the schema", () => {
  expect(["x", 1, large, true, null, undefined, [], { a: 1 }].map((value) => kindOf(value))).toEqual([
    "text", "number", "number", "choice", undefined, undefined, undefined, undefined,
  ]);
  expect([null, undefined].map((value) => kindOf(value, { type: ["integer", "null"] }))).toEqual(["number", "number"]);
  expect(kindOf(undefined, { type: ["integer", "string"] })).toBeUndefined();
  expect(["id", "createdAt", "updatedAt"].map((name) => kindOf("x", { type: "string" }, name))).toEqual([undefined, undefined, undefined]);
  expect([kindOf("a\rb"), kindOf("x".repeat(10_001)), kindOf("a\nb")]).toEqual([undefined, undefined, "text"]);
});

test("dates that a control of the browser cannot hold exactly stay texts", () => {
  const moments = ["2026-01-31T09:30:00.120Z", "2026-01-31T09:30:00+02:00", "soon", "+275760-09-13T00:00:00.000Z", "2026-01-31T09:30:00.1234Z"];
  expect(moments.map((moment) => kindOf(moment, { format: "date-time" }))).toEqual(["moment", "text", "text", "text", "text"]);
  expect(["2026-01-31", "0000-01-01", "later"].map((day) => kindOf(day, { format: "date" }))).toEqual(["date", "text", "text"]);
  expect(kindOf(null, { type: "string", "x-bson": "date" })).toBe("moment");
});

test.each(["2026-01-31T09:30:00.000Z", "2026-01-31T09:30:07.000Z", "2026-07-31T09:30:07.045Z"])("the moment %s is read back", (moment) => {
  expect(controlValue(localText(moment), { kind: "moment" })).toBe(moment);
});

test("choices hold JSON, with the value that is stored", () => {
  const control = controlOf("old", "a", { enum: ["old", "new", 5, null] })!;
  expect(control).toEqual({
    kind: "choice",
    options: [
      { value: '"old"', label: "old" },
      { value: '"new"', label: "new" },
      { value: "5", label: "5" },
      { value: "null", label: "null" },
    ],
  });
  expect([controlText("old", control), controlText(undefined, control)]).toEqual(['"old"', ""]);
  expect([controlValue("5", control), controlValue("", control), controlValue("null", control)]).toEqual([5, undefined, null]);
  expect(controlOf(undefined, "a", { type: "boolean" })).toMatchObject({ options: [{ value: "" }, { value: "true" }, { value: "false" }] });
});

test("numbers are exact", () => {
  const number = { kind: "number" } as const;
  expect([controlValue("5", number), controlValue("-0.5", number), controlValue("1e3", number)]).toEqual([5, -0.5, 1000]);
  expect([controlText(large, number), controlText(null, number), controlValue(" ", number)]).toEqual([String(large), "", undefined]);
  expect(() => controlValue("five", number)).toThrow(SyntaxError);
  expect(() => controlValue("1e999", number)).toThrow(RangeError);
  expect(() => controlValue("9223372036854775809", number)).toThrow(RangeError);
});
