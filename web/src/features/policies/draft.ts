import { useState } from "react";
import { parseObject, printRule, sameJson, type JsonObject } from "./model/json";
import { changedRules, ruleOf, withRule, type RuleName } from "./model/rules";
import { policiesMessages } from "../../messages/policies";

/** A text of JSON that the editor shows: that of a rule, or `whole` for that of the policy. */
export type TextName = RuleName | "whole";

export interface Draft {
  policy: JsonObject;
  /** The rules that differ from the saved policy. */
  changes: RuleName[];
  /** Whether anything differs. */
  changed: boolean;
  /** The names of texts that are no JSON of a rule or policy yet. */
  unfinished: TextName[];
  /** Whether the saved policy has changed since the first change. */
  outdated: boolean;
  /** The JSON of a rule or the policy as it is shown. */
  textOf(name: TextName): string;
  setText(name: TextName, text: string): void;
  setRule(name: RuleName, rule: JsonObject | undefined): void;
  setPolicy(policy: JsonObject): void;
  reset(): void;
}

interface State {
  /** The saved policy that the changes are of. */
  base: JsonObject;
  policy: JsonObject;
  /** As they were typed. */
  texts: Partial<Record<TextName, string>>;
}

const words = policiesMessages.form;

function valueOf(name: TextName, text: string): JsonObject | undefined {
  try {
    // A rule without text is no rule.
    if (name !== "whole" && text.trim() === "") return undefined;
    return parseObject(text, name === "whole" ? words.notPolicy : words.notObject);
  } catch {
    return undefined;
  }
}

const partOf = (policy: JsonObject, name: TextName): JsonObject | undefined => (name === "whole" ? policy : ruleOf(policy, name));
/** Whether a text is no JSON of what it is for. */
const isUnfinished = (name: TextName, text: string): boolean =>
  valueOf(name, text) === undefined && (name === "whole" || text.trim() !== "");
const unfinishedOf = (texts: State["texts"]): TextName[] =>
  (Object.entries(texts) as [TextName, string][]).filter(([name, text]) => isUnfinished(name, text)).map(([name]) => name);

/** The policy of a screen with its changes. Nothing that was typed is lost before it is saved or discarded. */
export function useDraft(saved: JsonObject): Draft {
  const [state, setState] = useState<State>({ base: saved, policy: saved, texts: {} });
  let current = state;
  const untouched = sameJson(state.policy, state.base) && unfinishedOf(state.texts).length === 0;
  if (!sameJson(state.base, saved) && (untouched || sameJson(state.policy, saved))) {
    current = { base: saved, policy: saved, texts: {} };
    setState(current);
  }
  const { base, policy, texts } = current;
  const unfinished = unfinishedOf(texts);
  return {
    policy,
    changes: changedRules(base, policy),
    changed: !sameJson(base, policy) || unfinished.length > 0,
    unfinished,
    outdated: !sameJson(base, saved),
    textOf(name) {
      const typed = texts[name];
      const part = partOf(policy, name);
      if (typed !== undefined && (isUnfinished(name, typed) || sameJson(valueOf(name, typed), part))) return typed;
      return part === undefined ? "" : printRule(part);
    },
    setText(name, text) {
      const value = valueOf(name, text);
      const finished = !isUnfinished(name, text);
      setState({
        base,
        policy: !finished ? policy : name === "whole" ? value! : withRule(policy, name, value),
        texts: { ...texts, [name]: text },
      });
    },
    setRule: (name, rule) => setState({ base, policy: withRule(policy, name, rule), texts }),
    setPolicy: (next) => setState({ base, policy: next, texts: {} }),
    reset: () => setState({ base: saved, policy: saved, texts: {} }),
  };
}
