// The fields of nodes as texts that a person edits.
import { inlineJson, printJson } from "../../../lib/json";
import { readJson, type SourceProblem } from "../../../lib/json-source";
import { rules, type DraftNode, type NodeField } from "./types";

/** The text of a field: as it was typed, else as its value is printed. */
export function textOf(node: DraftNode, { name, kind }: NodeField): string {
  const typed = node.texts?.[name];
  if (typed !== undefined) return typed;
  const value = node.data[name];
  if (value === undefined) return "";
  if (kind === "json") return printJson(value, { width: 40 });
  return typeof value === "string" ? value : inlineJson(value);
}

/** The node with another text in a field; an empty one removes the field. */
export function withText(node: DraftNode, { name, kind }: NodeField, text: string): DraftNode {
  const { [name]: before, ...rest } = node.data;
  const next = (data: DraftNode["data"]): DraftNode => ({ ...node, data, texts: { ...node.texts, [name]: text } });
  if (text.trim() === "") return next(rest);
  if (kind === "number") return next({ ...rest, [name]: /^\d{1,9}$/.test(text.trim()) ? Number(text) : text });
  if (kind !== "json") return next({ ...rest, [name]: text });
  const read = readJson(text);
  if (!read.problem) return next({ ...rest, [name]: read.value });
  return next(before === undefined ? rest : { ...rest, [name]: before });
}

/** What keeps a field's text from being JSON. */
export function jsonProblem(node: DraftNode, { name, kind }: NodeField): SourceProblem | undefined {
  const typed = node.texts?.[name];
  if (kind !== "json" || typed === undefined || typed.trim() === "") return undefined;
  return readJson(typed).problem;
}

/** The first field whose text is not JSON. */
export const invalidField = (node: DraftNode): NodeField | undefined =>
  rules[node.type].fields.find((field) => jsonProblem(node, field) !== undefined);
