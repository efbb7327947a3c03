import { Braces, Plus, X } from "lucide-react";
import { useId, useState } from "react";
import { CodeEditor } from "../../components/editor/code-editor";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { Button, IconButton } from "../../components/ui/button";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { exactJson, isObject, printJson, type Fields } from "../../lib/json";
import { documentMessages as words } from "../../messages/documents";
import { conditionsOf, operators, valueOf, withCondition, without, type Condition } from "./filter";
import styles from "./documents.module.css";

interface FilterProps {
  filter: Fields;
  fields: readonly string[];
  onChange(filter: Fields): void;
}

const textOf = ({ path, op, value }: Condition): string => {
  const text = exactJson.stringify(value)!;
  const cut = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return path === undefined ? `${op} ${cut}` : `${path} ${words.operators[op] ?? op} ${cut}`;
};

function NewCondition({ filter, fields, onChange, onClose }: FilterProps & { onClose(): void }) {
  const id = useId();
  const add = async ({ path = "", op = "$eq", value = "" }: Values) => {
    if (!path.trim() || path.startsWith("$")) throw new FormProblem("path", words.fieldHint);
    onChange(withCondition(filter, { path: path.trim(), op, value: valueOf(value) }));
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.conditionTitle}>
      <DialogForm label={words.conditionTitle} action={words.apply} onSubmit={add} onClose={onClose} passing>
        <TextField label={words.field} name="path" hint={words.fieldHint} list={id} autoComplete="off" autoCapitalize="none" mono />
        <datalist id={id}>
          {fields.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <SelectField label={words.operator} name="op" options={operators.map((op) => ({ value: op, label: words.operators[op]! }))} />
        <TextField label={words.value} name="value" hint={words.valueHint} autoComplete="off" mono />
      </DialogForm>
    </Dialog>
  );
}

function FilterAsJson({ filter, fields, onChange, onClose }: FilterProps & { onClose(): void }) {
  const [text, setText] = useState(() => printJson(filter));
  const apply = async () => {
    let next: unknown;
    try {
      next = exactJson.parse(text.trim() || "{}");
    } catch (error) {
      throw new FormProblem("", words.panel.why((error as Error).message));
    }
    if (!isObject(next)) throw new FormProblem("", words.notFilter);
    onChange(next);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.asJson} description={words.filterText} wide>
      <DialogForm label={words.asJson} action={words.apply} onSubmit={apply} onClose={onClose} passing>
        <CodeEditor label={words.asJson} value={text} onChange={setText} language="json" rows={10} complete={fields.map((label) => ({ label }))} />
      </DialogForm>
    </Dialog>
  );
}

/** The conditions of the filter, each with a button that removes it, and what adds more. */
export function FilterBar(props: FilterProps) {
  const { filter, onChange } = props;
  const [open, setOpen] = useState<"condition" | "json">();
  const close = () => setOpen(undefined);
  return (
    <div className={styles["filter"]}>
      {conditionsOf(filter).map((condition) => {
        const text = textOf(condition);
        return (
          <span key={`${condition.path} ${condition.op}`} className={styles["chip"]}>
            <bdi title={text}>{text}</bdi>
            <IconButton label={words.removeCondition(text)} onClick={() => onChange(without(filter, condition))}>
              <X size={12} aria-hidden />
            </IconButton>
          </span>
        );
      })}
      <Button small look="quiet" data-filter onClick={() => setOpen("condition")}>
        <Plus size={14} aria-hidden />
        {words.addCondition}
      </Button>
      <Button small look="quiet" shrinks title={words.asJson} onClick={() => setOpen("json")}>
        <Braces size={14} aria-hidden />
        <span>{words.asJson}</span>
      </Button>
      {open === "condition" && <NewCondition {...props} onClose={close} />}
      {open === "json" && <FilterAsJson {...props} onClose={close} />}
    </div>
  );
}
