// The fields that a schema describes.
import { isObject, type Fields } from "./json";

/** A JSON object that may hold `bigint`. */
export type Json = Fields;

export interface Reference {
  collection: string;
  check?: string;
  onDelete?: string;
}

export interface FieldRow {
  /** The names from the top, with "[]" for the items of a list. */
  path: string;
  name: string;
  depth: number;
  types: string[];
  required: boolean;
  reference?: Reference;
  /** The other keywords, as `keyword: value`. */
  rules: string[];
}

const maxRows = 500;
const known = new Set(["type", "properties", "required", "items", "title", "description", "x-ref", "x-bson"]);

/** The texts of a list, or the one that stands for a list. */
export const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : typeof value === "string" ? [value] : [];

function referenceOf(value: unknown): Reference | undefined {
  if (typeof value === "string") return { collection: value };
  if (!isObject(value) || typeof value["collection"] !== "string") return undefined;
  const { check, onDelete } = value;
  return {
    collection: value["collection"],
    ...(typeof check === "string" ? { check } : {}),
    ...(typeof onDelete === "string" ? { onDelete } : {}),
  };
}

function ruleOf(keyword: string, value: unknown): string {
  if (isObject(value)) return keyword;
  const text = Array.isArray(value)
    ? value.some((one) => typeof one === "object" && one !== null) ? "" : value.map(String).join(", ")
    : String(value);
  return text ? `${keyword}: ${text}` : keyword;
}

function typesOf(schema: Json): string[] {
  const types = stringsOf(schema["type"]);
  const form = schema["x-bson"];
  return typeof form === "string" ? [form, ...types.filter((one) => one === "null")] : types;
}

/** The fields of a schema with those inside of them, in their order; at most 500. */
export function fieldsOf(schema: unknown): FieldRow[] {
  const rows: FieldRow[] = [];
  const visit = (parent: Json, prefix: string, depth: number): void => {
    const required = new Set(stringsOf(parent["required"]));
    const { properties } = parent;
    if (!isObject(properties)) return;
    for (const [name, value] of Object.entries(properties)) {
      if (rows.length >= maxRows) return;
      const path = prefix + name;
      const one = isObject(value) ? value : {};
      const items = isObject(one["items"]) ? one["items"] : undefined;
      const inner = items ? typesOf(items) : [];
      const reference = referenceOf(one["x-ref"]) ?? (items && referenceOf(items["x-ref"]));
      rows.push({
        path,
        name,
        depth,
        types: typesOf(one).map((type) => (type === "array" && inner.length ? `array of ${inner.join(" or ")}` : type)),
        required: required.has(name),
        ...(reference ? { reference } : {}),
        rules: Object.entries(one).filter(([keyword]) => !known.has(keyword)).map(([keyword, rule]) => ruleOf(keyword, rule)),
      });
      visit(one, `${path}.`, depth + 1);
      if (items) visit(items, `${path}[].`, depth + 1);
    }
  };
  if (isObject(schema)) visit(schema, "", 0);
  return rows;
}

/** The paths of a schema's fields as filters and indexes name them: those inside of lists without a mark of the list. */
export const pathsOf = (schema: unknown): string[] => [...new Set(fieldsOf(schema).map(({ path }) => path.replaceAll("[]", "")))];
