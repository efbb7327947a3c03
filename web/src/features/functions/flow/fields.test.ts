import { ManybaseError } from "manybase";
import { expect, test } from "vitest";
import { invalidField, jsonProblem, textOf, withText } from "./fields";
import { refusalOf, unreadable } from "./problems";
import type { Draft, DraftNode, NodeField } from "./types";

const find: DraftNode = {
  key: "f",
  id: "find",
  type: "find",
  data: { collection: "orders", filter: { n: 9007199254740993n }, limit: 5, as: "found" },
};
const filter: NodeField = { name: "filter", kind: "json" };
const limit: NodeField = { name: "limit", kind: "number" };
const collection: NodeField = { name: "collection", kind: "collection" };

test("values are printed exactly, and what is typed stays as it was typed", () => {
  expect(textOf(find, filter)).toBe('{"n": 9007199254740993}');
  expect(textOf(find, limit)).toBe("5");
  const typed = withText(find, filter, '{ "open":true }');
  expect(typed.data["filter"]).toEqual({ open: true });
  expect(textOf(typed, filter)).toBe('{ "open":true }');
});

test("a text that is not JSON keeps the value, and is a problem at its line", () => {
  const broken = withText(find, filter, '{\n  "open": tru\n}');
  expect(broken.data["filter"]).toEqual(find.data["filter"]);
  expect(jsonProblem(broken, filter)).toMatchObject({ line: 2 });
  expect(invalidField(broken)?.name).toBe("filter");
  expect(invalidField(withText(broken, filter, ""))).toBeUndefined();
});

test("an empty text removes a field, and a number is one or an expression", () => {
  expect(withText(find, collection, " ").data).not.toHaveProperty("collection");
  expect(withText(find, limit, "20").data["limit"]).toBe(20);
  expect(withText(find, limit, "{{ n }}").data["limit"]).toBe("{{ n }}");
});

const code: DraftNode = { key: "c", id: "own", type: "code", data: { code: "x" } };
const draft: Draft = { nodes: [find, code], edges: [{ id: "e", source: "own", target: "find" }] };

test("what is refused is at its node and field, the rest is kept", () => {
  const error = new ManybaseError(400, "VALIDATION", "invalid", {
    requestId: "r1",
    details: [
      { path: "/flow/nodes/0/data/filter", message: 'node "find" filter: n: line 1, column 2: no such name' },
      { path: "/flow/nodes/1/data/code", message: 'node "own" line 3, column 9: Unexpected token' },
      { path: "/flow/edges/0/branch", message: 'node "own" has no branches' },
      { path: "/flow", message: "sets more than 100 variables" },
    ],
  });
  const { nodes, rest } = refusalOf(draft, error);
  expect(nodes).toMatchObject([
    { node: "f", field: "filter" },
    { node: "c", field: "code", line: 3, column: 9 },
    { node: "c", message: 'node "own" has no branches' },
  ]);
  expect(nodes[0]).not.toHaveProperty("line");
  expect(rest).toMatchObject({ requestId: "r1", details: [{ path: "/flow" }] });
  expect(refusalOf(draft, new Error("offline"))).toMatchObject({ nodes: [], rest: { message: "offline" } });
});

test("a draft with a text that is not JSON is not sent", () => {
  expect(unreadable(draft)).toBeUndefined();
  const broken = { ...draft, nodes: [withText(find, filter, "{"), code] };
  expect(unreadable(broken)?.nodes).toMatchObject([{ node: "f", field: "filter" }]);
});
