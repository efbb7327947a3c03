// Reads and changes the rules of a policy.
import { isObject, sameJson, type JsonObject } from "./json";
import { isPublic, operationOf, operations, publicOperations, ruleNames, type Operation, type RuleName } from "./rule-names";

export * from "./rule-names";

/** The keys of a rule that list fields, and the operations that take them. */
const fieldLists = {
  allowedWriteFields: ["create", "update", "admin"],
  immutableFields: ["update", "admin"],
  deniedReadFields: ["read", "list"],
} as const satisfies Record<string, readonly Operation[]>;
export type FieldList = keyof typeof fieldLists;

/** The lists of fields that a rule may have. */
export const fieldListsOf = (name: RuleName): FieldList[] =>
  (Object.keys(fieldLists) as FieldList[]).filter((key) =>
    (fieldLists[key] as readonly Operation[]).includes(operationOf(name)),
  );

/** Whether a rule may have an expression. */
export const validates = (name: RuleName): boolean => ["create", "update", "admin"].includes(operationOf(name));

/** A rule of a policy; undefined without it, or where it is not an object. */
export function ruleOf(policy: JsonObject, name: RuleName): JsonObject | undefined {
  const holder = isPublic(name) ? policy["public"] : policy;
  const rule = isObject(holder) ? holder[operationOf(name)] : undefined;
  return isObject(rule) ? rule : undefined;
}

/** An object with one more, changed or (undefined) removed member; a new one takes its place among `order`. */
function withMember(object: JsonObject, key: string, value: JsonObject | undefined, order: readonly string[]): JsonObject {
  const entries = Object.entries(object).filter(([name]) => name !== key || value !== undefined);
  const at = entries.findIndex(([name]) => name === key);
  if (value === undefined) return Object.fromEntries(entries);
  if (at >= 0) entries[at] = [key, value];
  else {
    const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
    const next = entries.findIndex(([name]) => rank(name) > rank(key));
    entries.splice(next < 0 ? entries.length : next, 0, [key, value]);
  }
  return Object.fromEntries(entries);
}

const policyOrder = [...operations, "public"];

/** The policy with another rule, or without it. */
export function withRule(policy: JsonObject, name: RuleName, rule: JsonObject | undefined): JsonObject {
  if (!isPublic(name)) return withMember(policy, name, rule, policyOrder);
  const before = isObject(policy["public"]) ? policy["public"] : {};
  const open = withMember(before, operationOf(name), rule, publicOperations);
  return withMember(policy, "public", Object.keys(open).length ? open : undefined, policyOrder);
}

const keyOrder = ["filter", "validate", "allowedWriteFields", "immutableFields", "deniedReadFields"];

/** A rule with another value of a key; undefined removes it. */
export function withKey(rule: JsonObject, key: string, value: JsonObject[string] | undefined): JsonObject {
  // Members of any type go the same way.
  return withMember(rule, key, value as JsonObject | undefined, keyOrder);
}

/** The rules that differ between two policies. */
export const changedRules = (before: JsonObject, after: JsonObject): RuleName[] =>
  ruleNames.filter((name) => !sameJson(ruleOf(before, name), ruleOf(after, name)));

/** A rule's list of fields as far as it is one of texts. */
export function fieldsOf(rule: JsonObject, list: FieldList): string[] {
  const value = rule[list];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
