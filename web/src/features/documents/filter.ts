// A filter as conditions, each of which is shown as a chip, and back.
import { exactJson, isObject, type Fields } from "../../lib/json";

/** A condition of a filter; a part that is not about one field, such as $or, has no path. */
export interface Condition {
  path?: string;
  op: string;
  value: unknown;
}

export const operators = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin", "$exists", "$regex"] as const;

const isOperators = (value: unknown): value is Fields =>
  isObject(value) && Object.keys(value).length > 0 && Object.keys(value).every((key) => key.startsWith("$"));

/** The conditions of a filter, all of which must hold. */
export function conditionsOf(filter: Fields): Condition[] {
  return Object.entries(filter).flatMap(([path, value]): Condition[] => {
    if (path.startsWith("$")) return [{ op: path, value }];
    if (!isOperators(value)) return [{ path, op: "$eq", value }];
    return Object.entries(value).map(([op, operand]) => ({ path, op, value: operand }));
  });
}

/** The filter without one of its conditions. */
export function without(filter: Fields, { path, op }: Condition): Fields {
  const rest = { ...filter };
  const key = path ?? op;
  const value = rest[key];
  delete rest[key];
  if (path === undefined || !isOperators(value)) return rest;
  const { [op]: _, ...others } = value;
  return Object.keys(others).length ? { ...rest, [key]: others } : rest;
}

/** The filter with one more condition. */
export function withCondition(filter: Fields, { path = "", op, value }: Condition): Fields {
  const part = op === "$eq" && !isObject(value) ? value : { [op]: value };
  if (!Object.hasOwn(filter, path)) return { ...filter, [path]: part };
  const existing = filter[path];
  if (isOperators(existing) && !Object.hasOwn(existing, op)) return { ...filter, [path]: { ...existing, [op]: value } };
  const and = Array.isArray(filter["$and"]) ? filter["$and"] : [];
  return { ...filter, $and: [...and, { [path]: part }] };
}

/** What someone typed: JSON where it is JSON, else the text itself. */
export function valueOf(text: string): unknown {
  try {
    return exactJson.parse(text);
  } catch {
    return text;
  }
}

/** The filter of an address; undefined where it is not an object. */
export function parseFilter(text: string | undefined): Fields | undefined {
  if (text === undefined) return {};
  try {
    const filter: unknown = exactJson.parse(text);
    return isObject(filter) ? filter : undefined;
  } catch {
    return undefined;
  }
}
