import { isError } from "manybase";
import type { Connection, ConnectionKind } from "manybase/control";
import { useState } from "react";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { toast } from "../../components/ui/toast";
import { connectionMessages } from "../../messages/connections";
import { configText, fieldNames, newConnection, patchOf } from "./input";
import { change, type Source } from "./queries";

const words = connectionMessages.form;
const plain = { autoComplete: "off", autoCapitalize: "none", spellCheck: false } as const;
const labelOf = (name: string): string => words.labels[name] ?? name;

interface Props {
  source: Source;
  kinds: readonly ConnectionKind[];
  /** The connection that is changed; a new one without it. */
  connection?: Connection | undefined;
  onClose(): void;
}

/** Creates a connection, or changes one. Its secrets are written, never read. */
export function ConnectionForm({ source, kinds, connection, onClose }: Props) {
  const [chosen, choose] = useState(connection?.kind ?? kinds[0]?.kind);
  const kind = kinds.find((one) => one.kind === chosen);
  if (!kind) return null;
  const store = async (values: Values) => {
    if (!connection) return void (await source.create(newConnection(kind, values)));
    const patch = patchOf(connection, kind, values);
    if (Object.keys(patch).length > 0) await change(connection.id, patch);
  };
  const save = async (values: Values) => {
    try {
      await store(values);
    } catch (error) {
      if (isError(error, "CONFLICT")) throw new FormProblem("name", error.message);
      throw error;
    }
    await source.changed();
    toast(connectionMessages.saved(values["name"]!.trim()));
    onClose();
  };
  const title = connection ? words.changeTitle(connection.name) : connectionMessages.create;
  return (
    <Dialog open onClose={onClose} title={title} description={connection && kind.label}>
      <DialogForm label={title} action={connection ? words.save : words.create} onSubmit={save} onClose={onClose}>
        {!connection && (
          <SelectField
            label={words.kind}
            name="kind"
            hint={words.kindHint}
            value={kind.kind}
            onChange={choose}
            options={kinds.map(({ kind: value, label }) => ({ value, label }))}
          />
        )}
        <TextField label={words.name} name="name" hint={words.nameHint} {...plain} defaultValue={connection?.name} />
        {kind.config.map((name) => (
          <TextField
            key={name}
            label={labelOf(name)}
            name={fieldNames.config(name)}
            hint={words.configHint}
            {...plain}
            mono
            defaultValue={configText(connection?.config[name])}
          />
        ))}
        {kind.secrets.map((name) => (
          <TextField
            key={name}
            label={labelOf(name)}
            name={fieldNames.secret(name)}
            hint={connection?.secrets[name]?.["configured"] === true ? words.kept : words.secretHint}
            type="password"
            autoComplete="new-password"
            mono
          />
        ))}
      </DialogForm>
    </Dialog>
  );
}
