// Secrets in a form: they are written and never read, and an empty field keeps what is stored.
import type { Integration } from "manybase/admin";
import type { Fields } from "../../lib/json";
import { stringsOf } from "../../lib/schema-fields";
import type { Provider } from "./catalogue";

/** The secret that holds several headers by name. */
export const headersSecret = "headers";

/** The names of the stored secrets; those of headers as `headers/<name>`. */
export function storedSecrets(secrets: Integration["secrets"]): string[] {
  return Object.entries(secrets).flatMap(([name, { configured, names }]) => {
    if (configured !== true) return [];
    return name === headersSecret ? stringsOf(names).map((header) => `${headersSecret}/${header}`) : [name];
  });
}

/** The names of a form's fields. */
export const fieldNames = {
  secret: (name: string) => `secrets/${name}`,
  /** A box that removes a stored one. */
  drop: (name: string) => `drop/${name}`,
  header: (row: number) => `row/${row}/name`,
  value: (row: number) => `row/${row}/value`,
};

type Values = Readonly<Record<string, string>>;

/** What is to be done with secrets: those that were typed, and null for those to remove. `rows`: of further headers. */
export function secretsOf(provider: Provider, stored: readonly string[], values: Values, rows: readonly number[]): Fields {
  const secrets: Fields = {};
  const headers: [string, string | null][] = [];
  const decide = (name: string, put: (value: string | null) => void): void => {
    const typed = values[fieldNames.secret(name)];
    if (values[fieldNames.drop(name)] !== undefined) put(null);
    else if (typed) put(typed);
  };
  for (const name of provider.secrets) if (name !== headersSecret) decide(name, (value) => (secrets[name] = value));
  for (const name of stored) {
    const header = name.startsWith(`${headersSecret}/`) ? name.slice(headersSecret.length + 1) : undefined;
    if (header !== undefined) decide(name, (value) => headers.push([header, value]));
  }
  for (const row of rows) {
    const name = values[fieldNames.header(row)]?.trim();
    const value = values[fieldNames.value(row)];
    if (name && value) headers.push([name, value]);
  }
  if (headers.length > 0) secrets[headersSecret] = Object.fromEntries(headers);
  return secrets;
}
