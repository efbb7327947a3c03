// What edits a value in its cell, and how its text is read back.
import type { Option } from "../../components/ui/select-field";
import { exactJson, type Fields } from "../../lib/json";
import { stringsOf } from "../../lib/schema-fields";
import { fieldValue, serverFields } from "./values";

/** `moment` is a date with a time, which is shown in the browser's time zone. */
export type Control = { kind: "text" | "number" | "date" | "moment" } | { kind: "choice"; options: readonly Option[] };

/** Longer texts are edited in the panel. */
const maxLength = 10_000;

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null;

function choiceOf(value: unknown, allowed: readonly unknown[]): Control {
  const options = new Map<string, string>(value === undefined ? [["", ""]] : []);
  for (const one of value === undefined ? allowed : [value, ...allowed]) {
    const json = exactJson.stringify(one)!;
    options.set(json, typeof one === "string" ? one : json);
  }
  return { kind: "choice", options: [...options].map(([json, label]) => ({ value: json, label })) };
}

/** The control of a text; undefined where a control would change parts of it that were not touched. */
function textControl(text: string, rules: Fields): Control | undefined {
  const isMoment = rules["format"] === "date-time" || rules["x-bson"] === "date";
  // Other forms of dates and times stay texts.
  if (isMoment && (text === "" || (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/.test(text) && localText(text)))) return { kind: "moment" };
  if (rules["format"] === "date" && (text === "" || (/^\d{4}-\d\d-\d\d$/.test(text) && text >= "0001"))) return { kind: "date" };
  // A field of several lines knows one kind of line break.
  return text.length > maxLength || text.includes("\r") ? undefined : { kind: "text" };
}

/** What edits a value of a field by its rules; undefined for objects, lists, and what the server sets. */
export function controlOf(value: unknown, name: string, rules: Fields): Control | undefined {
  if (serverFields.has(name) || !isScalar(value)) return undefined;
  const allowed = rules["enum"];
  if (Array.isArray(allowed) && allowed.length > 0 && allowed.every(isScalar)) return choiceOf(value, allowed);
  const types = stringsOf(rules["type"]).filter((type) => type !== "null");
  const isEmpty = value === undefined || value === null;
  const type = isEmpty ? (types.length === 1 ? types[0] : undefined) : typeof value;
  if (type === "boolean") return choiceOf(value, [true, false]);
  if (type === "number" || type === "integer" || type === "bigint") return { kind: "number" };
  return type === "string" ? textControl(isEmpty ? "" : (value as string), rules) : undefined;
}

/** A moment as a control of the browser holds it, in the browser's time zone; empty for what is not a moment, or before the year 1. */
export function localText(moment: string): string {
  const at = new Date(moment);
  if (Number.isNaN(at.getTime()) || at.getFullYear() < 1 || at.getFullYear() > 9999) return "";
  const digits = (n: number, length = 2) => String(n).padStart(length, "0");
  const day = [digits(at.getFullYear(), 4), digits(at.getMonth() + 1), digits(at.getDate())].join("-");
  const [seconds, ms] = [at.getSeconds(), at.getMilliseconds()];
  const rest = ms ? `:${digits(seconds)}.${digits(ms, 3)}` : seconds ? `:${digits(seconds)}` : "";
  return `${day}T${digits(at.getHours())}:${digits(at.getMinutes())}${rest}`;
}

/** The text of a value in its control. */
export function controlText(value: unknown, { kind }: Control): string {
  if (kind === "choice") return value === undefined ? "" : exactJson.stringify(value)!;
  if (value === undefined || value === null) return "";
  return kind === "moment" ? localText(String(value)) : String(value);
}

/** The value of a control's text: undefined where nothing is there. Throws a SyntaxError or RangeError where it is not a value. */
export function controlValue(text: string, { kind }: Control): unknown {
  if (kind === "text") return text;
  if (kind === "number") return fieldValue(text, "number");
  if (text === "") return undefined;
  if (kind === "choice") return exactJson.parse(text);
  return kind === "moment" ? new Date(text).toISOString() : text;
}
