import { FormProblem } from "../../components/form/form";
import { exactJson, isObject, type Fields } from "../../lib/json";
import { documentMessages } from "../../messages/documents";

const words = documentMessages.panel;

/** What is typed as JSON, as a document; throws a FormProblem. */
export function parsed(text: string): Fields {
  let value: unknown;
  try {
    value = exactJson.parse(text);
  } catch (error) {
    throw new FormProblem("", words.why((error as Error).message));
  }
  if (!isObject(value)) throw new FormProblem("", words.notObject);
  return value;
}
