// What the server's refusals mean for the screen.
import { ManybaseError, isError } from "manybase";
import type { CodeProblem } from "../../components/editor/types";

/** The problems of a function's code that have a line. */
export function codeProblems(error: unknown): CodeProblem[] {
  if (!isError(error)) return [];
  return error.details.flatMap(({ path, message }) => {
    const place = path === "/code" ? /^line (\d+), column (\d+): ([^]*)$/.exec(message) : null;
    return place ? [{ line: Number(place[1]), column: Number(place[2]), message: place[3]! }] : [];
  });
}

/** The same error with the paths of a trigger and of retries as those of the form's fields. */
export function atFields(error: unknown): unknown {
  if (!isError(error) || error.details.length === 0) return error;
  const { status, code, message, requestId, retryAfter, details } = error;
  const fieldOf = (path: string) =>
    path.startsWith("/trigger/events") ? "/insert" : path.replace(/^\/(trigger|retry)(?=\/)/, "").replace(/^\/retry$/, "/attempts");
  return new ManybaseError(status, code, message, {
    details: details.map((each) => ({ ...each, path: fieldOf(each.path) })),
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    cause: error,
  });
}

/** Text of a log with its control characters as signs, so that terminal codes are seen and change nothing. */
export const visibleText = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, (c) => (c === "\u007f" ? "\u2421" : String.fromCharCode(0x2400 + c.charCodeAt(0))));
