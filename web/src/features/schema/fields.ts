// Changes of a schema's fields that leave the rest of the schema as it is.
import { isObject, sameJson } from "../../lib/json";
import { stringsOf, type Json } from "../../lib/schema-fields";

/** The kinds of fields that a form can make; "other" keeps what the schema says. */
export const kinds = ["text", "integer", "number", "boolean", "date", "reference", "list", "object", "any", "other"] as const;
export type Kind = (typeof kinds)[number];

const schemaOf: Record<Exclude<Kind, "other">, Json> = {
  text: { type: "string" },
  integer: { type: "integer" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  date: { type: "string", "x-bson": "date" },
  reference: { type: "string" },
  list: { type: "array", items: { type: "string" } },
  object: { type: "object" },
  any: {},
};

/** What the form shows of a field. */
export interface FieldDraft {
  name: string;
  kind: Kind;
  required: boolean;
  /** Of a reference: the collection. */
  collection: string;
  /** Of a text: the only ones that are allowed, or none. */
  allowed: string[];
  description: string;
}

function kindOf(one: Json): Kind {
  const type = one["type"];
  if (type === undefined) return "x-bson" in one || "x-ref" in one ? "other" : "any";
  if (type === "string") {
    if (one["x-bson"] === "date") return "date";
    if ("x-bson" in one) return "other";
    if (!("x-ref" in one)) return "text";
    return typeof one["x-ref"] === "string" ? "reference" : "other";
  }
  if (type === "array") return sameJson(one["items"], { type: "string" }) ? "list" : "other";
  return type === "integer" || type === "number" || type === "boolean" || type === "object" ? type : "other";
}

const propertiesOf = (schema: Json): Json => (isObject(schema["properties"]) ? schema["properties"] : {});

/** A field of the first level as the form shows it; undefined where the form cannot show it, such as `true`. */
export function draftOf(schema: Json, name: string): FieldDraft | undefined {
  const one = Object.hasOwn(propertiesOf(schema), name) ? propertiesOf(schema)[name] : undefined;
  if (!isObject(one)) return undefined;
  const kind = kindOf(one);
  const { enum: allowed, description } = one;
  const onlyTexts = Array.isArray(allowed) && allowed.every((each) => typeof each === "string");
  return {
    name,
    kind: kind === "text" && allowed !== undefined && !onlyTexts ? "other" : kind,
    required: stringsOf(schema["required"]).includes(name),
    collection: kind === "reference" ? String(one["x-ref"]) : "",
    allowed: onlyTexts ? (allowed as string[]) : [],
    description: typeof description === "string" ? description : "",
  };
}

function written(draft: FieldDraft, before: Json | undefined, was: Kind | undefined): Json {
  const { type: _, enum: __, description: ___, ...rest } = before ?? {};
  const kept: Json = draft.kind === "other" ? { ...before } : draft.kind === was ? { ...schemaOf[draft.kind], ...rest } : { ...schemaOf[draft.kind] };
  if (draft.kind === "reference") kept["x-ref"] = draft.collection;
  if (draft.kind === "text" && draft.allowed.length) kept["enum"] = draft.allowed;
  // Lists of other kinds' values are not shown by the form.
  if (draft.kind !== "text" && draft.kind === was && before && "enum" in before) kept["enum"] = before["enum"];
  delete kept["description"];
  if (draft.description) kept["description"] = draft.description;
  return kept;
}

function withRequired(schema: Json, name: string, required: boolean, replaced: string): Json {
  const names = stringsOf(schema["required"]).filter((one) => one !== replaced && one !== name);
  if (required) names.push(name);
  const { required: _, ...rest } = schema;
  return names.length ? { ...rest, required: names } : rest;
}

/** The schema with a field as the form says, in place of the field `replaced` or at the end. */
export function withField(schema: Json, draft: FieldDraft, replaced?: string): Json {
  const properties = Object.entries(propertiesOf(schema));
  const at = properties.findIndex(([name]) => name === replaced);
  const before = at < 0 ? undefined : properties[at]![1];
  const was = replaced === undefined ? undefined : draftOf(schema, replaced)?.kind;
  properties.splice(at < 0 ? properties.length : at, at < 0 ? 0 : 1, [
    draft.name,
    written(draft, isObject(before) ? before : undefined, was),
  ]);
  const next = { ...schema, type: schema["type"] ?? "object", properties: Object.fromEntries(properties) };
  return withRequired(next, draft.name, draft.required, replaced ?? draft.name);
}

/** The schema without a field of the first level. */
export function withoutField(schema: Json, name: string): Json {
  const properties = Object.entries(propertiesOf(schema)).filter(([one]) => one !== name);
  return withRequired({ ...schema, properties: Object.fromEntries(properties) }, name, false, name);
}

/** Whether the schema has a field of this name at the first level. */
export const hasField = (schema: Json, name: string): boolean => Object.hasOwn(propertiesOf(schema), name);
