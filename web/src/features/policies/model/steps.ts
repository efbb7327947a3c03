// The steps of an explanation, read with care: what they hold depends on the step.
import { inlineJson } from "../../../lib/json";
import { isObject, type Json, type JsonObject } from "./json";
import { policiesMessages } from "../../../messages/policies";
import type { Part } from "./words";

const words = policiesMessages.steps;
const code = (value: unknown): Part => ({ code: typeof value === "string" ? value : inlineJson((value ?? null) as Json) });

export interface StepView {
  title: string;
  passed: boolean;
  lines: Part[][];
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? value : []);
const names = (value: unknown): Part[] => list(value).flatMap((one, at) => (at ? [", ", code(one)] : [code(one)]));

function conditionLine(value: Json): Part[] {
  const { path, condition, value: found, passed } = isObject(value) ? value : ({} as JsonObject);
  const holds = passed === true;
  if (path === "") return [holds ? words.holds : words.fails, " ", code(condition)];
  return [code(path), ` ${holds ? words.isRight : words.isWrong[0]} `, code(found), ...(holds ? [] : [`, ${words.isWrong[1]} `, code(condition)])];
}

function linesOf(step: JsonObject): Part[][] {
  switch (step["step"]) {
    case "permission":
      return [step["by"] === undefined
        ? [words.lacks, " ", code(step["needed"])]
        : [words.needs, " ", code(step["needed"]), `, ${words.holdsBy} `, code(step["by"])]];
    case "rule":
      return step["rule"] === undefined
        ? [[words.noRule[String(step["source"])] ?? words.noRule["own"]!]]
        : [[words.sources[String(step["source"])] ?? "", " ", code(step["rule"])]];
    case "placeholders": {
      const values = isObject(step["values"]) ? Object.entries(step["values"]) : [];
      return [
        ...values.map(([name, value]): Part[] => [code(name), ` ${words.is} `, code(value)]),
        ...list(step["unresolved"]).map((name): Part[] => [code(name), ` ${words.unresolved}`]),
      ];
    }
    case "filter":
      return [[code(step["filter"])]];
    case "document": {
      if (step["found"] !== true) return [[words.notFound]];
      const conditions = list(step["conditions"]);
      return conditions.length ? conditions.map(conditionLine) : [[words.found]];
    }
    case "schema":
      return list(step["problems"]).map((one) => (isObject(one) ? [code(one["path"]), ` ${String(one["message"])}`] : []));
    case "fields":
      return (["denied", "immutable", "allowedWrite"] as const)
        .filter((key) => list(step[key]).length > 0)
        .map((key) => [`${words.fields[key]} `, ...names(step[key])]);
    case "validate":
      return [
        [code(step["expression"]), ` ${words.is} `, code(step["error"] ?? step["value"])],
        ...list(step["parts"]).map((one): Part[] =>
          isObject(one) ? [code(one["text"]), ` ${words.is} `, code(one["error"] ?? one["value"])] : [],
        ),
      ];
    default:
      return step["message"] === undefined ? [] : [[String(step["message"])]];
  }
}

/** A step for people. */
export function stepView(step: Record<string, unknown>): StepView {
  const object = step as JsonObject;
  const name = String(step["step"]);
  return {
    title: words.titles[name] ?? name,
    passed: step["passed"] === true,
    lines: step["truncated"] === true ? [[words.truncated]] : linesOf(object),
  };
}
