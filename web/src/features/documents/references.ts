// Documents that refer to others: by which fields, what they are called, and which filter finds one.
import { isObject, type Fields } from "../../lib/json";
import { can } from "../../lib/permissions";
import { fieldsOf, stringsOf } from "../../lib/schema-fields";
import { own, rulesOf, type Schema } from "./values";

/** The collection that stands for the end users in references. */
export const usersName = "users";

/** A field that refers to a collection; the path has no marks of lists. */
export interface ReferenceField {
  path: string;
  collection: string;
}

/** The fields of a schema that refer to documents, with those inside of others. */
export function referencesOf(schema: Schema): ReferenceField[] {
  return fieldsOf(schema).flatMap(({ path, reference }) => (reference ? [{ path: path.replaceAll("[]", ""), collection: reference.collection }] : []));
}

/** The ids that a document holds at a path, through objects and lists; each once. */
export function idsAt(document: Fields, path: string): string[] {
  let values: unknown[] = [document];
  for (const name of path.split(".")) {
    values = values.flatMap((value) => (isObject(value) ? own(value, name) : undefined)).filter((value) => value !== undefined);
  }
  return [...new Set(values.flat().filter((value) => typeof value === "string" && value !== ""))] as string[];
}

const names = ["title", "name", "label", "email"];

/** What a document is called: a field that names it, else its id. */
export function labelOf(document: Fields): string {
  const found = names.map((name) => own(document, name)).find((value) => typeof value === "string" && value.trim() !== "");
  return typeof found === "string" ? found : String(document["id"]);
}

/** The fields in which a text is searched: those that name documents, and other texts of the schema. */
export function searchedFields(schema: Schema): string[] {
  const properties = schema?.["properties"];
  const texts = Object.keys(isObject(properties) ? properties : {}).filter((name) => {
    const rules = rulesOf(schema, name);
    return stringsOf(rules["type"]).includes("string") && rules["x-ref"] === undefined && rules["x-bson"] === undefined;
  });
  const found = [...names.filter((name) => texts.includes(name)), ...texts.filter((name) => !names.includes(name))];
  return found.length ? found.slice(0, 4) : names;
}

/** The filter of a search: an id, or a part of a text in any case. */
export function searchFilter(text: string, schema: Schema): Fields {
  const part = text.trim();
  if (!part) return {};
  const $regex = part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return { $or: [{ id: part }, ...searchedFields(schema).map((name) => ({ [name]: { $regex, $options: "i" } }))] };
}

/** Whether the person may open what a reference leads to. */
export const mayFollow = (perms: readonly string[], collection: string): boolean =>
  collection === usersName ? can(perms, "users:read") : can(perms, `data:${collection}:list`) && can(perms, `data:${collection}:read`);
