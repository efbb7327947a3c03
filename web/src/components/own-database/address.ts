import { isError } from "manybase";
import { ownDatabaseMessages } from "../../messages/own-database";
import { FormProblem } from "../form/form-problem";

/** The name of the field, by which the server's errors find it. */
export const addressField = "mongoUrl";

/** The address in the values of a form; undefined where the form has no such field. An empty one is a problem of the field. */
export function addressOf(values: Readonly<Record<string, string>>): string | undefined {
  const address = values[addressField]?.trim();
  if (address === "") throw new FormProblem(addressField, ownDatabaseMessages.address.missing);
  return address;
}

/** What the server says of a database that belongs to another project, or to the server itself. */
const used = "this database is used already";

/** The result of a call that names an address; its refusal of a used database is a problem of the field. */
export async function withAddress<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (isError(error, "CONFLICT") && error.message === used) throw new FormProblem(addressField, error.message);
    throw error;
  }
}
