import type { PolicySet, Role } from "manybase/admin";
import { useId } from "react";
import { CodeEditor } from "../../components/editor/code-editor";
import { CheckboxField } from "../../components/ui/checkbox";
import { can } from "../../lib/permissions";
import { policiesMessages } from "../../messages/policies";
import { defaultPolicy } from "./data";
import { FilterBuilder } from "./filter-builder";
import { emptyCondition, ownerCondition, printFilter } from "./model/filter";
import { isObject, type JsonObject } from "./model/json";
import type { RuleProblem } from "./model/problems";
import { splitRoles, withRoles } from "./model/roles";
import { fieldListsOf, fieldsOf, isPublic, operationOf, validates, withKey, type Operation, type RuleName } from "./model/rules";
import { NamesField } from "./names-field";
import styles from "./policies.module.css";
import { WhoField } from "./who-field";

const words = policiesMessages.form;

export interface Known {
  collection: string;
  fields: readonly string[];
  sets: readonly PolicySet[];
  roles: readonly Role[];
}

interface RuleFormProps extends Known {
  name: RuleName;
  rule: JsonObject | undefined;
  /** Whether the rule of callers without a token holds where there is none. */
  byPublic: boolean;
  problems: readonly RuleProblem[];
  onChange(rule: JsonObject | undefined): void;
  onSave(): void;
  onRun(): void;
}

type Who = "nobody" | "everyone" | "some";

/** The roles of users that a write asks for, in its expression. */
function Roles({ collection, name, roles, expression, onChange }: Pick<RuleFormProps, "collection" | "name" | "roles"> & {
  expression: string;
  onChange(expression: string): void;
}) {
  const chosen = splitRoles(expression).roles;
  const needed = `data:${collection}:${operationOf(name)}`;
  const names = [...new Set([...roles.map((role) => role.name), ...chosen])];
  const holds = (role: string) => {
    const found = roles.find((one) => one.name === role);
    return !found || collection === defaultPolicy || can(found.permissions, needed);
  };
  return (
    <fieldset className={styles["roles"]}>
      <legend>{words.roles}</legend>
      <p className={styles["hint"]}>{words.rolesHint}</p>
      {names.map((role) => (
        <CheckboxField
          key={role}
          name="role"
          label={role}
          hint={holds(role) ? undefined : words.lacking(needed)}
          checked={chosen.includes(role)}
          onChange={(on) => onChange(withRoles(expression, on ? [...chosen, role] : chosen.filter((one) => one !== role)))}
        />
      ))}
    </fieldset>
  );
}

/** A rule as a form. */
export function RuleForm({ name, rule, byPublic, problems, onChange, onSave, onRun, ...known }: RuleFormProps) {
  const id = useId();
  const { collection, fields, sets, roles } = known;
  const operation = operationOf(name);
  const open = isPublic(name);
  const filter = isObject(rule?.["filter"]) ? rule["filter"] : {};
  const who: Who = !rule ? "nobody" : Object.keys(filter).length ? "some" : "everyone";
  const expression = typeof rule?.["validate"] === "string" ? rule["validate"] : "";
  const set = (key: string, value: JsonObject[string] | undefined) => onChange(withKey(rule ?? {}, key, value));

  const choose = (next: Who) => {
    if (next === "nobody") onChange(undefined);
    else if (next === "everyone") set("filter", undefined);
    else set("filter", printFilter([[open ? emptyCondition : ownerCondition()]]));
  };
  const setExpression = (text: string) => set("validate", text.trim() ? text : undefined);
  const lacking = open || collection === defaultPolicy ? [] : roles.filter((one) => !can(one.permissions, `data:${collection}:${operation}`));
  return (
    <div className={styles["form"]}>
      <WhoField
        label={words.who}
        value={who}
        onChange={choose}
        choices={[
          { value: "nobody", ...withoutRule(operation, byPublic) },
          { value: "everyone", label: open ? words.everyVisitor : words.everyone, hint: open ? undefined : words.everyoneHint },
          { value: "some", label: words.some, hint: words.someHint[operation] },
        ]}
      />
      {who === "some" && (
        <FilterBuilder
          key={name}
          filter={filter}
          fields={fields}
          sets={sets}
          callers={!open}
          onChange={(next) => set("filter", next)}
        />
      )}
      {rule && lacking.length > 0 && operation !== "admin" && !validates(name) && (
        <p className={styles["hint"]}>
          {words.rolesLacking(lacking.map((one) => one.name), `data:${collection}:${operation}`)}
        </p>
      )}
      {rule && validates(name) && (
        <>
          {!open && operation !== "admin" && roles.length > 0 && (
            <Roles collection={collection} name={name} roles={roles} expression={expression} onChange={setExpression} />
          )}
          <div className={styles["code"]}>
            <p id={id} className={styles["label"]}>
              {words.expression}
            </p>
            <p className={styles["hint"]}>{words.expressionHint}</p>
            <CodeEditor
              label={words.celOf(name)}
              language="cel"
              rows={3}
              value={expression}
              onChange={setExpression}
              problems={problems
                .filter((one) => one.key === "validate")
                .map(({ line = 1, column, message }) => ({ line, column, message }))}
              complete={celWords(fields, sets)}
              onSave={onSave}
              onRun={onRun}
            />
          </div>
        </>
      )}
      {rule &&
        fieldListsOf(name).map((list) => (
          <NamesField
            key={`${name} ${list}`}
            label={words.lists[list]}
            hint={words.listHints[list]}
            name={list}
            value={fieldsOf(rule, list)}
            onChange={(names) => set(list, names.length ? names : undefined)}
          />
        ))}
    </div>
  );
}

/** What it means that there is no rule. */
function withoutRule(operation: Operation, byPublic: boolean): { label: string; hint: string } {
  if (operation === "admin") return { label: words.asOthers, hint: words.asOthersHint };
  if (byPublic) return { label: words.asPublic, hint: words.asPublicHint };
  return { label: words.nobody, hint: words.nobodyHint };
}

/** What an expression may name. */
const celWords = (fields: readonly string[], sets: readonly PolicySet[]) => [
  ...fields.flatMap((field) => [{ label: `document.${field}` }, { label: `previous.${field}` }]),
  ...["auth.uid", "auth.role", "auth.token", "now", "has()", "size()"].map((label) => ({ label })),
  ...sets.map(({ name, collection }) => ({ label: `auth.sets.${name}`, detail: collection })),
];
