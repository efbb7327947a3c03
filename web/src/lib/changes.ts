// The types of changes that a subscription chooses from.
import type { ChangeType } from "manybase";

export const changeTypes = ["insert", "update", "replace", "delete"] as const satisfies readonly ChangeType[];
