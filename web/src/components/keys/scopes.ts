// The scopes of API keys: what they open, and which of them a caller may give away (docs/api.md, "Credentials").
import type { ApiKey } from "manybase/admin";
import { can } from "../../lib/permissions";

export type Scope = ApiKey["scopes"][number];

export const scopes: readonly Scope[] = ["read", "write", "storage", "functions", "admin", "service"];

const permissions: Record<Scope, readonly string[]> = {
  read: ["data:*:read", "data:*:list"],
  write: ["data:*:create", "data:*:update", "data:*:delete"],
  storage: ["storage:read", "storage:write"],
  functions: ["functions:invoke"],
  admin: ["*"],
  service: ["data:*", "storage:*", "functions:invoke"],
};

/** Whether the holder of these permissions holds all that a key of these scopes would. */
export const mayGrant = (perms: readonly string[], wanted: readonly Scope[]): boolean =>
  wanted.every((scope) => (permissions[scope] ?? ["*"]).every((one) => can(perms, one)));

/** The scopes after one was switched: `admin` holds all others, and `service` is the only scope of its key. */
export function switched(chosen: readonly Scope[], scope: Scope, on: boolean): Scope[] {
  if (!on) return chosen.filter((one) => one !== scope);
  if (scope === "admin" || scope === "service") return [scope];
  return scopes.filter((one) => one === scope || (chosen.includes(one) && one !== "admin" && one !== "service"));
}

/** A request, below /api/v1, that shows that a key of these scopes works. */
export function trialOf(scopesOf: readonly Scope[], collection: string): { method: string; path: string; body?: unknown } {
  const name = encodeURIComponent(collection);
  if (scopesOf.includes("admin")) return { method: "GET", path: "/admin/collections" };
  if (scopesOf.includes("read") || scopesOf.includes("service")) return { method: "GET", path: `/${name}?limit=1` };
  if (scopesOf.includes("write")) return { method: "POST", path: `/${name}`, body: { title: "A first document" } };
  if (scopesOf.includes("storage")) return { method: "GET", path: "/storage/images" };
  return { method: "POST", path: "/admin/functions/hello/invoke", body: {} };
}
