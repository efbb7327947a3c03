// The problems of a policy that the server names, by the rule that they are in.
import { isError } from "manybase";
import { isRuleName, type RuleName } from "./rules";

export interface RuleProblem {
  /** The key of the rule, such as `validate`; empty for the rule itself. */
  key: string;
  /** Below the key, as a path with dots. */
  path: string;
  message: string;
  /** Of expressions. */
  line?: number;
  column?: number;
}

export type RuleProblems = Partial<Record<RuleName, RuleProblem[]>>;

const unescaped = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");

/** The problems of an error by rule, and whether all of its details belong to rules. `root` is what comes before a rule. */
export function problemsOf(error: unknown, root = ""): { rules: RuleProblems; all: boolean } {
  const rules: RuleProblems = {};
  if (!isError(error) || error.details.length === 0) return { rules, all: false };
  let all = true;
  for (const { path, message } of error.details) {
    const parts = path.startsWith(`${root}/`) ? path.slice(root.length + 1).split("/").map(unescaped) : [];
    const name = parts[0] === "public" ? `public.${parts[1]}` : parts[0];
    if (!isRuleName(name)) {
      all = false;
      continue;
    }
    const [key = "", ...rest] = parts.slice(parts[0] === "public" ? 2 : 1);
    const place = /^line (\d+), column (\d+): ([\s\S]*)$/.exec(message);
    (rules[name] ??= []).push({
      key,
      path: rest.join("."),
      message: place ? place[3]! : message,
      ...(place && { line: Number(place[1]), column: Number(place[2]) }),
    });
  }
  return { rules, all };
}
