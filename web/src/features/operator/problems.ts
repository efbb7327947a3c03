import { ManybaseError, isError } from "manybase";

/** A refusal of the members of an object, such as `/limits/vectors`, with the problems at the fields that are named like them. */
export function atFields(error: unknown): unknown {
  if (!isError(error)) return error;
  const details = error.details.map(({ path, message }) => ({ path: path.replace(/^\/(limits|unitCosts)(?=\/)/, ""), message }));
  const { status, code, message, requestId } = error;
  return new ManybaseError(status, code, message, { details, ...(requestId ? { requestId } : {}) });
}
