import { X } from "lucide-react";
import type { PolicySet } from "manybase/admin";
import { IconButton } from "../../components/ui/button";
import { TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { policiesMessages } from "../../messages/policies";
import { isNumber, operandFor, operators, takesList, takesNothing, type Condition, type Operand, type Operator } from "./model/filter";
import styles from "./policies.module.css";

const words = policiesMessages.form;

type Kind = keyof typeof words.kinds;

function kindOf(operand: Operand): Kind {
  if (operand.kind !== "auth") return operand.kind;
  const [first] = operand.name.split(".");
  return first === "sets" || first === "token" ? first : first === "role" ? "role" : "uid";
}

function kindsFor(operator: Operator, callers: boolean): Kind[] {
  if (takesList(operator)) return callers ? ["sets", "token", "texts", "numbers"] : ["texts", "numbers"];
  const plain: Kind[] = ["text", "number", "boolean", "null"];
  return callers ? ["uid", ...plain, "role", "token"] : plain;
}

function operandOfKind(kind: Kind, before: Operand, sets: readonly PolicySet[]): Operand {
  const text = "text" in before ? before.text : "texts" in before ? (before.texts[0] ?? "") : "";
  switch (kind) {
    case "text":
    case "number":
      return { kind, text };
    case "boolean":
      return { kind, value: true };
    case "null":
      return { kind };
    case "texts":
    case "numbers":
      return { kind, texts: "texts" in before ? before.texts : [text] };
    case "uid":
    case "role":
      return { kind: "auth", name: kind };
    case "token":
      return { kind: "auth", name: "token." };
    case "sets":
      return { kind: "auth", name: `sets.${sets[0]?.name ?? ""}` };
  }
}

function Value({ operand, sets, onChange }: {
  operand: Operand;
  sets: readonly PolicySet[];
  onChange(operand: Operand): void;
}) {
  const label = words.value;
  switch (operand.kind) {
    case "text":
      return (
        <TextField label={label} name="rowValue" value={operand.text} onChange={(event) => onChange({ ...operand, text: event.target.value })} />
      );
    case "number":
      return (
        <TextField
          label={label}
          name="rowValue"
          inputMode="decimal"
          value={operand.text}
          hint={isNumber(operand.text) ? undefined : words.notNumber}
          onChange={(event) => onChange({ ...operand, text: event.target.value })}
        />
      );
    case "texts":
    case "numbers":
      return (
        <div className={styles["lines"]}>
          <label>
            {label}
            <textarea
              rows={3}
              value={operand.texts.join("\n")}
              onChange={(event) => onChange({ ...operand, texts: event.target.value.split("\n") })}
            />
          </label>
          <p className={styles["hint"]}>
            {operand.kind === "numbers" && !operand.texts.every(isNumber) ? words.notNumber : words.oneALine}
          </p>
        </div>
      );
    case "boolean":
      return (
        <SelectField
          label={label}
          name="rowValue"
          value={String(operand.value)}
          options={[
            { value: "true", label: words.yes },
            { value: "false", label: words.no },
          ]}
          onChange={(value) => onChange({ kind: "boolean", value: value === "true" })}
        />
      );
    case "auth":
      if (operand.name.startsWith("token.")) {
        return (
          <TextField
            label={words.claim}
            name="rowClaim"
            mono
            value={operand.name.slice(6)}
            onChange={(event) => onChange({ kind: "auth", name: `token.${event.target.value}` })}
          />
        );
      }
      if (!operand.name.startsWith("sets.")) return null;
      return (
        <SelectField
          label={words.set}
          name="rowSet"
          value={operand.name.slice(5)}
          options={
            sets.some((one) => `sets.${one.name}` === operand.name)
              ? sets.map(({ name }) => ({ value: name, label: name }))
              : [{ value: operand.name.slice(5), label: operand.name.slice(5) || words.noSet }, ...sets.map(({ name }) => ({ value: name, label: name }))]
          }
          onChange={(name) => onChange({ kind: "auth", name: `sets.${name}` })}
        />
      );
    case "null":
      return null;
  }
}

/** One comparison of a field. `callers`: with values of the caller, which public rules do not have. */
export function FilterRow({ label, condition, fieldsId, sets, callers, only, onChange, onRemove, removeLabel }: {
  label: string;
  condition: Condition;
  /** Of the list of fields that are offered. */
  fieldsId: string;
  sets: readonly PolicySet[];
  callers: boolean;
  /** The comparisons that are offered; by default all. */
  only?: readonly Operator[];
  onChange(condition: Condition): void;
  onRemove?(): void;
  removeLabel: string;
}) {
  const { operator, operand } = condition;
  const kind = kindOf(operand);
  const kinds = kindsFor(operator, callers);
  return (
    <div role="group" aria-label={label} className={styles["row"]}>
      <TextField
        label={words.field}
        name="rowField"
        mono
        list={fieldsId}
        autoComplete="off"
        value={condition.path}
        onChange={(event) => onChange({ ...condition, path: event.target.value })}
      />
      <SelectField
        label={words.operator}
        name="rowOperator"
        value={operator}
        options={(only ?? operators).map((value) => ({ value, label: policiesMessages.words.operators[value] }))}
        onChange={(value) =>
          onChange({ ...condition, operator: value as Operator, operand: operandFor(value as Operator, operand) })
        }
      />
      {!takesNothing(operator) && (
        <SelectField
          label={words.kind}
          name="rowKind"
          value={kind}
          options={(kinds.includes(kind) ? kinds : [kind, ...kinds]).map((value) => ({ value, label: words.kinds[value] }))}
          onChange={(value) => onChange({ ...condition, operand: operandOfKind(value as Kind, operand, sets) })}
        />
      )}
      {!takesNothing(operator) && (
        <Value operand={operand} sets={sets} onChange={(next) => onChange({ ...condition, operand: next })} />
      )}
      {onRemove && (
        <IconButton label={removeLabel} onClick={onRemove}>
          <X size={14} aria-hidden />
        </IconButton>
      )}
    </div>
  );
}
