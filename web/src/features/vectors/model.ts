// The configuration of vector fields and searches, out of what forms hold.
import type { VectorField, VectorFieldInput, VectorIndexOptionsInput } from "manybase/admin";
import type { Values } from "../../components/form/form";
import { readJson } from "../../lib/json-source";
import { isObject } from "../../lib/json";
import type { Json } from "../../lib/schema-fields";
import { vectorMessages } from "../../messages/vectors";

/** What is wrong with a field of a form, before anything is sent. */
export interface Wrong {
  field: string;
  message: string;
}
export const isWrong = (value: object): value is Wrong => "message" in value;

export const graphOptions = ["m", "efConstruction", "efSearch"] as const;

/** The numbers of a vector as a person pasted it; undefined where the text is not a list of numbers. */
export function vectorOf(text: string): number[] | undefined {
  const trimmed = text.trim();
  const source = readJson(trimmed.startsWith("[") ? trimmed : `[${trimmed}]`);
  const { value } = source.problem ? { value: undefined } : source;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const numbers = value.map((one: unknown) => (typeof one === "bigint" ? Number(one) : one));
  return numbers.every((one) => typeof one === "number" && Number.isFinite(one)) ? (numbers as number[]) : undefined;
}

const linesOf = (text = ""): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** The vector field that a form describes, or its first mistake. */
export function fieldOf(values: Values): VectorFieldInput | Wrong {
  const words = vectorMessages.dialog;
  const dimensions = values["dimensions"]?.trim() ?? "";
  if (!/^\d{1,9}$/.test(dimensions)) return { field: "dimensions", message: words.wholeNumber };
  const mode = values["mode"] === "auto" ? "auto" : "manual";
  const field: VectorFieldInput = {
    name: values["name"]?.trim() ?? "",
    dimensions: Number(dimensions),
    metric: values["metric"] as VectorField["metric"] & string,
    mode,
  };
  if (mode === "auto") {
    const template = values["template"] ?? "";
    field.source = { fields: linesOf(values["source"]), ...(template.trim() ? { template } : {}) };
  }
  const index: VectorIndexOptionsInput = {};
  for (const option of graphOptions) {
    const value = values[option]?.trim();
    if (!value) continue;
    if (!/^\d{1,9}$/.test(value)) return { field: option, message: words.wholeNumber };
    index[option] = Number(value);
  }
  if (Object.keys(index).length) field.index = index;
  return field;
}

export type Effect = keyof typeof vectorMessages.dialog.effects;

/** What a change of a field costs; undefined where it costs nothing. */
export function effectOf(before: VectorField, after: VectorFieldInput): Effect | undefined {
  const was = { metric: "cosine", mode: "manual", ...before };
  if (was.name !== after.name || was.mode !== after.mode || was.dimensions !== after.dimensions) return "discards";
  const sourceOf = (field: VectorField | VectorFieldInput) => JSON.stringify([field.source?.fields, field.source?.template ?? ""]);
  if (was.mode === "auto" && sourceOf(before) !== sourceOf(after)) return "embeds";
  const graphOf = (field: VectorField | VectorFieldInput) => JSON.stringify(graphOptions.map((option) => field.index?.[option] ?? null));
  return was.metric !== after.metric || graphOf(before) !== graphOf(after) ? "rebuilds" : undefined;
}

/** The field of the form that a detail of the server's about field number `at` is about. */
export function formPath(path: string, at: number): string {
  const own = `/fields/${at}`;
  if (!path.startsWith(`${own}/`)) return path;
  const [, first = "", second] = path.slice(own.length).split("/");
  if (first === "source") return second === "template" ? "/template" : "/source";
  if (first === "index" && second) return `/${second}`;
  return `/${first}`;
}

/** A search as it is sent. */
export interface Search {
  field: string;
  text?: string;
  vector?: number[];
  limit: number;
  filter?: Json;
}

/** The search that a form describes in a field of a mode, or its first mistake. */
export function searchOf(values: Values, field: Pick<VectorField, "name" | "mode">): Search | Wrong {
  const words = vectorMessages.search;
  const limit = values["limit"]?.trim() ?? "";
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > 1000) return { field: "limit", message: words.limitBad };
  const search: Search = { field: field.name, limit: Number(limit) };
  if (field.mode === "auto") {
    const text = values["text"] ?? "";
    if (!text.trim()) return { field: "text", message: words.queryMissing };
    search.text = text;
  } else {
    if (!values["vector"]?.trim()) return { field: "vector", message: words.vectorMissing };
    const vector = vectorOf(values["vector"]);
    if (!vector) return { field: "vector", message: vectorMessages.dialog.notVector };
    search.vector = vector;
  }
  const filter = values["filter"]?.trim();
  if (filter) {
    const source = readJson(filter);
    if (source.problem) return { field: "filter", message: words.filterBad(source.problem.line, source.problem.message) };
    if (!isObject(source.value)) return { field: "filter", message: words.filterNotObject };
    search.filter = source.value;
  }
  return search;
}
