// The catalogue of providers, by which forms are made: what each is configured with, its secrets, its operations.
import { isObject, type Fields } from "../../lib/json";
import { stringsOf } from "../../lib/schema-fields";

/** `headers` is an object of texts. */
export type Kind = "text" | "number" | "boolean" | "choice" | "headers" | "json";

/** A named value of the catalogue. */
export interface Field {
  name: string;
  kind: Kind;
  /** The types of JSON that it may have; none where it may have any. */
  types: string[];
  required: boolean;
  /** What the server says of it. */
  description?: string;
  /** Of a choice. */
  options: string[];
}

export interface Operation {
  name: string;
  args: Field[];
}

export interface Provider {
  provider: string;
  label: string;
  config: Field[];
  secrets: string[];
  ops: Operation[];
}

function typesOf(schema: Fields): string[] {
  const either = schema["anyOf"];
  const alternatives = Array.isArray(either) ? either.filter(isObject) : [];
  return [...new Set([schema, ...alternatives].flatMap((one) => stringsOf(one["type"])))];
}

function kindOf(schema: Fields, types: string[], options: string[]): Kind {
  if (options.length > 0) return "choice";
  if (types.length !== 1) return "json";
  const [type] = types;
  if (type === "string") return "text";
  if (type === "integer" || type === "number") return "number";
  if (type === "boolean") return "boolean";
  const values = schema["additionalProperties"];
  return type === "object" && isObject(values) && values["type"] === "string" ? "headers" : "json";
}

/** The fields of an object of schemas by name. */
export const fieldsOf = (schemas: unknown): Field[] =>
  Object.entries(isObject(schemas) ? schemas : {}).map(([name, value]) => {
    const schema = isObject(value) ? value : {};
    const types = typesOf(schema);
    const options = stringsOf(schema["enum"]);
    const { description } = schema;
    return {
      name,
      kind: kindOf(schema, types, options),
      types,
      required: schema["required"] === true,
      ...(typeof description === "string" ? { description } : {}),
      options,
    };
  });

interface Listed {
  provider: string;
  label: string;
  config: unknown;
  secrets: unknown;
  ops: readonly { name: string; args: unknown }[];
}

export const providerOf = ({ provider, label, config, secrets, ops }: Listed): Provider => ({
  provider,
  label,
  config: fieldsOf(config),
  secrets: stringsOf(secrets),
  ops: ops.map(({ name, args }) => ({ name, args: fieldsOf(args) })),
});

const empty: Record<string, unknown> = { string: "", integer: 0, number: 0, boolean: false, array: [], object: {} };

/** Arguments to begin with: what an operation requires, and of the others those for which there is an example. */
export function exampleArgs({ args }: Operation, examples: Readonly<Record<string, unknown>>): Fields {
  const shown = args.filter(({ name, required }) => required || Object.hasOwn(examples, name));
  const valueOf = ({ name, options, types }: Field) =>
    Object.hasOwn(examples, name) ? examples[name] : (options[0] ?? empty[types[0] ?? ""] ?? null);
  return Object.fromEntries(shown.map((field) => [field.name, valueOf(field)]));
}
