/** The limits of a plan, and the member of the usage that each is about. */
const limits = [
  ["storageBytes", "storageBytes"],
  ["functionRunsPerMonth", "functionRuns"],
  ["vectors", "vectors"],
  ["realtimeConnections", "realtimeConnections"],
  ["environmentsPerProject", "environments"],
  ["maxProjects", "projects"],
] as const;

export type LimitName = (typeof limits)[number][0];
type Figures = Readonly<Record<string, unknown>> | null;

export const limitNames: readonly LimitName[] = limits.map(([name]) => name);

export interface Allowance {
  name: LimitName;
  used: number;
  /** Null is unlimited. */
  limit: number | null;
  state: "free" | "near" | "reached";
}

const near = 0.8;

/** What is used of each limit; what either lacks is left out. */
export function allowancesOf(allowed: Figures, usage: Figures): Allowance[] {
  return limits.flatMap(([name, member]) => {
    const used = usage?.[member];
    const limit = allowed?.[name];
    if (typeof used !== "number" || (typeof limit !== "number" && limit !== null)) return [];
    const state = limit === null || used < near * limit ? "free" : used < limit ? "near" : "reached";
    return [{ name, used, limit, state }];
  });
}
