// What the inspector has received: the last changes, and notes of the server between them.
import type { Change } from "manybase";
import type { Fields } from "../../lib/json";

/** So many lines are kept. */
export const maxLines = 200;

/** `gap`: changes may be missing before it. `reset`: what follows is evaluated for another caller. */
export type Received = { change: Change<Fields> } | { note: "gap" | "reset" };

export type Line = Received & {
  /** From 1 on, in the order in which they came. */
  number: number;
  /** When it came, in milliseconds. */
  at: number;
};

export interface Log {
  /** Newest first. */
  lines: readonly Line[];
  /** So many older ones are not kept. */
  dropped: number;
  /** The number of the last line. */
  last: number;
}

export const emptyLog: Log = { lines: [], dropped: 0, last: 0 };

/** A log with what has come since, in its order. */
export function added({ lines, dropped, last }: Log, batch: readonly (Received & { at: number })[]): Log {
  const numbered = batch.map((one, at): Line => ({ ...one, number: last + at + 1 }));
  const all = [...numbered.reverse(), ...lines];
  return { lines: all.slice(0, maxLines), dropped: dropped + Math.max(0, all.length - maxLines), last: last + batch.length };
}
