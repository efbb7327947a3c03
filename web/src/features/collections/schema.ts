// The schema of one sample document.
import { isObject, type Fields } from "../../lib/json";

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function rulesOf(value: unknown): Fields {
  // Null says nothing about what else the field holds.
  if (value === null) return {};
  if (isObject(value)) return inferSchema(value);
  const type = typeOf(value);
  const items = Array.isArray(value) ? value.map(rulesOf) : [];
  const same = items.length > 0 && items.every((one) => one["type"] === items[0]!["type"]);
  return { type, ...(same && items[0]!["type"] !== "object" ? { items: items[0] } : {}) };
}

/** A schema that the document fits: the types of its fields, none of which is required. */
export const inferSchema = (document: Fields): Fields => ({
  type: "object",
  properties: Object.fromEntries(Object.entries(document).map(([name, value]) => [name, rulesOf(value)])),
});
