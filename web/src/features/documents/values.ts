// How values of documents are shown in a cell and in a field, and read back.
import { exactJson, isObject, printJson, sameJson, type Fields } from "../../lib/json";
import { documentMessages } from "../../messages/documents";

const words = documentMessages.panel;

export type Kind = "text" | "number" | "boolean" | "json";

/** More of a value is not shown in a cell. */
export const maxCellLength = 256;

export interface Cell {
  kind: Kind | "null" | "missing";
  text: string;
}

const cut = (text: string): string => (text.length > maxCellLength ? `${text.slice(0, maxCellLength)}…` : text);

/** The text of a cell, exact but for its length. */
export function cellOf(value: unknown): Cell {
  if (value === undefined) return { kind: "missing", text: "" };
  if (value === null) return { kind: "null", text: "null" };
  if (typeof value === "string") return { kind: "text", text: cut(value) };
  if (typeof value === "number" || typeof value === "bigint") return { kind: "number", text: String(value) };
  if (typeof value === "boolean") return { kind: "boolean", text: String(value) };
  return { kind: "json", text: cut(exactJson.stringify(value)!) };
}

/** Fields that the server sets. */
export const serverFields: ReadonlySet<string> = new Set(["id", "createdAt", "updatedAt"]);

export type Schema = Fields | null | undefined;

/** The rules of a top-level field. */
export function rulesOf(schema: Schema, name: string): Fields {
  const properties = schema?.["properties"];
  const rules = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isObject(rules) ? rules : {};
}

/** The collection that a field refers to. */
export function referenceOf(schema: Schema, name: string): string | undefined {
  const reference = rulesOf(schema, name)["x-ref"];
  if (typeof reference === "string") return reference;
  return isObject(reference) && typeof reference["collection"] === "string" ? reference["collection"] : undefined;
}

/** The fields of documents: those of the schema first, then the others as they are met. */
export function fieldsOf(schema: Schema, documents: readonly Fields[]): string[] {
  const properties = schema?.["properties"];
  const names = new Set(isObject(properties) ? Object.keys(properties) : []);
  for (const document of documents) for (const name of Object.keys(document)) names.add(name);
  const own = [...names].filter((name) => !serverFields.has(name));
  return ["id", ...own, "createdAt", "updatedAt"];
}

/** The kind of control that a field has. */
export function kindOf(value: unknown, rules: Fields): Kind {
  if (typeof value === "string") return "text";
  if (typeof value === "number" || typeof value === "bigint") return "number";
  if (typeof value === "boolean") return "boolean";
  if (value !== undefined && value !== null) return "json";
  const { type, enum: allowed } = rules;
  const isChoice = type === undefined && Array.isArray(allowed) && allowed.length > 0 && allowed.every((one) => typeof one === "string");
  if (type === "string" || isChoice) return "text";
  if (type === "number" || type === "integer") return "number";
  return type === "boolean" ? "boolean" : "json";
}

/** The text of a field; a missing value and null have none. */
export function fieldText(value: unknown, kind: Kind): string {
  if (value === undefined || value === null) return "";
  return kind === "json" ? printJson(value) : String(value);
}

/**
 * The value of a field's text: undefined where nothing is there. Throws a SyntaxError where it does not fit the kind, and a
 * RangeError for a number that would not be stored as it was typed.
 */
export function fieldValue(text: string, kind: Kind): unknown {
  if (kind === "text") return text;
  if (text.trim() === "") return undefined;
  const value: unknown = exactJson.parse(text);
  if (kind !== "number") return value;
  if (typeof value !== "number" && typeof value !== "bigint") throw new SyntaxError(text);
  const isWhole = /^\s*-?\d+\s*$/.test(text);
  if (typeof value === "number" && (!Number.isFinite(value) || (isWhole && BigInt(value) !== BigInt(text)))) throw new RangeError(text);
  return value;
}

/** Where text of a form does not fit: the sentence for it. */
export const misfit = (error: unknown, kind: Kind): string =>
  error instanceof RangeError ? words.notExact : kind === "number" ? words.notNumber : words.notJson;

/** A field of a document; undefined where it has none. Names such as `constructor` are fields like others. */
export const own = (document: Fields, name: string): unknown => (Object.hasOwn(document, name) ? document[name] : undefined);

export interface Patch {
  $set?: Fields;
  $unset?: Fields;
}

/** What turns one document into another; undefined where they are the same. */
export function patchOf(before: Fields, after: Fields): Patch | undefined {
  const set = Object.entries(after).filter(([name, value]) => !Object.hasOwn(before, name) || !sameJson(before[name], value));
  const unset = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  if (set.length === 0 && unset.length === 0) return undefined;
  return {
    ...(set.length ? { $set: Object.fromEntries(set) } : {}),
    ...(unset.length ? { $unset: Object.fromEntries(unset.map((name) => [name, true])) } : {}),
  };
}

/** A document without what the server sets. */
export const ownFields = (document: Fields): Fields =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !serverFields.has(name)));
