// What the form of a connection sends.
import type { Connection, ConnectionKind, ConnectionPatch, NewConnection } from "manybase/control";
import { sameJson } from "../../lib/json";

type Values = Readonly<Record<string, string>>;

/** The names of the form's fields: those of the pointers at which the server reports mistakes. */
export const fieldNames = {
  config: (name: string) => `config/${name}`,
  secret: (name: string) => `secrets/${name}`,
};

function filled(names: readonly string[], fieldOf: (name: string) => string, values: Values): Record<string, string> {
  const texts = names.map((name) => [name, (values[fieldOf(name)] ?? "").trim()] as const);
  return Object.fromEntries(texts.filter(([, text]) => text));
}

export const configIn = ({ config }: ConnectionKind, values: Values) => filled(config, fieldNames.config, values);
/** The secrets that were typed. */
export const secretsIn = ({ secrets }: ConnectionKind, values: Values) => filled(secrets, fieldNames.secret, values);

export const newConnection = (kind: ConnectionKind, values: Values): NewConnection => ({
  kind: kind.kind,
  name: values["name"] ?? "",
  config: configIn(kind, values),
  secrets: secretsIn(kind, values),
});

/** What differs from the stored one; secrets that were not typed stay. */
export function patchOf(connection: Connection, kind: ConnectionKind, values: Values): ConnectionPatch {
  const name = (values["name"] ?? "").trim();
  const config = configIn(kind, values);
  const secrets = secretsIn(kind, values);
  return {
    ...(name !== connection.name && { name }),
    ...(!sameJson(config, connection.config) && { config }),
    ...(Object.keys(secrets).length > 0 && { secrets }),
  };
}

/** The text of a value of the configuration. */
export const configText = (value: unknown): string => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value));

/** The connections with a text in their name, kind or configuration. */
export function matching(list: readonly Connection[], kinds: readonly ConnectionKind[], text: string): Connection[] {
  const wanted = text.trim().toLowerCase();
  return list.filter(({ name, kind, config }) =>
    [name, labelOf(kinds, kind), ...Object.values(config).map(configText)].join("\n").toLowerCase().includes(wanted),
  );
}

export const labelOf = (kinds: readonly ConnectionKind[], name: string): string => kinds.find(({ kind }) => kind === name)?.label ?? name;
