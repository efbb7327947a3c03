// A schema out of documents: what all of them have in common.
import { isObject } from "../../lib/json";
import type { Json } from "../../lib/schema-fields";

/** Fields that the server keeps itself, which no schema needs to describe. */
const ofServer = new Set(["id", "createdAt", "updatedAt", "ownerId"]);
const maxFields = 200;
const maxDepth = 6;

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function describe(values: readonly unknown[], depth: number): Json {
  const types = new Set(values.map(typeOf));
  // A number takes integers too.
  if (types.has("number")) types.delete("integer");
  const names = [...types].sort();
  // Of a field that was null until now, nothing is known.
  if (names.length === 1 && names[0] === "null") return {};
  const schema: Json = names.length ? { type: names.length === 1 ? names[0] : names } : {};
  if (depth >= maxDepth) return schema;
  if (types.has("object")) Object.assign(schema, members(values.filter(isObject), depth));
  const items = values.filter(Array.isArray).flat();
  if (items.length) schema["items"] = describe(items, depth + 1);
  return schema;
}

function members(objects: readonly Json[], depth: number): Json {
  const values = new Map<string, unknown[]>();
  for (const object of objects) {
    for (const [name, value] of Object.entries(object)) {
      if (depth === 0 && ofServer.has(name)) continue;
      const list = values.get(name);
      if (list) list.push(value);
      else if (values.size < maxFields) values.set(name, [value]);
    }
  }
  const required = [...values].filter(([, list]) => list.length === objects.length).map(([name]) => name);
  return {
    properties: Object.fromEntries([...values].map(([name, list]) => [name, describe(list, depth + 1)])),
    ...(required.length ? { required } : {}),
  };
}

/** A schema that all these documents fit. */
export const inferSchema = (documents: readonly Json[]): Json => ({ type: "object", ...members(documents, 0) });
