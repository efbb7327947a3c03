import { expect, test } from "vitest";
import { eventsOf, filterOf, optionsOf, selectionOf } from "./subscription";

test("an address selects changes", () => {
  expect(selectionOf({})).toEqual({});
  expect(eventsOf({})).toEqual(["insert", "update", "replace", "delete"]);
  expect(selectionOf({ events: "insert,delete", filter: '{"n": 9007199254740993}' })).toEqual({
    events: ["insert", "delete"],
    filter: { n: 9007199254740993n },
  });
  expect(selectionOf({ filter: "{" })).toEqual({});
});

test("a text is a filter, nothing, or wrong", () => {
  expect(filterOf(" \n")).toEqual({});
  expect(filterOf('{"a": 1}')).toEqual({ filter: { a: 1 } });
  expect(filterOf("[1]")).toEqual({ wrong: "A filter is an object: {…}." });
  expect(filterOf('{"a": 1')).toHaveProperty("wrong");
});

test("documents that leave a filter are reported", () => {
  expect(optionsOf({})).toEqual({ admin: true });
  expect(optionsOf({ events: ["insert"], filter: { a: [1] } })).toEqual({ admin: true, events: ["insert"], filter: { a: [1] }, leave: true });
});
