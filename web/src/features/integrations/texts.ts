// The words for what the catalogue names.
import { integrationMessages } from "../../messages/integrations";
import type { Field } from "./catalogue";
import { fieldText } from "./config";

const words = integrationMessages.form;

/** The label and the hint of a field of the configuration. */
export function inConfig({ name, kind, required, description }: Field): { label: string; hint: string } {
  const parts = [
    required ? words.required : undefined,
    words.hints[name] ?? description,
    kind === "headers" ? words.headerLines : undefined,
  ];
  return { label: words.labels[name] ?? name, hint: parts.filter(Boolean).join(" ") };
}

/** The text of a value of the configuration, to be read; empty where it is not set. */
export function shownText(field: Field, value: unknown): string {
  const text = fieldText(field, value);
  return field.kind === "boolean" ? (words.booleans[text] ?? text) : text;
}

/** The label of a secret; of a header its name. */
export const secretLabel = (name: string): string => words.secrets[name] ?? name.replace(/^headers\//, "");

/** What the provider is for, where that is known. */
export const purposeOf = (provider: string): string | undefined => integrationMessages.providers.purposes[provider];
