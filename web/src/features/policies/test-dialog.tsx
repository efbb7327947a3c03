import { useQuery } from "@tanstack/react-query";
import type { PolicyTestInput } from "manybase/admin";
import { useState } from "react";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem } from "../../components/form/form";
import { Dialog } from "../../components/ui/dialog";
import { CodeField, TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { policiesMessages } from "../../messages/policies";
import { rolesOf } from "./data";
import { expectations, testOf, TrialProblem, type Expectation, type TestForm } from "./model/trial";
import type { Permission } from "./rights";
import { TrialFields } from "./trial-fields";

const words = policiesMessages.tests;
// Records differ between environments, so a test names its caller by role.
const kinds = ["role", "anonymous"] as const;

interface TestDialogProps {
  projectId: string;
  collection: string;
  may: Permission;
  title: string;
  initial: TestForm;
  /** The names of the other tests. */
  taken: readonly string[];
  onSave(test: PolicyTestInput): Promise<void>;
  onClose(): void;
}

/** A stored test as a form. */
export function TestDialog({ projectId, collection, may, title, initial, taken, onSave, onClose }: TestDialogProps) {
  const [form, setForm] = useState(initial);
  const roles = useQuery(rolesOf(projectId, may)).data ?? [];
  const change = (more: Partial<TestForm>) => setForm({ ...form, ...more });
  const save = async () => {
    if (!form.name.trim()) throw new FormProblem("name", policiesMessages.templates.required);
    if (taken.includes(form.name.trim())) throw new FormProblem("name", words.taken);
    let test: PolicyTestInput;
    try {
      test = testOf(form);
    } catch (error) {
      if (error instanceof TrialProblem) throw new FormProblem(error.field, error.message);
      throw error;
    }
    await onSave(test);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={title} wide>
      <DialogForm label={title} action={words.save} onSubmit={save} onClose={onClose}>
        <TextField label={words.name} name="name" autoComplete="off" value={form.name} onChange={(event) => change({ name: event.target.value })} />
        <SelectField
          label={words.expect}
          name="expect"
          value={form.expect}
          options={expectations.map((value) => ({ value, label: words.expectations[value] }))}
          onChange={(expect) => change({ expect: expect as Expectation })}
        />
        <TrialFields projectId={projectId} collection={collection} may={may} roles={roles} form={form} kinds={kinds} onChange={change} />
        <CodeField
          label={words.given}
          name="given"
          hint={words.givenHint}
          rows={3}
          value={form.given}
          onChange={(event) => change({ given: event.target.value })}
        />
      </DialogForm>
    </Dialog>
  );
}
