// An example document of a collection, by its schema.
import { isObject, type Fields } from "../../lib/json";
import { stringsOf } from "../../lib/schema-fields";

const maxFields = 4;
const withoutSchema: Fields = { title: "Fjords", stars: 4 };
const ofServer = new Set(["id", "createdAt", "updatedAt", "ownerId"]);
const formats: Record<string, string> = {
  "date-time": "2026-01-10T12:00:00.000Z",
  date: "2026-01-10",
  email: "ada@example.com",
  uri: "https://www.example.com/",
};

const typeOf = (rules: Fields): string | undefined => stringsOf(rules["type"]).find((type) => type !== "null");

/** Whether values of it have no fields or items of their own. */
const isPlain = (rules: Fields): boolean => rules["x-ref"] === undefined && !["object", "array"].includes(typeOf(rules) ?? "object");

function valueOf(rules: Fields): unknown {
  if (rules["default"] !== undefined) return rules["default"];
  const [choice] = Array.isArray(rules["enum"]) ? (rules["enum"] as unknown[]) : [];
  if (choice !== undefined) return choice;
  const least = typeof rules["minimum"] === "number" ? rules["minimum"] : 1;
  switch (typeOf(rules)) {
    case "integer":
    case "number":
      return least;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return formats[String(rules["x-bson"] === "date" ? "date-time" : rules["format"])] ?? "text";
  }
}

export interface Example {
  /** A new document: what the schema requires, then other fields. */
  document: Fields;
  /** The names of its plain fields, of which there may be none. */
  plain: string[];
}

/** An example of the documents of a collection; null is no schema. */
export function exampleOf(schema: Fields | null): Example {
  const properties = schema?.["properties"];
  if (!isObject(properties)) return { document: withoutSchema, plain: Object.keys(withoutSchema) };
  const required = new Set(stringsOf(schema?.["required"]));
  const own = Object.entries(properties).flatMap(([name, rules]): [string, Fields][] =>
    isObject(rules) && !ofServer.has(name) ? [[name, rules]] : [],
  );
  const needed = own.filter(([name]) => required.has(name));
  const others = own.filter(([name, rules]) => !required.has(name) && isPlain(rules));
  const shown = [...needed, ...others.slice(0, Math.max(0, maxFields - needed.length))];
  return {
    document: Object.fromEntries(shown.map(([name, rules]) => [name, valueOf(rules)])),
    plain: shown.filter(([, rules]) => isPlain(rules)).map(([name]) => name),
  };
}
