import { useId } from "react";
import { CodeEditor } from "../../components/editor/code-editor";
import { Alert } from "../../components/states/alert";
import { policiesMessages } from "../../messages/policies";
import type { Draft, TextName } from "./draft";
import { JsonProblem } from "../../lib/json-source";
import { parseObject } from "./model/json";
import type { RuleProblem, RuleProblems } from "./model/problems";
import { isPublic, operationOf, publicOperations, ruleOf, type RuleName } from "./model/rules";
import styles from "./policies.module.css";
import { RuleForm, type Known } from "./rule-form";
import { InWords } from "./words";

const words = policiesMessages;
const none: readonly RuleProblem[] = [];

/** What is wrong with a text of JSON, if anything. */
function problemsIn(text: string, name: TextName): { line: number; column?: number; message: string }[] {
  try {
    if (text.trim() || name === "whole") parseObject(text, name === "whole" ? words.form.notPolicy : words.form.notObject);
    return [];
  } catch (error) {
    const { line, column, message } = error as JsonProblem;
    return [{ line, column, message }];
  }
}

interface RulePaneProps extends Known {
  name: TextName;
  draft: Draft;
  problems: RuleProblems;
  /** Whether the person may not change it. */
  readOnly: boolean;
  onSave(): void;
  onRun(): void;
}

export const titleOf = (name: TextName): string => {
  if (name === "whole") return words.rules.whole;
  const operation = words.rules.names[operationOf(name)];
  return isPublic(name) ? words.rules.visitor(operation) : operation;
};

const hasPublic = (draft: Draft, name: RuleName): boolean => {
  const open = publicOperations.find((one) => one === name);
  return open !== undefined && ruleOf(draft.policy, `public.${open}`) !== undefined;
};

/** One rule: in words, as a form, and as JSON; all three are the same draft. */
export function RulePane({ name, draft, problems, readOnly, onSave, onRun, ...known }: RulePaneProps) {
  const id = useId();
  const text = draft.textOf(name);
  const unfinished = draft.unfinished.includes(name);
  const rule = name === "whole" ? undefined : ruleOf(draft.policy, name);
  const byPublic = name !== "whole" && !rule && hasPublic(draft, name);
  const found = name === "whole" ? none : (problems[name] ?? none);
  const elsewhere = found.filter((one) => one.key !== "validate");
  const json = (
    <div className={styles["code"]}>
      <h4>{name === "whole" ? words.form.jsonWhole : words.form.json}</h4>
      <CodeEditor
        label={name === "whole" ? words.form.jsonWhole : words.form.jsonOf(titleOf(name))}
        language="json"
        rows={name === "whole" ? 24 : 8}
        value={text}
        readOnly={readOnly}
        onChange={(next) => draft.setText(name, next)}
        problems={unfinished ? problemsIn(text, name) : []}
        onSave={onSave}
        onRun={onRun}
      />
    </div>
  );
  return (
    <section aria-labelledby={id} className={styles["pane"]}>
      <header>
        <h3 id={id} tabIndex={-1}>
          {titleOf(name)}
        </h3>
        <p className={styles["hint"]}>{name === "whole" ? words.rules.wholeText : words.rules.about[operationOf(name)]}</p>
      </header>
      {name !== "whole" && <InWords rule={rule} name={name} byPublic={byPublic} />}
      {elsewhere.length > 0 && (
        <Alert>
          <ul>
            {elsewhere.map(({ key, path, message }, at) => (
              <li key={at}>
                <code>{[key, path].filter(Boolean).join(".")}</code> {message}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {name === "whole" || readOnly ? (
        json
      ) : (
        <div className={styles["both"]}>
          {unfinished ? (
            <p className={styles["hint"]}>{words.form.mendJson}</p>
          ) : (
            <RuleForm
              key={name}
              {...known}
              name={name}
              rule={rule}
              byPublic={byPublic || (!isPublic(name) && hasPublic(draft, name))}
              problems={found}
              onChange={(next) => draft.setRule(name, next)}
              onSave={onSave}
              onRun={onRun}
            />
          )}
          {json}
        </div>
      )}
    </section>
  );
}
