import { expect, test } from "vitest";
import { headerText, parseHeaders } from "./header-lines";

test("headers as lines", () => {
  expect(parseHeaders("\n x-a: 1 \nx-b:2:3\n__proto__: x\n")).toEqual({
    headers: Object.fromEntries([["x-a", "1"], ["x-b", "2:3"], ["__proto__", "x"]]),
  });
  expect(parseHeaders("x-a: 1\n: 2")).toEqual({ wrong: ": 2" });
  expect(parseHeaders("nothing")).toEqual({ wrong: "nothing" });
  const headers = { "x-team": "red: 1" };
  expect(parseHeaders(headerText(headers))).toEqual({ headers });
});
