// The search parameters of addresses. Each is a text, so that an address may be written by hand and ids that look like numbers
// stay as they are.

/** What the router gives to be validated: of an address, or of a link to it. */
export type Search = Readonly<Record<string, unknown>>;

export const parseSearch = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));

/** The search with its "?"; parameters without a value are left out. */
export function stringifySearch(search: Search): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

/** A text that is not empty. */
export const text = (value: unknown): string | undefined => (typeof value === "string" && value ? value : undefined);

export const oneOf = <T extends string>(value: unknown, ...known: readonly T[]): T | undefined => known.find((one) => one === value);

/** What is either in the address or not. */
export const yes = (value: unknown): true | undefined => (value === true || value === "true" ? true : undefined);

/** A number of a count or an order, from 1 on. */
export function positive(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** The filter of a list of connections, and the id of the one that is changed, or that one is created. */
export const connectionSearch = (search: Search) => ({
  find: text(search["find"]),
  open: text(search["open"]),
  new: yes(search["new"]),
});
export type ConnectionSearch = Partial<ReturnType<typeof connectionSearch>>;

/** The filter of an audit record, and the id of the entry whose details are open. */
export const auditSearch = (search: Search): { [name in "action" | "target" | "actor" | "entry"]?: string | undefined } => ({
  action: text(search["action"]),
  target: text(search["target"]),
  actor: text(search["actor"]),
  entry: text(search["entry"]),
});
