import { expect, test } from "vitest";
import { addAfter, arrange, connect, disconnect, edgeOf, isFreeId, lastOpen, move, nodeOf, remove, rename, summaryOf, targetsOf, toDraft, toFlow, variablesOf } from "./model";
import type { Flow } from "./types";

const flow: Flow = {
  nodes: [
    { id: "start", type: "trigger", data: {} },
    { id: "many", type: "condition", data: { expression: "size(found) > 3" } },
    { id: "say", type: "log", data: { message: "hello" } },
    { id: "each", type: "forEach", data: { items: "found", as: "item" } },
    { id: "end", type: "stop", data: {} },
  ],
  edges: [
    { id: "e1", source: "start", target: "many" },
    { id: "e2", source: "many", target: "say", branch: "true" },
    { id: "e3", source: "many", target: "each", branch: "false" },
    { id: "e4", source: "each", target: "say", branch: "each" },
    { id: "e5", source: "say", target: "end" },
  ],
};
const draft = toDraft(flow);
const ways = (of: typeof draft) => of.edges.map(({ source, branch = "", target }) => `${source}.${branch}>${target}`).sort();

test("a draft is sent as it was read", () => {
  expect(toFlow(draft)).toEqual(flow);
});

test("a node is added by the first way that leads nowhere, else between two", () => {
  const after = addAfter(draft, "each", "log");
  expect(after.id).toBe("log");
  expect(edgeOf(after.draft, "each", "done")?.target).toBe("log");
  const between = addAfter(draft, "start", "condition");
  expect(edgeOf(between.draft, "start", "")?.target).toBe("condition");
  expect(edgeOf(between.draft, "condition", "true")?.target).toBe("many");
  const loop = addAfter(draft, "say", "forEach").draft;
  expect(edgeOf(loop, "forEach", "done")?.target).toBe("end");
  expect(edgeOf(loop, "forEach", "each")).toBeUndefined();
});

test("what ends a flow is not put between two, and nothing is after it", () => {
  const ends = addAfter(draft, "say", "respond");
  expect(ways(ends.draft)).toEqual(ways(draft));
  expect(nodeOf(ends.draft, ends.id)).toMatchObject({ type: "respond", data: { status: 200 } });
  expect(ways(addAfter(draft, "end", "log").draft)).toEqual(ways(draft));
});

test("without a choice a node is added after the last open one, else after the first", () => {
  expect(lastOpen(draft)).toBe("each");
  const closed = toDraft({ nodes: [flow.nodes[0]!, flow.nodes[4]!], edges: [{ id: "e", source: "start", target: "end" }] });
  expect(lastOpen(closed)).toBe("start");
});

test("ids and keys of new nodes are free", () => {
  const renamed = rename(draft, "say", "log");
  const { draft: added, id } = addAfter(renamed, "start", "log");
  expect(id).toBe("log-2");
  expect(new Set(added.nodes.map(({ key }) => key)).size).toBe(added.nodes.length);
  expect(isFreeId(added, "say", "log")).toBe(true);
  expect(isFreeId(added, "start", "log")).toBe(false);
  expect(isFreeId(added, "start", "no spaces")).toBe(false);
  expect(isFreeId(added, "start", "x".repeat(65))).toBe(false);
});

test("a way leads to one node, and is removed", () => {
  const other = connect(draft, "many", "true", "end");
  expect(ways(other)).toContain("many.true>end");
  expect(other.edges).toHaveLength(draft.edges.length);
  expect(new Set(other.edges.map(({ id }) => id)).size).toBe(other.edges.length);
  expect(ways(disconnect(other, edgeOf(other, "many", "true")!.id))).not.toContain("many.true>end");
  expect(targetsOf(draft, "say").map(({ id }) => id)).toEqual(["many", "each", "end"]);
});

test("what led to a removed node leads to the next one", () => {
  const removed = remove(draft, "say");
  expect(ways(removed)).toEqual(["each.each>end", "many.false>each", "many.true>end", "start.>many"]);
  expect(ways(remove(draft, "end"))).toEqual(["each.each>say", "many.false>each", "many.true>say", "start.>many"]);
  expect(remove(draft, "none")).toBe(draft);
  // The way back of a loop leads on to its own forEach.
  const looped = connect(draft, "say", "", "each");
  expect(ways(remove(looped, "say"))).toEqual(["each.each>each", "many.false>each", "many.true>each", "start.>many"]);
});

test("edges follow a new id", () => {
  expect(ways(rename(draft, "many", "few"))).toContain("few.false>each");
});

test("one place gives all nodes one, until they are arranged", () => {
  const moved = move(draft, new Map([["say", { x: 5, y: 7 }]]));
  expect(nodeOf(moved, "say")?.position).toEqual({ x: 5, y: 7 });
  expect(moved.nodes.every(({ position }) => position)).toBe(true);
  const { draft: added, id } = addAfter(moved, "say", "log");
  const at = nodeOf(added, id)!.position!;
  for (const node of moved.nodes) {
    expect(Math.abs(node.position!.x - at.x) >= 208 || Math.abs(node.position!.y - at.y) >= 64).toBe(true);
  }
  expect(toFlow(arrange(moved))).toEqual(flow);
});

test("variables and summaries", () => {
  const set = addAfter(draft, "say", "set").draft;
  expect(variablesOf(set)).toEqual(["item", "count"]);
  expect(set.nodes.map(summaryOf)).toEqual(["", "size(found) > 3", "hello", "found", "", "count"]);
});
