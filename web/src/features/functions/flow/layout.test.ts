import { expect, test } from "vitest";
import { layoutOf, nodeHeight, nodeWidth, runOrder } from "./layout";
import { toDraft } from "./model";
import type { FlowEdge, FlowNode, NodeType } from "./types";

/** "a.true>b" */
function graph(types: Record<string, NodeType>, ...ways: string[]) {
  const nodes = Object.entries(types).map(([id, type]): FlowNode => ({ id, type, data: {} }));
  const edges = ways.map((way, at): FlowEdge => {
    const [, source, branch, target] = /^(\w+)\.(\w*)>(\w+)$/.exec(way)!;
    return { id: `e${at}`, source: source!, target: target!, ...(branch ? { branch } : {}) };
  });
  return toDraft({ nodes, edges });
}

const looped = graph(
  { lost: "log", body: "log", loop: "forEach", start: "trigger", ask: "condition", no: "log", end: "stop" },
  "start.>loop",
  "loop.done>ask",
  "loop.each>body",
  "body.>loop",
  "ask.false>no",
  "ask.true>end",
  "no.>end",
);

test("nodes are in the order in which they run, those that nothing leads to last", () => {
  expect(runOrder(looped)).toEqual(["start", "loop", "body", "ask", "end", "no", "lost"]);
});

test("a node is below all that lead to it, and none is where another is", () => {
  const at = layoutOf(looped);
  for (const { source, target } of looped.edges.filter((edge) => edge.source !== "body")) {
    expect(at.get(target)!.y).toBeGreaterThan(at.get(source)!.y);
  }
  const places = [...at.values()];
  for (const [n, a] of places.entries()) {
    for (const b of places.slice(n + 1)) {
      expect(Math.abs(a.x - b.x) >= nodeWidth || Math.abs(a.y - b.y) >= nodeHeight).toBe(true);
    }
  }
});

test("a place of its own wins, and cycles end", () => {
  const cycle = graph({ start: "trigger", a: "log", b: "log" }, "start.>a", "a.>b", "b.>a");
  const own = { ...cycle, nodes: cycle.nodes.map((node) => (node.id === "b" ? { ...node, position: { x: 1, y: 2 } } : node)) };
  expect(layoutOf(own).get("b")).toEqual({ x: 1, y: 2 });
  expect(layoutOf(own).get("a")!.y).toBeGreaterThan(0);
});
