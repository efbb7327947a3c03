import { isError } from "manybase";
import type { Integration } from "manybase/admin";
import { useState } from "react";
import { adminOf } from "../../app/queries";
import type { CodeProblem } from "../../components/editor/types";
import { isObject, printJson, type Fields } from "../../lib/json";
import { placeProblems, readJson } from "../../lib/json-source";
import { integrationMessages } from "../../messages/integrations";
import { exampleArgs, type Operation } from "./catalogue";
import type { Mode, Outcome } from "./outcome";

const words = integrationMessages.attempt;

export interface Attempt {
  /** The arguments of the operation as JSON. */
  text: string;
  /** The result that a dry call assumes, as JSON; empty for none. */
  stub: string;
  problems: { args: CodeProblem[]; stub: CodeProblem[] };
  busy: boolean;
  /** Of the last call. */
  outcome: Outcome | undefined;
  /** The arguments, where the text has an object. */
  args: Fields | undefined;
  change(text: string): void;
  changeStub(text: string): void;
  run(): Promise<void>;
}

const none = { args: [], stub: [] };

const objectOf = (text: string): Fields | undefined => {
  const read = readJson(text);
  return !read.problem && isObject(read.value) ? read.value : undefined;
};

/** A call by hand while it is written; what was written for each operation stays. */
export function useTry(projectId: string, { name }: Integration, operation: Operation, mode: Mode): Attempt {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [stub, setStub] = useState("");
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<Attempt["problems"]>(none);
  const [outcome, setOutcome] = useState<Outcome>();
  const op = operation.name;
  const text = texts[op] ?? printJson(exampleArgs(operation, words.examples));

  /** What is typed, or undefined after it was said what is wrong with it. */
  const typed = (): Outcome | undefined => {
    const given = readJson(text);
    if (given.problem) return void setProblems({ ...none, args: [given.problem] });
    if (!isObject(given.value)) return void setProblems({ ...none, args: [{ line: 1, message: words.noObject }] });
    const assumed = mode === "dry" && stub.trim() ? readJson(stub) : { value: undefined };
    if (assumed.problem) return void setProblems({ ...none, stub: [assumed.problem] });
    setProblems(none);
    return { op, args: given.value, mode, ...(assumed.value === undefined ? {} : { stub: assumed.value }) };
  };
  const run = async () => {
    if (busy) return;
    const call = typed();
    if (!call) return;
    setBusy(true);
    setOutcome(undefined);
    try {
      const { result } = await adminOf(projectId).tryIntegration(name, { ...call });
      setOutcome({ ...call, result });
    } catch (error) {
      const details = isError(error) ? error.details.filter(({ path }) => path.startsWith("/args/")) : [];
      setProblems({ ...none, args: placeProblems(text, details.map((one) => ({ ...one, path: one.path.slice("/args".length) }))) });
      setOutcome({ ...call, error });
    } finally {
      setBusy(false);
    }
  };
  return {
    text,
    stub,
    problems,
    busy,
    outcome,
    args: objectOf(text),
    change(next) {
      setTexts((old) => ({ ...old, [op]: next }));
      setProblems(none);
    },
    changeStub(next) {
      setStub(next);
      setProblems(none);
    },
    run,
  };
}
