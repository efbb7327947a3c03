// How a program calls the documents of a collection, in each language.
import { inlineJson, isObject, type Fields } from "../../lib/json";
import type { Example } from "./example";

export const languages = ["typescript", "curl", "graphql"] as const;
export type Language = (typeof languages)[number];
export const actions = ["list", "get", "create", "update", "remove"] as const;
export type Action = (typeof actions)[number];

const id = "some-id";
const limit = 20;

/** A request of the data plane. */
export interface Request {
  method: string;
  /** Below /api/v1. */
  path: string;
  body?: unknown;
}

/** The first plain field of an example, as a condition or as a change. */
function oneField({ document, plain }: Example): Fields {
  const [name] = plain;
  return name === undefined ? {} : { [name]: document[name] };
}

/** The request of an action. */
export function requestOf(action: Action, collection: string, example: Example): Request {
  const path = `/${encodeURIComponent(collection)}`;
  const field = oneField(example);
  const filter = example.plain.length > 0 ? `&filter=${encodeURIComponent(JSON.stringify(field))}` : "";
  return {
    list: { method: "GET", path: `${path}?limit=${limit}${filter}` },
    get: { method: "GET", path: `${path}/${id}` },
    create: { method: "POST", path, body: example.document },
    update: { method: "PATCH", path: `${path}/${id}`, body: { $set: field } },
    remove: { method: "DELETE", path: `${path}/${id}` },
  }[action];
}

/** The line of a program with the SDK. */
export function typescriptOf(action: Action, collection: string, example: Example): string {
  const at = `mb.collection(${JSON.stringify(collection)})`;
  const field = oneField(example);
  const filter = example.plain.length > 0 ? `filter: ${inlineJson(field)}, ` : "";
  return {
    list: `const documents = await ${at}.list({ ${filter}limit: ${limit} });`,
    get: `const document = await ${at}.get(${JSON.stringify(id)});`,
    create: `const document = await ${at}.create(${inlineJson(example.document)});`,
    update: `await ${at}.update(${JSON.stringify(id)}, { $set: ${inlineJson(field)} });`,
    remove: `await ${at}.delete(${JSON.stringify(id)});`,
  }[action];
}

const isGraphqlName = (name: string): boolean => /^(?!__)[A-Za-z_][0-9A-Za-z_]*$/.test(name);
const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** A value as GraphQL writes it, without the fields whose names GraphQL does not have. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (!isObject(value)) return inlineJson(value);
  const fields = Object.entries(value).filter(([name]) => isGraphqlName(name));
  return `{${fields.map(([name, one]) => `${name}: ${literal(one)}`).join(", ")}}`;
}

/** The operation of an action. Documents without a schema are one field of JSON. */
export function graphqlOf(action: Action, collection: string, example: Example, hasSchema: boolean): string {
  const name = collection.replaceAll("-", "_");
  const type = capitalized(name);
  const wrapped = (fields: Fields): string => literal(hasSchema ? fields : { data: fields });
  const selected = hasSchema ? ["id", ...example.plain.filter(isGraphqlName)] : ["id", "data"];
  const selection = `{ ${selected.join(" ")} }`;
  const field = oneField(example);
  const quoted = JSON.stringify(id);
  const filter = example.plain.some(isGraphqlName) ? `filter: ${wrapped(field)}, ` : "";
  const query = (text: string) => `query {\n  ${text}\n}`;
  const mutation = (text: string) => `mutation {\n  ${text}\n}`;
  return {
    list: query(`${name}(${filter}limit: ${limit}) ${selection}`),
    get: query(`${name}ById(id: ${quoted}) ${selection}`),
    create: mutation(`create${type}(input: ${wrapped(example.document)}) ${selection}`),
    update: mutation(`update${type}(id: ${quoted}, patch: ${wrapped(field)}) ${selection}`),
    remove: mutation(`delete${type}(id: ${quoted})`),
  }[action];
}
