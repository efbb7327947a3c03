// The conditions of a set as a form.
import { parseFilter, printFilter, type Condition } from "./filter";
import type { JsonObject } from "./json";

export const setOperators = ["is", "in"] as const;

export interface SetForm {
  /** The field that is the id of the caller. */
  userField: string;
  conditions: Condition[];
}

const callerId = "$auth.uid";

/** The form of a set's conditions; undefined where they have none. */
export function formOfWhere(where: JsonObject): SetForm | undefined {
  const entries = Object.entries(where);
  const user = entries.find(([, value]) => value === callerId);
  const rows = parseFilter(Object.fromEntries(entries.filter((one) => one !== user)));
  if (!user || !rows) return undefined;
  const conditions = rows.flatMap((row) => (row.length === 1 ? row : []));
  const simple = conditions.length === rows.length && conditions.every((one) => setOperators.some((each) => each === one.operator) && one.operand.kind !== "auth");
  return simple ? { userField: user[0], conditions } : undefined;
}

/** The conditions of a form. */
export const whereOf = ({ userField, conditions }: SetForm): JsonObject => ({
  ...Object.fromEntries([[userField, callerId]]),
  ...printFilter(conditions.map((one) => [one])),
});
