import { ManybaseError, isError } from "manybase";
import { Plus, X } from "lucide-react";
import { useId, useRef, useState } from "react";
import { adminOf, projectChanged } from "../../app/queries";
import { useFieldPaths } from "../../components/data/schema";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { Button, IconButton } from "../../components/ui/button";
import { CheckboxField } from "../../components/ui/checkbox";
import { Dialog } from "../../components/ui/dialog";
import { CodeField, TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { toast } from "../../components/ui/toast";
import { indexMessages } from "../../messages/indexes";
import styles from "./indexes.module.css";
import { formPath, indexOf, keyField, type Key } from "./new-index";

const words = indexMessages.dialog;

/** What a conflict means, with the server's words before it. */
function explained({ status, code, message, requestId }: ManybaseError, sparse: boolean): ManybaseError {
  const { duplicates } = indexMessages;
  const about = /cannot be unique/.test(message)
    ? [duplicates.values, ...(sparse ? [] : [duplicates.sparse]), duplicates.find]
    : /exists already/.test(message) ? [duplicates.same] : [];
  return new ManybaseError(status, code, [message, ...about].join("\n"), requestId ? { requestId } : {});
}

interface KeysProps {
  keys: readonly Key[];
  onChange(keys: Key[]): void;
}

/** The fields of the index in their order, each with its direction. */
function Keys({ keys, onChange }: KeysProps) {
  const paths = useFieldPaths();
  const list = useId();
  const next = useRef(keys.length);
  const add = useRef<HTMLButtonElement>(null);
  const change = (row: number, part: Partial<Key>) => onChange(keys.map((key) => (key.row === row ? { ...key, ...part } : key)));
  const remove = (row: number) => {
    onChange(keys.filter((key) => key.row !== row));
    add.current?.focus();
  };
  return (
    <fieldset className={styles["keys"]}>
      <legend>{words.keys}</legend>
      <p className={styles["hint"]}>{words.keysHint}</p>
      {keys.map(({ row, path, direction }, at) => (
        <div key={row} className={styles["key"]}>
          <TextField
            label={words.key(at)}
            name={keyField(at)}
            value={path}
            onChange={(event) => change(row, { path: event.target.value })}
            list={list}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            mono
          />
          <SelectField
            label={words.direction(at)}
            name={`direction-${at}`}
            value={String(direction)}
            onChange={(value) => change(row, { direction: value === "1" ? 1 : -1 })}
            options={[
              { value: "1", label: words.ascending },
              { value: "-1", label: words.descending },
            ]}
          />
          {keys.length > 1 && (
            <IconButton label={words.removeKey(at)} onClick={() => remove(row)}>
              <X size={14} aria-hidden />
            </IconButton>
          )}
        </div>
      ))}
      <datalist id={list}>
        {["createdAt", "updatedAt", "ownerId", ...paths].map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <div>
        <Button small ref={add} onClick={() => onChange([...keys, { row: next.current++, path: "", direction: 1 }])}>
          <Plus size={14} aria-hidden />
          {words.addKey}
        </Button>
      </div>
    </fieldset>
  );
}

/** Creates an index. */
export function IndexDialog({ projectId, collection, onClose }: { projectId: string; collection: string; onClose(): void }) {
  const [keys, setKeys] = useState<Key[]>([{ row: 0, path: "", direction: 1 }]);
  const more = useRef<HTMLDetailsElement>(null);
  /** Shows the fields below "More" where one of them is wrong. */
  const reveal = (fields: readonly string[]) => {
    const hidden = more.current!;
    if (fields.some((field) => hidden.querySelector(`[name="${CSS.escape(field)}"]`))) hidden.open = true;
  };
  const create = async (values: Values) => {
    const read = indexOf(keys, values);
    if ("field" in read) {
      reveal([read.field]);
      throw new FormProblem(read.field, read.message);
    }
    try {
      const { name } = await adminOf(projectId).createIndex(collection, read.body);
      await projectChanged(projectId);
      toast(words.created(name));
      onClose();
    } catch (error) {
      if (isError(error, "CONFLICT")) throw explained(error, read.body.sparse === true);
      if (!isError(error, "VALIDATION")) throw error;
      const { status, code, message, requestId } = error;
      const details = error.details.map(({ path, message: text }) => ({ path: formPath(path, keys), message: text }));
      reveal(details.map(({ path }) => path.split("/")[1] ?? ""));
      throw new ManybaseError(status, code, message, { details, ...(requestId ? { requestId } : {}) });
    }
  };
  return (
    <Dialog open onClose={onClose} title={words.title} description={words.text}>
      <DialogForm label={words.title} action={words.action} onSubmit={create} onClose={onClose}>
        <Keys keys={keys} onChange={setKeys} />
        <CheckboxField label={words.unique} name="unique" hint={words.uniqueHint} />
        <CheckboxField label={words.sparse} name="sparse" hint={words.sparseHint} />
        <details ref={more} className={styles["more"]}>
          <summary>{words.more}</summary>
          <div>
            <TextField label={words.name} name="name" hint={words.nameHint} autoComplete="off" autoCapitalize="none" spellCheck={false} mono />
            <CodeField label={words.partialFilter} name="partialFilter" hint={words.partialFilterHint} rows={3} />
            <TextField label={words.expireAfterSeconds} name="expireAfterSeconds" hint={words.expireHint} inputMode="numeric" autoComplete="off" />
            <CodeField label={words.include} name="include" hint={words.includeHint} rows={3} />
            <CheckboxField label={words.covering} name="covering" hint={words.coveringHint} />
          </div>
        </details>
      </DialogForm>
    </Dialog>
  );
}
