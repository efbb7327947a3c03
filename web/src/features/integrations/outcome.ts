// Calls by hand, and the stored tests that are made of them.
import { isError } from "manybase";
import { isObject, type Fields } from "../../lib/json";

export type Mode = "dry" | "live";

/** A call by hand, with what came of it. */
export interface Outcome {
  op: string;
  args: Fields;
  mode: Mode;
  /** The result that a dry call assumes. */
  stub?: unknown;
  result?: unknown;
  /** Why it failed. */
  error?: unknown;
}

/** What a test of a live call expects: of an HTTP response what does not change from call to call, else that it succeeds. */
function expectedOf(result: unknown): unknown {
  if (!isObject(result)) return result ?? null;
  const { status, body } = result;
  return typeof status === "number" ? { status, body: body ?? null } : {};
}

/** Whether the server has responded to the call, with a result or why there is none. */
export const isKnown = ({ error }: Outcome): boolean => error === undefined || (isError(error) && error.status > 0);

/** A name that none of `taken` has. */
function freeName(name: string, taken: readonly string[]): string {
  for (let nth = 1; ; nth++) {
    const one = nth === 1 ? name : `${name} ${nth}`;
    if (!taken.includes(one)) return one;
  }
}

/** A stored test that repeats a call, and expects the same of it. REQUIRES: isKnown(). */
export function testOfCall({ op, args, mode, stub, result, error }: Outcome, taken: readonly string[]): Fields {
  const test = { name: freeName(op, taken), op, args, ...(mode === "dry" ? { stub: stub ?? null } : {}) };
  if (isError(error)) return { ...test, expect: { error: error.code } };
  return { ...test, expect: { result: mode === "dry" ? (stub ?? null) : expectedOf(result) } };
}
