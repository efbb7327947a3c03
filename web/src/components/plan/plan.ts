// A plan as the server gives it, and what is shown of it.
import type { AdminMethods } from "manybase/admin";
import type { ControlMethods } from "manybase/control";
import { printJson } from "../../lib/json";

export type Plan = Awaited<ReturnType<ControlMethods["promote"]>>["plan"];
/** A configuration as an import takes it. */
export type ConfigDocument = Parameters<AdminMethods["importConfiguration"]>[0];
export type Change = Plan["changes"][number];

/** A plan, with the digest that lets the server apply exactly this one. */
export interface Planned {
  plan: Plan;
  digest: string;
}

/** What the person accepts in a plan. */
export interface Accepted {
  allowMissing: boolean;
  skipTests: boolean;
}

export const queryOf = ({ allowMissing, skipTests }: Accepted) => ({
  ...(allowMissing ? { allowMissing: "1" as const } : {}),
  ...(skipTests ? { skipTests: "1" as const } : {}),
});

/** The changes by section, in the order of the plan; what is unchanged only where `all` is true. */
export function sectionsOf({ changes }: Plan, all: boolean): [string, Change[]][] {
  const found = new Map<string, Change[]>();
  for (const change of changes) {
    if (!all && change.action === "unchanged") continue;
    const list = found.get(change.section);
    if (list) list.push(change);
    else found.set(change.section, [change]);
  }
  return [...found];
}

export const differs = ({ summary }: Plan): boolean => summary.create + summary.update > 0;

/** One side of a change as text: code in lines of its own. */
export function sideOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "object" || !("code" in value) || typeof value.code !== "string") return printJson(value);
  const { code, ...rest } = value;
  return `${printJson(rest)}\n\n${code}`;
}
