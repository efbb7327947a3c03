import type { ConfigDocument } from "../../components/plan/plan";
import { exactJson } from "../../lib/json";
import { configurationMessages } from "../../messages/configuration";

const words = configurationMessages.import;

/** A mistake in the text of a document, counted from line 1. */
export interface Mistake {
  line: number;
  message: string;
}

/** The largest document that the server takes. */
export const maxBytes = 16 * 1024 * 1024;

/** The line of an error of JSON.parse, which names a position or a line, or nothing at the end of the text. */
function lineOfError(text: string, message: string): number {
  const position = /position (\d+)/.exec(message)?.[1];
  const before = position === undefined ? text : text.slice(0, Number(position));
  return before.split("\n").length;
}

/** The document of a text, or what is wrong with it. The server checks what it holds. */
export function readDocument(text: string): { document: ConfigDocument } | { mistake: Mistake } {
  let value: unknown;
  try {
    value = exactJson.parse(text);
  } catch (error) {
    const { message } = error as Error;
    return { mistake: { line: lineOfError(text, message), message: words.notJson(message) } };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { mistake: { line: 1, message: words.notObject } };
  }
  return { document: value as ConfigDocument };
}

/** The name of a downloaded file: "shop-configuration-2026-01-31.json". */
export const fileName = (slug: string, now = new Date()): string => `${slug}-configuration-${now.toISOString().slice(0, 10)}.json`;
