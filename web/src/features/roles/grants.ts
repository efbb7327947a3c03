// Permission strings as cells of a table, and back (docs/policies.md, "Permissions").
import { can } from "../../lib/permissions";

export type Kind = "members" | "users";

export const operations = ["list", "read", "create", "update", "delete", "admin"] as const;
export const actions = ["read", "write", "manage", "invoke"] as const;
export type Action = (typeof actions)[number];

/** A part of the project, and what can be done with it. */
export interface Part {
  name: string;
  actions: readonly Action[];
}

const readAndManage = ["read", "manage"] as const;
const memberParts: readonly Part[] = [
  { name: "collections", actions: readAndManage },
  { name: "introspect", actions: readAndManage },
  { name: "policies", actions: readAndManage },
  { name: "functions", actions: ["read", "manage", "invoke"] },
  { name: "integrations", actions: readAndManage },
  { name: "variables", actions: readAndManage },
  { name: "webhooks", actions: readAndManage },
  { name: "storage", actions: ["read", "write", "manage"] },
  { name: "users", actions: readAndManage },
  { name: "roles", actions: readAndManage },
  { name: "keys", actions: readAndManage },
  { name: "auth:config", actions: ["read", "write"] },
  { name: "config", actions: ["manage"] },
  { name: "audit", actions: ["read"] },
  { name: "ops", actions: ["read"] },
];
/** End users reach the data plane alone. */
const userParts: readonly Part[] = [
  { name: "storage", actions: ["read", "write"] },
  { name: "functions", actions: ["invoke"] },
];

export const partsOf = (kind: Kind): readonly Part[] => (kind === "members" ? memberParts : userParts);

/** The permission of a cell: of an operation, or of all, on a collection, or on all (`*`). */
export function dataPermission(collection: string, operation: string): string {
  return collection === "*" && operation === "*" ? "data:*" : `data:${collection}:${operation}`;
}

export interface Cell {
  /** Whether the role holds the permission. */
  held: boolean;
  /** The other permission that holds it, where it is not there itself. */
  through?: string;
}

/** What a role's permissions say about one. */
export function cellOf(permissions: readonly string[], one: string): Cell {
  if (permissions.includes(one)) return { held: true };
  const through = permissions.find((other) => can([other], one));
  return through === undefined ? { held: false } : { held: true, through };
}

/** The permissions with one added at the end, or without it. */
export const switched = (permissions: readonly string[], one: string, on: boolean): string[] =>
  on ? [...new Set([...permissions, one])] : permissions.filter((other) => other !== one);

/** The collection that a permission of documents names; undefined for others, and for all collections. */
export function collectionIn(permission: string): string | undefined {
  const [data, name, operation, ...rest] = permission.split(":");
  if (data !== "data" || !name || name === "*" || rest.length > 0) return undefined;
  return operation === "*" || operations.some((one) => one === operation) ? name : undefined;
}

/** Those that no cell shows. */
export function othersOf(kind: Kind, permissions: readonly string[]): string[] {
  const shown = new Set(["*", dataPermission("*", "*"), ...operations.map((one) => dataPermission("*", one))]);
  for (const { name, actions: list } of partsOf(kind)) for (const action of list) shown.add(`${name}:${action}`);
  return permissions.filter((one) => !shown.has(one) && collectionIn(one) === undefined);
}

/** How many permissions two roles do not share. */
export function differences(a: readonly string[], b: readonly string[]): number {
  return a.filter((one) => !b.includes(one)).length + b.filter((one) => !a.includes(one)).length;
}

/** Whether a text is a permission by its form. */
export function isPermission(text: string): boolean {
  const segments = text.split(":");
  return text.length <= 200 && segments.length <= 4 && segments.every((one) => one === "*" || /^[A-Za-z0-9_.-]+$/.test(one));
}

/** What a role may do with documents: the operations on all collections, then those that single ones add. */
export function documentsOf(permissions: readonly string[]): { collection: string; operations: string[] }[] {
  const common = operations.filter((one) => can(permissions, dataPermission("*", one)));
  const names = [...new Set(permissions.map(collectionIn).filter((one) => one !== undefined))].sort();
  const single = names.map((collection) => ({
    collection,
    operations: operations.filter((one) => !common.includes(one) && can(permissions, dataPermission(collection, one))),
  }));
  return [{ collection: "*", operations: [...common] }, ...single].filter((one) => one.operations.length > 0);
}

/** What a role may do with the parts of the project; `manage` includes `read`. */
export function partsHeld(kind: Kind, permissions: readonly string[]): { name: string; actions: Action[] }[] {
  return partsOf(kind)
    .map(({ name, actions: list }) => ({ name, actions: list.filter((one) => can(permissions, `${name}:${one}`)) }))
    .filter((part) => part.actions.length > 0);
}
