import { ManybaseError } from "manybase";
import { expect, test } from "vitest";
import { isKnown, testOfCall, type Outcome } from "./outcome";

const call: Outcome = { op: "get", args: { path: "/n" }, mode: "live" };

test("a live call is kept as a live test of what stays the same", () => {
  const result = { status: 200, headers: { date: "now" }, body: { n: 1 } };
  expect(testOfCall({ ...call, result }, [])).toEqual({
    name: "get",
    op: "get",
    args: { path: "/n" },
    expect: { result: { status: 200, body: { n: 1 } } },
  });
  expect(testOfCall({ ...call, result: { messageId: "<1@x>" } }, [])["expect"]).toEqual({ result: {} });
  expect(testOfCall({ ...call, result: "text" }, [])["expect"]).toEqual({ result: "text" });
  expect(testOfCall({ ...call, result: { status: 204 } }, [])["expect"]).toEqual({ result: { status: 204, body: null } });
});

test("a dry call is kept with its stub, so that nothing is sent", () => {
  const kept = testOfCall({ ...call, mode: "dry", stub: { status: 201 }, result: { status: 201 } }, ["get", "get 2"]);
  expect(kept).toMatchObject({ name: "get 3", stub: { status: 201 }, expect: { result: { status: 201 } } });
  expect(testOfCall({ ...call, mode: "dry", result: null }, [])).toMatchObject({ stub: null, expect: { result: null } });
});

test("a failure is kept by its code, where the server has said it", () => {
  const error = new ManybaseError(400, "VALIDATION", "no");
  expect(testOfCall({ ...call, mode: "dry", error }, [])).toMatchObject({ stub: null, expect: { error: "VALIDATION" } });
  expect(isKnown({ ...call, error })).toBe(true);
  expect(isKnown({ ...call, result: 1 })).toBe(true);
  expect(isKnown({ ...call, error: new ManybaseError(0, "NETWORK", "no") })).toBe(false);
  expect(isKnown({ ...call, error: new Error("no") })).toBe(false);
});
