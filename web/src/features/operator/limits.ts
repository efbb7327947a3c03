import type { AuditEntry, PlanLimits, PlanLimitsPatch } from "manybase/control";
import type { Values } from "../../components/form/form";
import { FormProblem } from "../../components/form/form-problem";
import type { Change } from "../../components/form/review";
import { limitNames, type LimitName } from "../../components/limits/limits";
import { exactSize, parseSize } from "../../lib/size";
import { operatorMessages } from "../../messages/operator";

const words = operatorMessages.limits;

/** A limit as it is written in a form, exactly. */
export function limitText(name: LimitName, limit: number | null): string {
  if (limit === null) return words.unlimited;
  return name === "storageBytes" ? exactSize(limit) : limit.toLocaleString("en");
}

/** The limit that was written; undefined for an empty field. Throws a problem at the field. */
export function parseLimit(name: LimitName, text: string): number | null | undefined {
  const given = text.trim();
  if (given === "") return undefined;
  if (given.toLowerCase() === words.unlimited) return null;
  const digits = given.replaceAll(",", "");
  const isNumber = /^\d+$/.test(digits);
  const limit = isNumber ? Number(digits) : name === "storageBytes" ? parseSize(given) : undefined;
  if (limit === undefined) throw new FormProblem(name, name === "storageBytes" ? words.wrongSize : words.wrong);
  if (!Number.isSafeInteger(limit)) throw new FormProblem(name, words.tooLarge);
  return limit;
}

/** The limits of a form; those of empty fields are left out. */
export function limitsOf(values: Values): PlanLimitsPatch {
  const limits: PlanLimitsPatch = {};
  for (const name of limitNames) {
    const limit = parseLimit(name, values[name] ?? "");
    if (limit !== undefined) limits[name] = limit;
  }
  return limits;
}

/** The limits that an entry of the audit record has pinned. */
export function pinnedBy(entry: AuditEntry | null | undefined): PlanLimitsPatch {
  const given = (entry?.action === "limits.pinned" ? entry.details["limits"] : undefined) as Record<string, unknown> | undefined;
  const limits: PlanLimitsPatch = {};
  for (const name of limitNames) {
    const limit = given?.[name];
    if (limit === null || typeof limit === "number") limits[name] = limit;
  }
  return limits;
}

/** What differs between two sets of limits, of which each may leave some to the plan. */
export function limitChanges(before: PlanLimitsPatch, after: PlanLimitsPatch, plan: PlanLimits): Change[] {
  const text = (name: LimitName, limits: PlanLimitsPatch) => {
    const own = limits[name];
    return own === undefined ? operatorMessages.user.pinned.ofPlan(limitText(name, plan[name])) : limitText(name, own);
  };
  return limitNames
    .filter((name) => before[name] !== after[name])
    .map((name) => ({ label: words.names[name], before: text(name, before), after: text(name, after) }));
}
