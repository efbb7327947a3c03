// Where the nodes of a flow are that have no place of their own: below one another, branches next to each other.
import { rules, type Draft, type FlowEdge, type Point } from "./types";

export const nodeWidth = 208;
export const nodeHeight = 64;
export const gap = 48;

type Graph = Pick<Draft, "nodes" | "edges">;

/** The ways out of a node, in the order of its branches. */
function waysOf({ nodes, edges }: Graph, id: string): FlowEdge[] {
  const branches = rules[nodes.find((node) => node.id === id)!.type].branches;
  const rank = (edge: FlowEdge) => branches.indexOf(edge.branch ?? "");
  return edges.filter((edge) => edge.source === id).sort((a, b) => rank(a) - rank(b));
}

interface Walk {
  /** Ids as the flow runs, those that nothing leads to last. */
  order: string[];
  column: Map<string, number>;
  row: Map<string, number>;
}

function walk(graph: Graph): Walk {
  const column = new Map<string, number>();
  const row = new Map<string, number>();
  const order: string[] = [];
  const after: string[] = [];
  const open = new Set<string>();
  const forward: FlowEdge[] = [];
  /** Gives the first column that the nodes from here on leave free. */
  const visit = (id: string, at: number): number => {
    column.set(id, at);
    order.push(id);
    open.add(id);
    let next = at;
    for (const edge of waysOf(graph, id)) {
      if (open.has(edge.target)) continue;
      forward.push(edge);
      if (!column.has(edge.target)) next = visit(edge.target, next);
    }
    open.delete(id);
    after.push(id);
    return Math.max(next, at + 1);
  };
  const roots = [...graph.nodes].sort((a, b) => Number(b.type === "trigger") - Number(a.type === "trigger"));
  let free = 0;
  for (const { id } of roots) if (!column.has(id)) free = visit(id, free);
  // A node is below all that lead to it, but for the way back to a forEach.
  for (const id of after.reverse()) {
    const own = row.get(id) ?? 0;
    row.set(id, own);
    for (const edge of forward) if (edge.source === id) row.set(edge.target, Math.max(row.get(edge.target) ?? 0, own + 1));
  }
  return { order, column, row };
}

/** The ids of the nodes as the flow runs. */
export const runOrder = (graph: Graph): string[] => walk(graph).order;

/** The places of all nodes by id: their own, else computed ones. */
export function layoutOf(graph: Graph): Map<string, Point> {
  const { column, row } = walk(graph);
  return new Map(
    graph.nodes.map(({ id, position }) => [
      id,
      position ?? { x: column.get(id)! * (nodeWidth + gap), y: row.get(id)! * (nodeHeight + gap) },
    ]),
  );
}
