// Stored tests: of functions, of integrations.
import { printJson, type Fields } from "../../lib/json";
import { testMessages } from "../../messages/tests";
import { FormProblem } from "../form/form";

export const maxTests = 20;

/** The tests of one thing as they were read, and where they are stored. */
export interface TestStore {
  tests: readonly object[];
  /** Reads them again. */
  latest(): Promise<readonly object[]>;
  /** Stores these in their place, and reads again what shows them. */
  store(tests: Fields[]): Promise<void>;
}

/** The name of a stored test. */
export const testName = (test: object | undefined): string => String((test as Fields | undefined)?.["name"] ?? "");

/** Stores `tests` in place of those of `from`, unless another person has changed them. */
export async function saveTests(from: TestStore, tests: readonly object[]): Promise<void> {
  if (printJson(await from.latest()) !== printJson(from.tests)) throw new FormProblem("", testMessages.changed);
  await from.store([...tests] as Fields[]);
}
