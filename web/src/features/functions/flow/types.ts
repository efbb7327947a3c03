// The nodes of flows and what each holds, by docs/functions.md, "Flows".
import type { Fields } from "../../../lib/json";

export const nodeTypes = [
  "trigger",
  "condition",
  "set",
  "find",
  "insert",
  "update",
  "delete",
  "integration",
  "forEach",
  "code",
  "log",
  "respond",
  "stop",
] as const;
export type NodeType = (typeof nodeTypes)[number];

/** How a field of a node is edited. */
export type FieldKind = "name" | "collection" | "integration" | "number" | "level" | "text" | "expression" | "json" | "code";

export interface NodeField {
  name: string;
  kind: FieldKind;
}

interface NodeRule {
  /** The ways out of it; "" for a single one. Where there are none, the flow ends. */
  branches: readonly string[];
  fields: readonly NodeField[];
  /** What a new one begins with. */
  start: Fields;
}

const one = [""];
const ofDocument = { id: "{{ event.documentId }}" };
const field = (name: string, kind: FieldKind): NodeField => ({ name, kind });

export const rules: Record<NodeType, NodeRule> = {
  trigger: { branches: one, fields: [], start: {} },
  condition: { branches: ["true", "false"], fields: [field("expression", "expression")], start: { expression: "true" } },
  set: { branches: one, fields: [field("values", "json")], start: { values: { count: 1 } } },
  find: {
    branches: one,
    fields: [field("collection", "collection"), field("filter", "json"), field("limit", "number"), field("as", "name")],
    start: { as: "found" },
  },
  insert: { branches: one, fields: [field("collection", "collection"), field("document", "json")], start: { document: {} } },
  update: {
    branches: one,
    fields: [field("collection", "collection"), field("filter", "json"), field("update", "json")],
    start: { filter: ofDocument, update: { $set: { seen: true } } },
  },
  delete: { branches: one, fields: [field("collection", "collection"), field("filter", "json")], start: { filter: ofDocument } },
  integration: {
    branches: one,
    fields: [field("integration", "integration"), field("op", "name"), field("args", "json"), field("as", "name")],
    start: {},
  },
  forEach: { branches: ["each", "done"], fields: [field("items", "expression"), field("as", "name")], start: { as: "item" } },
  code: { branches: one, fields: [field("code", "code")], start: { code: "vars.count = 1;\n" } },
  log: { branches: one, fields: [field("level", "level"), field("message", "text")], start: { message: "{{ event }}" } },
  respond: {
    branches: [],
    fields: [field("status", "number"), field("headers", "json"), field("body", "json")],
    start: { status: 200, body: {} },
  },
  stop: { branches: [], fields: [field("reason", "text")], start: {} },
};

/** The way by which a flow continues after a node of this type; undefined where it ends. */
export const wayOn = (type: NodeType): string | undefined => (type === "forEach" ? "done" : rules[type].branches[0]);

export const levels = ["log", "info", "warn", "error", "debug"];

export interface Point {
  x: number;
  y: number;
}

export interface FlowNode {
  id: string;
  type: NodeType;
  data: Fields;
  position?: Point;
}

export interface FlowEdge {
  id: string;
  source: string;
  target: string;
  branch?: string;
}

export interface Flow {
  nodes: FlowNode[];
  edges: FlowEdge[];
}

/** A node while it is edited. */
export interface DraftNode extends FlowNode {
  /** Stays while the id changes. */
  key: string;
  /** The texts of fields as they were typed; of one that is not JSON, `data` has the last value that was. */
  texts?: Readonly<Record<string, string>>;
}

export interface Draft {
  nodes: readonly DraftNode[];
  edges: readonly FlowEdge[];
}
