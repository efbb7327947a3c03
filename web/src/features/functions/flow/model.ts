// Changes of a flow while it is edited. None of them changes what it is given.
import { isObject, type Fields } from "../../../lib/json";
import { gap, layoutOf, nodeHeight, nodeWidth, runOrder } from "./layout";
import { rules, wayOn, type Draft, type DraftNode, type Flow, type FlowEdge, type FlowNode, type NodeType, type Point } from "./types";

export const maxNodes = 100;

/** The flow of a function as it is edited. */
export const toDraft = (flow: Flow): Draft => ({
  nodes: flow.nodes.map((node) => ({ ...node, data: isObject(node.data) ? node.data : {}, key: node.id })),
  edges: flow.edges,
});

/** The flow as it is sent. */
export const toFlow = (draft: Draft): Flow => ({
  nodes: draft.nodes.map(({ key: _, texts: __, ...node }) => node),
  edges: [...draft.edges],
});

export const nodeOf = (draft: Draft, id: string | undefined): DraftNode | undefined =>
  id === undefined ? undefined : draft.nodes.find((node) => node.id === id);

export const edgeOf = (draft: Draft, source: string, branch: string): FlowEdge | undefined =>
  draft.edges.find((edge) => edge.source === source && (edge.branch ?? "") === branch);

/** The nodes to which others may lead. */
export const targetsOf = (draft: Draft, source: string): DraftNode[] =>
  draft.nodes.filter((node) => node.type !== "trigger" && node.id !== source);

const free = (taken: readonly { id: string }[], stem: string): string => {
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? stem : `${stem}-${n}`;
    if (!taken.some((one) => one.id === id)) return id;
  }
};

const without = (draft: Draft, drop: (edge: FlowEdge) => boolean): FlowEdge[] => draft.edges.filter((edge) => !drop(edge));

/** Leads the way `branch` out of a node to another, in place of where it led. */
export function connect(draft: Draft, source: string, branch: string, target: string): Draft {
  const edges = without(draft, (edge) => edge.source === source && (edge.branch ?? "") === branch);
  const added: FlowEdge = { id: free(edges, `${source}-${target}`.slice(0, 60)), source, target, ...(branch ? { branch } : {}) };
  return { ...draft, edges: [...edges, added] };
}

export const disconnect = (draft: Draft, edge: string): Draft => ({ ...draft, edges: without(draft, ({ id }) => id === edge) });

/** Below a node, where none is. */
function placeAfter(draft: Draft, after: DraftNode | undefined): Point {
  const at = layoutOf(draft);
  const from = after && at.get(after.id);
  const taken = [...at.values()];
  const point = { x: from?.x ?? 0, y: from ? from.y + nodeHeight + gap : 0 };
  const meets = ({ x, y }: Point) => Math.abs(x - point.x) < nodeWidth && Math.abs(y - point.y) < nodeHeight;
  while (taken.some(meets)) point.x += nodeWidth + gap;
  return point;
}

/**
 * Adds a node after another: by its first way out that leads nowhere, else between it and the node that follows. A node
 * that ends the flow is not put between two.
 */
export function addAfter(draft: Draft, afterId: string | undefined, type: NodeType): { draft: Draft; id: string } {
  const after = nodeOf(draft, afterId);
  const id = free(draft.nodes, type);
  const key = free(
    draft.nodes.map((node) => ({ id: node.key })),
    id,
  );
  const placed = draft.nodes.some((node) => node.position);
  const node: DraftNode = { id, key, type, data: rules[type].start, ...(placed ? { position: placeAfter(draft, after) } : {}) };
  const added: Draft = { ...draft, nodes: [...draft.nodes, node] };
  if (!after) return { draft: added, id };
  const open = rules[after.type].branches.find((branch) => !edgeOf(draft, after.id, branch));
  if (open !== undefined) return { draft: connect(added, after.id, open, id), id };
  const way = wayOn(after.type);
  const on = wayOn(type);
  const next = way === undefined ? undefined : edgeOf(draft, after.id, way);
  if (way === undefined || on === undefined || !next) return { draft: added, id };
  return { draft: connect(connect(added, after.id, way, id), id, on, next.target), id };
}

/** The last node as the flow runs with a way out that leads nowhere, else the first one: what is added without a choice is after it. */
export function lastOpen(draft: Draft): string | undefined {
  const order = runOrder(draft);
  const isOpen = (id: string) => rules[nodeOf(draft, id)!.type].branches.some((branch) => !edgeOf(draft, id, branch));
  return order.findLast(isOpen) ?? order[0];
}

/** Removes a node. What led to it leads to the node after it. */
export function remove(draft: Draft, id: string): Draft {
  const node = nodeOf(draft, id);
  if (!node) return draft;
  const way = wayOn(node.type);
  const next = way === undefined ? undefined : edgeOf(draft, id, way)?.target;
  const edges = without(draft, (edge) => edge.source === id || (edge.target === id && (next === undefined || next === id)));
  return {
    nodes: draft.nodes.filter((one) => one.id !== id),
    edges: edges.map((edge) => (edge.target === id ? { ...edge, target: next! } : edge)),
  };
}

/** Whether a node may have this id: it is an id, and another has it not. */
export const isFreeId = (draft: Draft, key: string, id: string): boolean =>
  /^[A-Za-z0-9_-]{1,64}$/.test(id) && draft.nodes.every((node) => node.id !== id || node.key === key);

export function rename(draft: Draft, from: string, id: string): Draft {
  const renamed = (end: string) => (end === from ? id : end);
  return {
    nodes: draft.nodes.map((node) => (node.id === from ? { ...node, id } : node)),
    edges: draft.edges.map((edge) => ({ ...edge, source: renamed(edge.source), target: renamed(edge.target) })),
  };
}

/** Gives nodes their places; from then on all have one. */
export function move(draft: Draft, places: ReadonlyMap<string, Point>): Draft {
  const at = layoutOf(draft);
  return { ...draft, nodes: draft.nodes.map((node) => ({ ...node, position: places.get(node.id) ?? at.get(node.id)! })) };
}

/** Forgets the places, so that they are computed. */
export const arrange = (draft: Draft): Draft => ({ ...draft, nodes: draft.nodes.map(({ position: _, ...node }) => node) });

export const replaceNode = (draft: Draft, next: DraftNode): Draft => ({
  ...draft,
  nodes: draft.nodes.map((node) => (node.key === next.key ? next : node)),
});

/** The variables that nodes set. */
export function variablesOf(draft: Draft): string[] {
  const names = new Set<string>();
  for (const { type, data } of draft.nodes) {
    if (typeof data["as"] === "string") names.add(data["as"]);
    if (type === "set" && isObject(data["values"])) Object.keys(data["values"]).forEach((name) => names.add(name));
  }
  return [...names];
}

/** What a node does, in a few words of its own. */
export function summaryOf({ data }: FlowNode): string {
  const text = (name: string) => (typeof data[name] === "string" ? (data[name] as string) : "");
  const called = [text("integration"), text("op")].filter(Boolean).join(" ");
  const values = isObject(data["values"]) ? Object.keys(data["values"] as Fields).join(", ") : "";
  const status = data["status"] === undefined ? "" : String(data["status"]);
  const found = text("expression") || text("items") || text("collection") || called || values;
  return (found || text("message") || text("reason") || text("code") || status).trim().slice(0, 80);
}
