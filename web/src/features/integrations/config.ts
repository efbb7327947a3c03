// A configuration as the texts of a form, and read back.
import { isObject, printJson, type Fields } from "../../lib/json";
import { readJson } from "../../lib/json-source";
import { headerText, parseHeaders } from "../../lib/header-lines";
import type { Field, Provider } from "./catalogue";

/** Whether a text names a variable, which may replace a number or a yes and no as well. */
export const namesVariable = (text: string): boolean => /\$\{[A-Z][A-Z0-9_]{0,63}\}/.test(text);

/** The text of a value in its field. */
export function fieldText({ kind }: Field, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (kind === "headers" && isObject(value)) return headerText(value);
  return kind === "json" ? printJson(value) : String(value);
}

/** A text that is no value of its field. */
export interface Wrong {
  field: string;
  why: "number" | "header" | "json";
  /** The part that is wrong. */
  what: string;
}

type Read = { value: unknown } | { wrong: Wrong };

function read({ name, kind }: Field, text: string): Read {
  const wrong = (why: Wrong["why"], what: string): Read => ({ wrong: { field: name, why, what } });
  switch (kind) {
    case "number":
      if (/^-?\d{1,15}$/.test(text)) return { value: Number(text) };
      return namesVariable(text) ? { value: text } : wrong("number", text);
    case "boolean":
      return { value: namesVariable(text) ? text : text === "true" };
    case "headers": {
      const parsed = parseHeaders(text);
      return "wrong" in parsed ? wrong("header", parsed.wrong) : { value: parsed.headers };
    }
    case "json": {
      const parsed = readJson(text);
      return parsed.problem ? wrong("json", parsed.problem.message) : { value: parsed.value };
    }
    default:
      return { value: text };
  }
}

/** The configuration of texts by the names of fields; a field without a text is not set. */
export function configOf(fields: readonly Field[], texts: (name: string) => string): { config: Fields } | { wrong: Wrong } {
  const config: Fields = {};
  for (const field of fields) {
    const text = texts(field.name).replaceAll("\r\n", "\n").trim();
    if (!text) continue;
    const found = read(field, text);
    if ("wrong" in found) return found;
    config[field.name] = found.value;
  }
  return { config };
}

/** The beginning of an address up to its path. */
const authorityOf = (address: string): string => /^(?:[^/?#\\]*:\/\/)?[^/?#\\]*/.exec(address)![0];

/** Where the calls of a configuration go; undefined where only the server knows. */
export function destinationOf({ provider }: Pick<Provider, "provider">, config: Fields): string | undefined {
  const text = (name: string) => (typeof config[name] === "string" ? config[name] : "");
  switch (provider) {
    case "http": {
      const authority = authorityOf(text("baseUrl"));
      if (namesVariable(authority) || !URL.canParse(authority)) return authority;
      return new URL(authority).origin;
    }
    case "email": {
      const { port, secure } = config;
      return `${text("host")}:${String(port ?? (secure === true ? 465 : 587))}`;
    }
    case "bot":
      return text("platform");
    default:
      return undefined;
  }
}
