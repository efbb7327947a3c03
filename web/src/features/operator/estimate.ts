// What a use costs by the cost model: as the server computes it.
import type { CostModel, CostUnits, PlanLimits } from "manybase/control";
import { roundMoney } from "../../lib/money";

/** The use of a project in a month. */
export interface Use {
  gib: number;
  runs: number;
  vectors: number;
  /** Realtime connections, on average. */
  connections: number;
}

const hoursOfMonth = 730;
const gibibyte = 2 ** 30;

export const unitNames = ["storageGiBMonth", "millionFunctionRuns", "millionVectorsMonth", "thousandConnectionHours"] as const;

export const unitsOf = ({ gib, runs, vectors, connections }: Use): CostUnits => ({
  storageGiBMonth: gib,
  millionFunctionRuns: runs / 1e6,
  millionVectorsMonth: vectors / 1e6,
  thousandConnectionHours: (connections * hoursOfMonth) / 1e3,
});

/** The cost of units, and the price with the margin. */
export function moneyOf(units: CostUnits, { unitCosts, margin }: CostModel): { cost: number; price: number } {
  const cost = unitNames.reduce((sum, name) => sum + units[name] * unitCosts[name], 0);
  return { cost: roundMoney(cost), price: roundMoney(cost * (1 + margin)) };
}

/** The use of one project at the limits of a plan; undefined where one of them is unlimited. */
export function usageAtLimits({ storageBytes, functionRunsPerMonth, vectors, realtimeConnections }: PlanLimits): Use | undefined {
  if (storageBytes === null || functionRunsPerMonth === null || vectors === null || realtimeConnections === null) return undefined;
  return { gib: storageBytes / gibibyte, runs: functionRunsPerMonth, vectors, connections: realtimeConnections };
}

/** Whether a use is above what a plan allows one project. */
export function exceeds({ gib, runs, vectors, connections }: Use, limits: PlanLimits): boolean {
  const above = (used: number, limit: number | null) => limit !== null && used > limit;
  return (
    above(gib * gibibyte, limits.storageBytes) ||
    above(runs, limits.functionRunsPerMonth) ||
    above(vectors, limits.vectors) ||
    above(connections, limits.realtimeConnections)
  );
}
