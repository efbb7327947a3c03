// Filters as rows of a form: each row must hold, a row holds with one of its conditions. Other filters are for the JSON alone.
import { isObject, type Json, type JsonObject } from "./json";

export const operators = ["is", "isNot", "in", "notIn", "gt", "gte", "lt", "lte", "exists", "missing"] as const;
export type Operator = (typeof operators)[number];

/** What a field is compared with. `auth` is a value of the caller: `uid`, `role`, `token.<claim>` or `sets.<name>`. */
export type Operand =
  | { kind: "text"; text: string }
  | { kind: "number"; text: string }
  | { kind: "boolean"; value: boolean }
  | { kind: "null" }
  | { kind: "auth"; name: string }
  | { kind: "texts"; texts: string[] }
  | { kind: "numbers"; texts: string[] };

export interface Condition {
  path: string;
  operator: Operator;
  operand: Operand;
}
export type Rows = Condition[][];

const words: Record<string, Operator> = {
  $eq: "is",
  $ne: "isNot",
  $in: "in",
  $nin: "notIn",
  $gt: "gt",
  $gte: "gte",
  $lt: "lt",
  $lte: "lte",
};
const keys = Object.fromEntries(Object.entries(words).map(([key, word]) => [word, key])) as Partial<Record<Operator, string>>;

export const takesList = (operator: Operator): boolean => operator === "in" || operator === "notIn";
export const takesNothing = (operator: Operator): boolean => operator === "exists" || operator === "missing";

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
export const isNumber = (text: string): boolean => number.test(text.trim());
const isNumeric = (value: Json): value is number | bigint => typeof value === "number" || typeof value === "bigint";

/** A number as JSON has it; the text itself where it is none. */
function numberOf(text: string): Json {
  const trimmed = text.trim();
  if (!isNumber(trimmed)) return text;
  const value = Number(trimmed);
  return /^-?\d+$/.test(trimmed) && !Number.isSafeInteger(value) ? BigInt(trimmed) : value;
}

function operandOf(value: Json, list: boolean): Operand | undefined {
  if (typeof value === "string" && value.startsWith("$auth.")) return { kind: "auth", name: value.slice(6) };
  if (list) {
    if (!Array.isArray(value) || value.length === 0) return undefined;
    if (value.every((one) => typeof one === "string" && !one.startsWith("$"))) {
      return { kind: "texts", texts: value as string[] };
    }
    return value.every(isNumeric) ? { kind: "numbers", texts: value.map(String) } : undefined;
  }
  if (typeof value === "string") return value.startsWith("$") ? undefined : { kind: "text", text: value };
  if (isNumeric(value)) return { kind: "number", text: String(value) };
  if (typeof value === "boolean") return { kind: "boolean", value };
  return value === null ? { kind: "null" } : undefined;
}

function conditionsAt(path: string, value: Json): Condition[] | undefined {
  const members: [string, Json][] = isObject(value) ? Object.entries(value) : [["$eq", value]];
  if (members.length === 0) return undefined;
  const found: Condition[] = [];
  for (const [key, one] of members) {
    if (key === "$exists") {
      if (typeof one !== "boolean") return undefined;
      found.push({ path, operator: one ? "exists" : "missing", operand: { kind: "null" } });
      continue;
    }
    const operator = Object.hasOwn(words, key) ? words[key] : undefined;
    const operand = operator && operandOf(one, takesList(operator));
    if (!operator || !operand) return undefined;
    found.push({ path, operator, operand });
  }
  return found;
}

/** The rows of a filter; undefined where a form cannot show it. */
export function parseFilter(filter: JsonObject): Rows | undefined {
  const rows: Rows = [];
  for (const [key, value] of Object.entries(filter)) {
    if (key === "$and" || key === "$or") {
      if (!Array.isArray(value) || value.length === 0) return undefined;
      const parts = value.map((one) => (isObject(one) ? parseFilter(one) : undefined));
      if (parts.some((one) => one === undefined)) return undefined;
      const found = parts as Rows[];
      if (key === "$and") rows.push(...found.flat());
      // An alternative of several conditions that must all hold is no row.
      else if (found.every((one) => one.length === 1)) rows.push(found.flatMap((one) => one[0]!));
      else return undefined;
      continue;
    }
    const conditions = key.startsWith("$") ? undefined : conditionsAt(key, value);
    if (!conditions) return undefined;
    rows.push(...conditions.map((one) => [one]));
  }
  return rows;
}

function valueOf(operand: Operand): Json {
  switch (operand.kind) {
    case "text":
      return operand.text;
    case "number":
      return numberOf(operand.text);
    case "boolean":
      return operand.value;
    case "null":
      return null;
    case "auth":
      return `$auth.${operand.name}`;
    case "texts":
      return operand.texts;
    case "numbers":
      return operand.texts.map(numberOf);
  }
}

function conditionFilter({ path, operator, operand }: Condition): JsonObject {
  if (takesNothing(operator)) return Object.fromEntries([[path, { $exists: operator === "exists" }]]);
  const value = valueOf(operand);
  return Object.fromEntries([[path, operator === "is" ? value : { [keys[operator]!]: value }]]);
}

/** The filter of rows, in its shortest form. */
export function printFilter(rows: Rows): JsonObject {
  const parts = rows
    .filter((row) => row.length > 0)
    .map((row): JsonObject => (row.length === 1 ? conditionFilter(row[0]!) : { $or: row.map(conditionFilter) }));
  const names = parts.flatMap(Object.keys);
  if (new Set(names).size === names.length) return Object.fromEntries(parts.flatMap(Object.entries));
  return { $and: parts };
}

/** A condition of the common kinds. */
export const ownerCondition = (path = "ownerId"): Condition => ({
  path,
  operator: "is",
  operand: { kind: "auth", name: "uid" },
});
export const setCondition = (path: string, set: string): Condition => ({
  path,
  operator: "in",
  operand: { kind: "auth", name: `sets.${set}` },
});
export const emptyCondition: Condition = { path: "", operator: "is", operand: { kind: "text", text: "" } };

/** The operand that fits an operator, keeping what was typed where it can. */
export function operandFor(operator: Operator, before: Operand): Operand {
  if (takesNothing(operator)) return { kind: "null" };
  const text = "text" in before ? before.text : "texts" in before ? (before.texts[0] ?? "") : "";
  if (takesList(operator)) {
    if (before.kind === "auth" || before.kind === "texts" || before.kind === "numbers") return before;
    return { kind: before.kind === "number" ? "numbers" : "texts", texts: [text] };
  }
  if (before.kind === "texts") return { kind: "text", text };
  if (before.kind === "numbers") return { kind: "number", text };
  if (before.kind === "auth" && before.name.startsWith("sets.")) return { kind: "auth", name: "uid" };
  return before;
}
