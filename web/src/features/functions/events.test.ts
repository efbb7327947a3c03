import { ManybaseError } from "manybase";
import { expect, test } from "vitest";
import { documentEvent, exampleEvent, payloadOf, requestOf } from "./events";
import { atFields, codeProblems, visibleText } from "./problems";

const now = new Date("2026-01-31T09:30:00Z");

test("events of a document", () => {
  const document = { id: "1", title: "Fjords" };
  const common = { type: "database", collection: "books", documentId: "1" };
  expect(documentEvent("books", "insert", document)).toEqual({ ...common, event: "insert", document });
  expect(documentEvent("books", "update", document)).toEqual({ ...common, event: "update", document, previous: document });
  expect(documentEvent("books", "delete", document)).toEqual({ ...common, event: "delete", document: null, previous: document });
});

test("an example of a request fills the parameters of its path, and has a body where the method does", () => {
  const event = exampleEvent({ type: "http", method: "POST", path: "/orders/:id/lines/:line" }, "insert", now);
  expect(event).toMatchObject({ path: "/orders/1/lines/1", params: { id: "1", line: "1" }, body: { hello: "world" } });
  expect(exampleEvent({ type: "http", method: "GET", path: "/a" }, "insert", now)).not.toHaveProperty("body");
  expect(requestOf(event)).toEqual({ path: "/orders/1/lines/1", query: {}, headers: {}, body: { hello: "world" } });
});

test("events that are not requests", () => {
  for (const one of [null, 1, [], {}, { type: "http" }, { type: "http", path: "a" }, { type: "cron", path: "/a" }]) {
    expect(requestOf(one)).toBeUndefined();
  }
  expect(requestOf({ type: "http", path: "/a", headers: { "x-n": 1 }, body: null })).toEqual({
    path: "/a",
    headers: { "x-n": "1" },
    body: null,
  });
});

test("a manual event is sent by its payload", () => {
  expect(payloadOf({ type: "manual", payload: { a: 1 } })).toEqual({ a: 1 });
  expect(payloadOf({ type: "cron", schedule: "@daily" })).toEqual({ type: "cron", schedule: "@daily" });
  expect(payloadOf(null)).toBeNull();
});

test("problems of code have their place", () => {
  const refused = (path: string, message: string) => new ManybaseError(400, "VALIDATION", "", { details: [{ path, message }] });
  expect(codeProblems(refused("/code", "line 2, column 23: Unterminated template"))).toEqual([
    { line: 2, column: 23, message: "Unterminated template" },
  ]);
  expect(codeProblems(refused("/code", "There is no default export: the handler is one"))).toEqual([]);
  expect(codeProblems(refused("/name", "line 2, column 3: no"))).toEqual([]);
  expect(codeProblems(new Error("x"))).toEqual([]);
});

test("problems of a trigger are those of the fields", () => {
  const paths = ["/trigger/path", "/trigger/events/0", "/retry/attempts", "/retry", "/timeoutMs"];
  const details = paths.map((path) => ({ path, message: "no" }));
  const moved = atFields(new ManybaseError(400, "VALIDATION", "", { details, requestId: "r" })) as ManybaseError;
  expect(moved.details.map(({ path }) => path)).toEqual(["/path", "/insert", "/attempts", "/attempts", "/timeoutMs"]);
  expect(moved.requestId).toBe("r");
});

test("control characters of a log are seen", () => {
  expect(visibleText("\u001b[31mred\n\tx\u0000\u007f")).toBe("␛[31mred\n\tx␀␡");
});
