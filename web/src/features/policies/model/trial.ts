// One request that is tried: the form of it, and what the server takes.
import type { PolicyTest, PolicyTestInput, PolicyTrialRequest } from "manybase/admin";
import { policiesMessages } from "../../../messages/policies";
import { JsonProblem } from "../../../lib/json-source";
import { parseObject, printRule, type Json, type JsonObject } from "./json";

export const trialOperations = ["read", "list", "create", "update", "delete"] as const;
export type TrialOperation = (typeof trialOperations)[number];
export const callerKinds = ["user", "role", "key", "anonymous"] as const;
export type CallerKind = (typeof callerKinds)[number];
/** What a request is about: a stored document, one that is typed in, or (of lists) none in particular. */
export type About = "stored" | "typed" | "any";

export interface TrialForm {
  caller: CallerKind;
  user: string;
  role: string;
  /** The id of the user with that role; empty for one that owns nothing. */
  uid: string;
  claims: string;
  key: string;
  operation: TrialOperation;
  about: About;
  id: string;
  document: string;
  filter: string;
  body: string;
  replace: boolean;
}

export const emptyTrial: TrialForm = {
  caller: "role",
  user: "",
  role: "user",
  uid: "",
  claims: "",
  key: "",
  operation: "read",
  about: "stored",
  id: "",
  document: "",
  filter: "",
  body: "",
  replace: false,
};

/** A text of the form that is not what it must be. */
export class TrialProblem extends Error {
  constructor(
    readonly field: "claims" | "document" | "filter" | "body" | "given",
    problem: JsonProblem,
  ) {
    super(problem.message);
  }
}

/** The parts of the form that an operation has. */
export const hasAbout = (operation: TrialOperation): boolean => operation !== "create";
export const hasFilter = (operation: TrialOperation): boolean => operation === "read" || operation === "list";
export const hasBody = (operation: TrialOperation): boolean => operation === "create" || operation === "update";
/** What an operation may be about. */
export const aboutsOf = (operation: TrialOperation): About[] =>
  operation === "list" ? ["any", "stored", "typed"] : ["stored", "typed"];

function objectAt(field: TrialProblem["field"], text: string): JsonObject {
  try {
    return parseObject(text, policiesMessages.trial.notObject);
  } catch (error) {
    throw new TrialProblem(field, error as JsonProblem);
  }
}

function callerOf(form: TrialForm): PolicyTrialRequest["caller"] {
  switch (form.caller) {
    case "user":
      return { user: form.user };
    case "key":
      return { key: form.key };
    case "anonymous":
      return { anonymous: true };
    case "role":
      return {
        role: form.role,
        ...(form.uid.trim() && { uid: form.uid.trim() }),
        ...(form.claims.trim() && { claims: objectAt("claims", form.claims) }),
      };
  }
}

/** What a request is, without its collection. */
function partsOf(form: TrialForm) {
  const { operation } = form;
  const about = aboutsOf(operation).includes(form.about) ? form.about : aboutsOf(operation)[0]!;
  return {
    caller: callerOf(form),
    operation,
    ...(hasAbout(operation) && about === "stored" && { id: form.id.trim() }),
    ...(hasAbout(operation) && about === "typed" && { document: objectAt("document", form.document) }),
    ...(hasFilter(operation) && form.filter.trim() && { filter: objectAt("filter", form.filter) }),
    ...(hasBody(operation) && { body: objectAt("body", form.body.trim() || "{}") }),
    ...(operation === "update" && form.replace && { replace: true }),
  };
}

/** The request of a trial; throws a TrialProblem. `policy`: a draft, null for no policy of the collection's own. */
export const trialRequest = (form: TrialForm, collection: string, policy?: JsonObject | null): PolicyTrialRequest => ({
  collection,
  ...partsOf(form),
  ...(policy !== undefined && { policy }),
});

export const expectations = ["allowed", "hidden", "denied"] as const;
export type Expectation = (typeof expectations)[number];
export interface TestForm extends TrialForm {
  name: string;
  expect: Expectation;
  /** Documents by collection. */
  given: string;
}

/** A stored test; throws a TrialProblem. */
export function testOf(form: TestForm): PolicyTestInput {
  const given = form.given.trim() ? objectAt("given", form.given) : undefined;
  return {
    name: form.name.trim(),
    ...partsOf(form),
    ...(given && { given: given as unknown as PolicyTestInput["given"] }),
    expect: form.expect,
  };
}

const textOf = (value: unknown): string => (value === undefined ? "" : printRule(value as Json));

/** The form of a stored test. */
export function formOfTest(test: PolicyTest): TestForm {
  const { caller } = test;
  return {
    ...emptyTrial,
    name: test.name,
    expect: test.expect,
    caller: caller.anonymous ? "anonymous" : "role",
    role: caller.role ?? emptyTrial.role,
    uid: caller.uid ?? "",
    claims: textOf(caller.claims),
    operation: test.operation,
    about: test.document ? "typed" : test.id === undefined && test.operation === "list" ? "any" : "stored",
    id: test.id ?? "",
    document: textOf(test.document),
    filter: textOf(test.filter),
    body: textOf(test.body),
    replace: test.replace ?? false,
    given: textOf(test.given),
  };
}

/** What a stored test expects of a request with this outcome. */
export const expectationOf = ({ allowed, status }: { allowed: boolean; status: number }): Expectation =>
  allowed ? "allowed" : status === 404 || status === 200 ? "hidden" : "denied";
