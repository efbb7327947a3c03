// What the server refuses of a flow, at the node that it names.
import { ManybaseError, isError } from "manybase";
import { flowMessages as words } from "../../../messages/flow";
import { invalidField } from "./fields";
import { nodeOf } from "./model";
import { rules, type Draft, type DraftNode } from "./types";

export interface NodeProblem {
  /** The key of the node. */
  node: string;
  /** Its field. */
  field?: string;
  message: string;
  /** In the text of the field. */
  line?: number;
  column?: number;
}

export interface Refusal {
  nodes: readonly NodeProblem[];
  /** What is about no node. */
  rest: unknown;
}

/** Places of code and of expressions; those in values of JSON are places of an expression within. */
function placeIn(node: DraftNode, field: string | undefined, message: string): Pick<NodeProblem, "line" | "column"> {
  const kind = rules[node.type].fields.find(({ name }) => name === field)?.kind;
  const found = kind === "code" || kind === "expression" ? /line (\d+), column (\d+): /.exec(message) : null;
  return found ? { line: Number(found[1]), column: Number(found[2]) } : {};
}

function nodeProblem(draft: Draft, path: string, message: string): NodeProblem | undefined {
  const [, list, at, field] = /^\/flow\/(nodes|edges)\/(\d+)(?:\/data\/([^/]+))?/.exec(path) ?? [];
  if (list === "edges") {
    const source = nodeOf(draft, draft.edges[Number(at)]?.source);
    return source && { node: source.key, message };
  }
  const node = list ? draft.nodes[Number(at)] : undefined;
  return node && { node: node.key, message, ...(field ? { field } : {}), ...placeIn(node, field, message) };
}

/** An error of a save, by the nodes of the draft that was sent. */
export function refusalOf(draft: Draft, error: unknown): Refusal {
  if (!isError(error)) return { nodes: [], rest: error };
  const { status, code, message, requestId, retryAfter } = error;
  const nodes: NodeProblem[] = [];
  const details = error.details.filter(({ path, message: about }) => {
    const found = nodeProblem(draft, path, about);
    if (found) nodes.push(found);
    return !found;
  });
  const rest = new ManybaseError(status, code, nodes.length > 0 ? words.refused : message, {
    details,
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    cause: error,
  });
  return { nodes, rest };
}

/** What keeps a draft from being sent: texts that are not JSON. */
export function unreadable(draft: Draft): Refusal | undefined {
  const nodes = draft.nodes.flatMap((node): NodeProblem[] => {
    const field = invalidField(node);
    return field ? [{ node: node.key, field: field.name, message: words.notJson(node.id, words.fields[field.name]!) }] : [];
  });
  return nodes.length > 0 ? { nodes, rest: new Error(words.refused) } : undefined;
}
