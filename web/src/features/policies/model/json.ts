// The JSON of policies as text.
import { inlineJson, printJson } from "../../../lib/json";
import { JsonProblem, parseJson } from "../../../lib/json-source";

export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The object of a text; throws a JsonProblem with `otherwise` where it is another value. */
export function parseObject(text: string, otherwise: string): JsonObject {
  const value = parseJson(text) as Json;
  if (!isObject(value)) throw new JsonProblem(otherwise, 1);
  return value;
}

/** A rule as text: what is short stays on a line. */
export const printRule = (value: Json): string => printJson(value, { width: 72 });

/** Whether two values are the same JSON, in the same order of names. */
export const sameJson = (a: Json | undefined, b: Json | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && inlineJson(a) === inlineJson(b));
