// How far a backfill is, from the responses of its calls.
import type { Backfill } from "manybase/admin";

export interface BackfillState {
  /** `stopping`: a call that has begun is awaited. `stuck`: the last call gave no document an id. */
  phase: "new" | "running" | "stopping" | "paused" | "stuck" | "done";
  /** How many documents got an id since this began. */
  modified: number;
  /** How many are without one still; undefined until a call has ended. */
  remaining?: number;
  problem?: unknown;
}

export const begun: BackfillState = { phase: "new", modified: 0 };

/** The state after a call. */
export function advanced(before: BackfillState, { modified, remaining }: Backfill): BackfillState {
  const phase = remaining === 0 ? "done" : modified === 0 ? "stuck" : before.phase;
  return { phase, modified: before.modified + modified, remaining };
}

/** How much of the documents that were without an id has one, for a bar: what is done, and of how many. */
export const progressOf = ({ modified, remaining }: BackfillState): { value: number; max: number } =>
  remaining === undefined ? { value: 0, max: 1 } : { value: remaining === 0 ? 1 : modified, max: remaining === 0 ? 1 : modified + remaining };
