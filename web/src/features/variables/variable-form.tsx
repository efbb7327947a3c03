import { isError } from "manybase";
import type { Variable } from "manybase/admin";
import { useState } from "react";
import { adminOf, projectChanged } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { CheckboxField } from "../../components/ui/checkbox";
import { Dialog } from "../../components/ui/dialog";
import { CodeField, TextField } from "../../components/ui/field";
import { toast } from "../../components/ui/toast";
import { can } from "../../lib/permissions";
import { variableMessages } from "../../messages/variables";

const words = variableMessages.form;

interface Props {
  projectId: string;
  perms: readonly string[];
  /** The variable that is changed; a new one without it. */
  variable?: Variable;
  /** Names that are taken. */
  names: readonly string[];
  onClose(): void;
}

/** Makes a variable, or gives one another value. The value of a secret one is written, never read. */
export function VariableForm({ projectId, perms, variable, names, onClose }: Props) {
  const [secret, setSecret] = useState(variable?.secret ?? false);
  const [moves, setMoves] = useState(false);
  const sealed = variable?.secret && variable.configured;
  const save = async (values: Values) => {
    const name = variable?.name ?? values["name"]!.trim();
    if (!name) throw new FormProblem("name", words.noName);
    if (!variable && names.includes(name)) throw new FormProblem("name", words.taken(name));
    const typed = values["value"]!.replaceAll("\r\n", "\n");
    // A sealed value that is not typed anew stays, and none is made of nothing.
    const value = typed === "" && (sealed || !variable?.configured) ? undefined : typed;
    try {
      await adminOf(projectId).setVariable(name, { value, secret, ...(values["moveSecrets"] && { moveSecrets: true }) });
    } catch (error) {
      if (isError(error) && error.details.some(({ path }) => path === "/moveSecrets")) setMoves(true);
      throw error;
    }
    toast(variableMessages.saved(name));
    onClose();
    await projectChanged(projectId);
  };
  const title = variable ? words.changeTitle(variable.name) : words.title;
  return (
    <Dialog open onClose={onClose} title={title}>
      <DialogForm label={title} action={words.action} onSubmit={save} onClose={onClose}>
        {!variable && (
          <TextField label={words.name} name="name" hint={words.nameHint} autoComplete="off" autoCapitalize="characters" spellCheck={false} mono />
        )}
        <CodeField
          label={words.value}
          name="value"
          hint={sealed ? (secret ? words.kept : words.plainHint) : words.valueHint}
          rows={3}
          defaultValue={variable?.value}
        />
        <CheckboxField label={words.secret} name="secret" hint={words.secretHint} checked={secret} onChange={setSecret} />
        {moves && can(perms, "*") && <CheckboxField label={words.move} name="moveSecrets" hint={words.moveHint} />}
      </DialogForm>
    </Dialog>
  );
}
