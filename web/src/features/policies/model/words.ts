// A rule in a sentence, in parts: words, and names that stand out.
import { policiesMessages } from "../../../messages/policies";
import { parseFilter, takesNothing, type Condition, type Operand, type Rows } from "./filter";
import { inlineJson } from "../../../lib/json";
import { isObject, type JsonObject } from "./json";
import { splitRoles } from "./roles";
import { fieldListsOf, fieldsOf, isPublic, operationOf, type RuleName } from "./rules";

export type Part = string | { code: string };
const words = policiesMessages.words;
const code = (text: string): Part => ({ code: text });

function joined(items: Part[][], by: string): Part[] {
  return items.flatMap((item, at) => (at === 0 ? item : [by, ...item]));
}

function operandParts(operand: Operand): Part[] {
  switch (operand.kind) {
    case "auth": {
      const [kind, ...rest] = operand.name.split(".");
      const name = rest.join(".");
      if (kind === "sets") return [words.set, code(name)];
      if (kind === "token") return [words.claim, code(name)];
      return [operand.name === "uid" ? words.callerId : operand.name === "role" ? words.callerRole : words.projectId];
    }
    case "text":
      return [code(JSON.stringify(operand.text))];
    case "number":
      return [code(operand.text)];
    case "boolean":
      return [code(String(operand.value))];
    case "null":
      return [code("null")];
    case "texts":
      return joined(operand.texts.map((text) => [code(JSON.stringify(text))]), ", ");
    case "numbers":
      return joined(operand.texts.map((text) => [code(text)]), ", ");
  }
}

/** "ownerId is the caller's id". */
export function conditionParts({ path, operator, operand }: Condition): Part[] {
  const head: Part[] = [code(path || words.field), ` ${words.operators[operator]}`];
  return takesNothing(operator) ? head : [...head, " ", ...operandParts(operand)];
}

const rowsParts = (rows: Rows): Part[] =>
  joined(
    rows.map((row) => joined(row.map(conditionParts), ` ${words.or} `)),
    `, ${words.and} `,
  );

function whichParts(rule: JsonObject): Part[] {
  const filter = rule["filter"];
  if (!isObject(filter) || Object.keys(filter).length === 0) return [];
  const rows = parseFilter(filter);
  return rows ? [` ${words.where} `, ...rowsParts(rows)] : [` ${words.matching} `, code(inlineJson(filter))];
}

/** Who may do it, in short, for the list of operations. */
export function shortWords(rule: JsonObject | undefined, name: RuleName): string {
  if (!rule) return name === "admin" ? words.asOthers : words.nobody;
  const filter = rule["filter"];
  const restricted = isObject(filter) && Object.keys(filter).length > 0;
  const everyone = isPublic(name) ? words.visitors : words.users;
  if (!restricted) return rule["validate"] === undefined ? everyone : words.under(everyone);
  const rows = parseFilter(filter);
  const only = rows?.length === 1 && rows[0]!.length === 1 ? rows[0]![0]!.operand : undefined;
  if (only?.kind === "auth" && only.name === "uid") return words.owner;
  if (only?.kind === "auth" && only.name.startsWith("sets.")) return words.ofSet(only.name.slice(5));
  return words.under(everyone);
}

/** The sentences of a rule. `byPublic`: without a rule of its own, the operation has the one of callers without a token. */
export function ruleWords(rule: JsonObject | undefined, name: RuleName, byPublic: boolean): Part[][] {
  const operation = operationOf(name);
  const open = isPublic(name);
  if (!rule) return [[byPublic ? words.asPublic : open ? words.noVisitor : words.noRule[operation]]];
  const expression = typeof rule["validate"] === "string" ? rule["validate"] : "";
  const { roles, rest } = splitRoles(expression);
  const subject: Part[] = open
    ? [words.anyone]
    : operation === "admin"
      ? [words.administrator]
      : roles.length
        ? [words.userOf, ...joined(roles.map((role) => [code(role)]), ` ${words.or} `)]
        : [words.user];
  const sentences: Part[][] = [[...subject, ` ${words.may[operation]}`, ...whichParts(rule), "."]];
  const condition = operation === "admin" || open ? expression : rest;
  if (condition.trim()) sentences.push([`${words.onlyIf} `, code(condition), "."]);
  for (const list of fieldListsOf(name)) {
    const value = rule[list];
    if (!Array.isArray(value)) continue;
    const names = joined(fieldsOf(rule, list).map((one) => [code(one)]), ", ");
    sentences.push(names.length ? [`${words.lists[list]} `, ...names, "."] : [words.emptyLists[list]]);
  }
  return sentences;
}
