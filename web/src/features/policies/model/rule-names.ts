// The rules of a policy, by name: `read` for users that are signed in, `public.read` for callers without a token.
export const operations = ["read", "list", "create", "update", "delete", "admin"] as const;
export const publicOperations = ["read", "list", "create"] as const;
export type Operation = (typeof operations)[number];
export type RuleName = Operation | `public.${(typeof publicOperations)[number]}`;

export const ruleNames: readonly RuleName[] = [...operations, ...publicOperations.map((one) => `public.${one}` as const)];
export const isRuleName = (value: unknown): value is RuleName => ruleNames.includes(value as RuleName);

export const isPublic = (name: RuleName): boolean => name.startsWith("public.");
export const operationOf = (name: RuleName): Operation => (isPublic(name) ? name.slice(7) : name) as Operation;
