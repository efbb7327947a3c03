// JSON as documents are read and written: integers of 64 bits stay exact where the browser can keep them.
import { exactNumbers, isError, type JsonCodec } from "manybase";

function codec(): JsonCodec {
  try {
    return exactNumbers();
  } catch (error) {
    // An older browser rounds integers beyond 2^53. What is not changed is not sent, and so stays as it is stored.
    if (isError(error, "NO_EXACT_NUMBERS")) return JSON;
    throw error;
  }
}

export type Fields = Record<string, unknown>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** How all clients of the dashboard read and write JSON. */
export const exactJson: JsonCodec = codec();

const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Marks that turn the direction of a text are written as escapes, so that they show. */
const shown = (json: string): string =>
  json.replace(turning, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);

function lineOf(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(lineOf).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${lineOf(one)}`).join(", ")}}`;
}

/** JSON on one line. */
export const inlineJson = (value: unknown): string => shown(lineOf(value));

interface PrintOptions {
  /** What fits into a line of so many characters is not broken: lists, and objects unless `lists` is set. */
  width?: number;
  lists?: boolean;
}

/** JSON over several lines: one for each value, but for what fits into `width`. */
export function printJson(value: unknown, { width = 0, lists = false }: PrintOptions = {}): string {
  const print = (part: unknown, indent: string): string => {
    const isList = Array.isArray(part);
    if (!isList && !isObject(part)) return lineOf(part);
    const inner = `${indent}  `;
    const lines = isList
      ? part.map((one) => print(one, inner))
      : Object.entries(part).map(([key, one]) => `${JSON.stringify(key)}: ${print(one, inner)}`);
    const [open, close] = isList ? "[]" : "{}";
    const flat = `${open}${lines.join(", ")}${close}`;
    const fits = !flat.includes("\n") && indent.length + flat.length <= width && (isList || !lists);
    return fits || lines.length === 0 ? flat : `${open}\n${lines.map((line) => inner + line).join(",\n")}\n${indent}${close}`;
  };
  return shown(print(value, ""));
}

/** Whether two values are the same JSON, but for the order of members of objects. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson((a as Fields)[key], (b as Fields)[key]));
}
