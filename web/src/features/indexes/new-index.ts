// The body of an index out of what a form holds.
import type { NewIndex } from "manybase/admin";
import { readJson } from "../../lib/json-source";
import { isObject } from "../../lib/json";
import { indexMessages } from "../../messages/indexes";
import type { Values } from "../../components/form/form";

const words = indexMessages.dialog;

export interface Key {
  /** Of this row of the form, whatever its place. */
  row: number;
  path: string;
  direction: 1 | -1;
}

/** What is wrong with a field of the form, before anything is sent. */
export interface Wrong {
  field: string;
  message: string;
}

export const keyField = (at: number): string => `key-${at}`;

const linesOf = (text = ""): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

function filterOf(text: string): { filter: Record<string, unknown> } | Wrong {
  const field = "partialFilter";
  const source = readJson(text);
  if (source.problem) return { field, message: words.filterBad(source.problem.line, source.problem.message) };
  return isObject(source.value) ? { filter: source.value } : { field, message: words.filterNotObject };
}

/** The body that creates the index, or the first mistake. */
export function indexOf(keys: readonly Key[], values: Values): { body: NewIndex } | Wrong {
  const paths = keys.map(({ path }) => path.trim());
  for (const [at, path] of paths.entries()) {
    if (!path) return { field: keyField(at), message: words.keyMissing };
    if (paths.indexOf(path) < at) return { field: keyField(at), message: words.keyTwice };
  }
  const body: NewIndex = { keys: Object.fromEntries(keys.map(({ direction }, at) => [paths[at], direction])) };
  for (const option of ["unique", "sparse", "covering"] as const) if (values[option] === "on") body[option] = true;
  const name = values["name"]?.trim();
  if (name) body.name = name;
  const filter = values["partialFilter"]?.trim();
  if (filter) {
    const read = filterOf(filter);
    if ("field" in read) return read;
    body.partialFilter = read.filter;
  }
  const seconds = values["expireAfterSeconds"]?.trim();
  if (seconds) {
    if (!/^\d{1,15}$/.test(seconds)) return { field: "expireAfterSeconds", message: words.expireBad };
    body.expireAfterSeconds = Number(seconds);
  }
  const include = linesOf(values["include"]);
  if (include.length) body.include = include;
  return { body };
}

/** The field of the form that a detail of the server's is about. */
export function formPath(path: string, keys: readonly Key[]): string {
  if (path !== "/keys" && !path.startsWith("/keys/")) return path;
  const at = keys.findIndex((key) => key.path.trim() === path.slice("/keys/".length));
  return `/${keyField(Math.max(at, 0))}`;
}
