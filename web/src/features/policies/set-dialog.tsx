import { useQuery } from "@tanstack/react-query";
import type { PolicySet } from "manybase/admin";
import { Plus } from "lucide-react";
import { useId, useState } from "react";
import { projectChanged } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { Alert } from "../../components/states/alert";
import { Button } from "../../components/ui/button";
import { CheckboxField } from "../../components/ui/checkbox";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { toast } from "../../components/ui/toast";
import { policiesMessages } from "../../messages/policies";
import { collectionNamesOf, fieldsOf, indexedOf } from "./data";
import { FilterRow } from "./filter-row";
import { emptyCondition, type Condition } from "./model/filter";
import { inlineJson } from "../../lib/json";
import type { Json, JsonObject } from "./model/json";
import { formOfWhere, setOperators, whereOf } from "./model/sets";
import styles from "./policies.module.css";
import type { Permission } from "./rights";
import { saveSet } from "./save-set";

const words = policiesMessages.sets;
const required = policiesMessages.templates.required;

interface SetDialogProps {
  projectId: string;
  may: Permission;
  /** The set that is changed; absent for a new one. */
  set?: PolicySet;
  /** The names that are taken. */
  taken: readonly string[];
  onClose(): void;
}

/** A set as a form. Conditions that have no form stay as they are. */
export function SetDialog({ projectId, may, set, taken, onClose }: SetDialogProps) {
  const fieldsId = useId();
  const collections = useQuery(collectionNamesOf(projectId, may)).data ?? [];
  const known = set && formOfWhere(set.where as JsonObject);
  const fixed = set !== undefined && !known;
  const [collection, setCollection] = useState(set?.collection ?? "");
  const [userField, setUserField] = useState(known?.userField ?? "userId");
  const [conditions, setConditions] = useState<Condition[]>(known?.conditions ?? []);
  const fields = useQuery(fieldsOf(projectId, collection, may)).data ?? [];
  const indexed = useQuery(indexedOf(projectId, collection, may)).data;
  const needsIndex = !fixed && may("collections:manage") && indexed !== undefined && !indexed.includes(userField);
  const title = set ? words.editTitle(set.name) : words.createTitle;

  const save = async (values: Values) => {
    const name = set?.name ?? (values["name"] ?? "").trim();
    const value = (values["value"] ?? "").trim();
    for (const [field, text] of Object.entries({ name, collection, userField, value })) {
      if (!text.trim()) throw new FormProblem(field, required);
    }
    if (!set && taken.includes(name)) throw new FormProblem("name", policiesMessages.templates.taken);
    const where = fixed ? set.where : whereOf({ userField, conditions });
    await saveSet(
      { projectId, may, name, set: { collection, where, value }, userField, index: values["index"] === "on" },
      "name",
    );
    await projectChanged(projectId);
    toast(words.saved(name));
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={title} wide>
      <DialogForm label={title} action={words.save} onSubmit={save} onClose={onClose}>
        {!set && <TextField label={policiesMessages.templates.setName} name="name" hint={policiesMessages.templates.setHint} mono autoComplete="off" />}
        <SelectField
          label={words.collection}
          name="collection"
          value={collection}
          options={[
            ...(collections.includes(collection) ? [] : [{ value: collection, label: collection || policiesMessages.trial.choose }]),
            ...collections.map((value) => ({ value, label: value })),
          ]}
          onChange={setCollection}
        />
        <datalist id={fieldsId}>
          {fields.map((field) => (
            <option key={field} value={field} />
          ))}
        </datalist>
        {fixed ? (
          <p>
            {words.onlyJson} <code>{inlineJson(set.where as Json)}</code>
          </p>
        ) : (
          <TextField
            label={words.userField}
            name="userField"
            mono
            list={fieldsId}
            autoComplete="off"
            value={userField}
            onChange={(event) => setUserField(event.target.value)}
          />
        )}
        <TextField label={words.valueField} name="value" defaultValue={set?.value ?? "teamId"} mono list={fieldsId} autoComplete="off" />
        {!fixed && (
          <div role="group" aria-label={words.conditions} className={styles["builder"]}>
            <p className={styles["label"]}>{words.conditions}</p>
            <p className={styles["hint"]}>{words.conditionsHint}</p>
            {conditions.map((condition, at) => (
              <FilterRow
                key={at}
                label={policiesMessages.form.condition(at + 1)}
                condition={condition}
                fieldsId={fieldsId}
                sets={[]}
                callers={false}
                only={setOperators}
                onChange={(next) => setConditions(conditions.map((one, i) => (i === at ? next : one)))}
                onRemove={() => setConditions(conditions.filter((_, i) => i !== at))}
                removeLabel={policiesMessages.form.remove(at + 1)}
              />
            ))}
            <div className={styles["adds"]}>
              <Button small onClick={() => setConditions([...conditions, emptyCondition])}>
                <Plus size={14} aria-hidden />
                {policiesMessages.form.addCondition}
              </Button>
            </div>
          </div>
        )}
        {needsIndex && userField.trim() && <CheckboxField name="index" label={words.index(userField)} defaultChecked />}
        <Alert tone="warn">{words.warning}</Alert>
      </DialogForm>
    </Dialog>
  );
}
