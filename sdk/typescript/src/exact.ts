import { ManybaseError } from "./errors.js";
import type { JsonCodec } from "./http.js";

/** A `JsonCodec` that keeps integers of 64 bits exact. Made by `exactNumbers()`. */
export interface ExactNumbers extends JsonCodec {
  /** True for this codec alone. */
  readonly exact: true;
}

type Context = { source?: string } | undefined;
type RawJson = (text: string) => unknown;

/** Shorter integers are exact as numbers, so that most texts need no reviver. */
const longNumber = /\d{16}/;

function revive(_: string, value: unknown, context?: Context): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value) || !/^-?\d+$/.test(context!.source!)) return value;
  const exact = BigInt(context!.source!);
  // The server keeps what is beyond 64 bits as a double, and such is this number.
  return BigInt.asIntN(64, exact) === exact ? exact : value;
}

/**
 * Integers beyond ±(2^53 − 1), which a number would round, are read as `bigint`, and each `bigint` is written as a JSON
 * number: `createClient({ url, project, json: exactNumbers() })`, and the same for `createAdmin` and `createControl`. All
 * other numbers stay numbers. Throws `NO_EXACT_NUMBERS` where the platform's JSON cannot do it, such as Node.js 20.
 */
export function exactNumbers(): ExactNumbers {
  const rawJson = (JSON as { rawJSON?: RawJson }).rawJSON;
  let source: string | undefined;
  JSON.parse("0", (_: string, value: unknown, context?: Context) => ((source = context?.source), value));
  if (!rawJson || source !== "0") {
    throw new ManybaseError(0, "NO_EXACT_NUMBERS", "the JSON of this platform rounds integers beyond 2^53");
  }
  function write(this: any, key: string, value: unknown): unknown {
    // A `toJSON` of bigints, which some programs define, has been applied to `value`.
    const given: unknown = this[key];
    if (typeof given !== "bigint") return value;
    if (BigInt.asIntN(64, given) === given) return rawJson!(String(given));
    throw new ManybaseError(0, "INVALID_PARAM", `${key}: ${given} is beyond 64 bits`);
  }
  return {
    exact: true,
    parse: (text) => JSON.parse(text, longNumber.test(text) ? revive : undefined),
    stringify: (value) => JSON.stringify(value, write),
  };
}
