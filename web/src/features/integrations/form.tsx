import { useQuery } from "@tanstack/react-query";
import type { Integration, IntegrationPatch, NewIntegration as NewBody } from "manybase/admin";
import { useState, type FormEvent } from "react";
import { adminOf } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { CheckboxField } from "../../components/ui/checkbox";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { toast } from "../../components/ui/toast";
import { sameJson, type Fields } from "../../lib/json";
import { integrationMessages } from "../../messages/integrations";
import type { Provider } from "./catalogue";
import { configOf, destinationOf } from "./config";
import { ConfigFields } from "./config-fields";
import styles from "./integrations.module.css";
import { integrationsChanged, plainVariablesOf } from "./queries";
import { SecretFields } from "./secret-fields";
import { fieldNames, secretsOf, storedSecrets } from "./secrets";
import { purposeOf } from "./texts";

const words = integrationMessages.form;

/** The configuration that the form holds. */
function configIn(provider: Provider, values: Values): Fields {
  const read = configOf(provider.config, (name) => values[`config/${name}`] ?? "");
  if ("config" in read) return read.config;
  const { field, why, what } = read.wrong;
  throw new FormProblem(`config/${field}`, words.wrong[why](what));
}

/** Of a further header both its name and its value are typed, or neither. */
function checkRows(values: Values, rows: readonly number[]): void {
  for (const row of rows) {
    const name = values[fieldNames.header(row)]?.trim();
    const value = values[fieldNames.value(row)];
    if (value && !name) throw new FormProblem(fieldNames.header(row), words.headerNameless);
    if (name && !value) throw new FormProblem(fieldNames.value(row), words.headerEmpty);
  }
}

interface InputsProps {
  projectId: string;
  perms: readonly string[];
  provider: Provider;
  integration?: Integration;
  rows: readonly number[];
  onRows(rows: number[]): void;
}

function Inputs({ projectId, perms, provider, integration, rows, onRows }: InputsProps) {
  const { data: variables = [] } = useQuery(plainVariablesOf(projectId, perms));
  const stored = integration ? storedSecrets(integration.secrets) : [];
  const before = integration && stored.length > 0 ? destinationOf(provider, integration.config) : undefined;
  const [moved, setMoved] = useState(false);
  const onInput = (event: FormEvent) => {
    const form = (event.target as Element).closest("form");
    if (before === undefined || !form) return;
    const values = new FormData(form);
    const read = configOf(provider.config, (name) => String(values.get(`config/${name}`) ?? ""));
    // A text that is no value is said at the save; it leads nowhere.
    if ("config" in read) setMoved(destinationOf(provider, read.config) !== before);
  };
  return (
    <div onInput={onInput} className={styles["fields"]}>
      {!integration && (
        <TextField label={words.name} name="name" hint={words.nameHint} autoComplete="off" autoCapitalize="none" spellCheck={false} mono />
      )}
      <fieldset className={styles["group"]}>
        <legend>{words.configTitle}</legend>
        <p className={styles["hint"]}>{words.configText}</p>
        <ConfigFields fields={provider.config} config={integration?.config ?? {}} variables={variables} />
      </fieldset>
      <SecretFields provider={provider} stored={stored} movedFrom={moved ? before : undefined} rows={rows} onRows={onRows} />
      <CheckboxField label={words.enabled} hint={words.enabledHint} name="enabled" defaultChecked={integration?.enabled ?? true} />
    </div>
  );
}

interface DialogProps {
  projectId: string;
  perms: readonly string[];
  provider: Provider;
  onClose(): void;
}

/** Creates an integration of a provider; `onCreated` gets its name. */
export function NewIntegration({ projectId, perms, provider, onClose, onCreated }: DialogProps & { onCreated(name: string): void }) {
  const [rows, setRows] = useState<number[]>([]);
  const create = async (values: Values) => {
    checkRows(values, rows);
    const secrets = secretsOf(provider, [], values, rows);
    const { integration } = await adminOf(projectId).createIntegration({
      name: values["name"]?.trim() ?? "",
      provider: provider.provider as NewBody["provider"],
      config: configIn(provider, values),
      ...(Object.keys(secrets).length > 0 && { secrets }),
      enabled: values["enabled"] === "on",
    });
    await integrationsChanged(projectId);
    onCreated(integration.name);
  };
  const title = words.createTitle(provider.label);
  return (
    <Dialog open onClose={onClose} title={title} description={purposeOf(provider.provider)} wide>
      <DialogForm label={title} action={words.create} onSubmit={create} onClose={onClose}>
        <Inputs projectId={projectId} perms={perms} provider={provider} rows={rows} onRows={setRows} />
      </DialogForm>
    </Dialog>
  );
}

/** Changes an integration: what is typed replaces what is stored, and secrets that are not typed stay. */
export function EditIntegration({ projectId, perms, provider, integration, onClose }: DialogProps & { integration: Integration }) {
  const [rows, setRows] = useState<number[]>([]);
  const save = async (values: Values) => {
    checkRows(values, rows);
    const config = configIn(provider, values);
    const secrets = secretsOf(provider, storedSecrets(integration.secrets), values, rows);
    const enabled = values["enabled"] === "on";
    const patch: IntegrationPatch = {
      ...(!sameJson(config, integration.config) && { config }),
      ...(Object.keys(secrets).length > 0 && { secrets }),
      ...(enabled !== integration.enabled && { enabled }),
    };
    if (Object.keys(patch).length > 0) {
      await adminOf(projectId).updateIntegration(integration.name, patch);
      await integrationsChanged(projectId);
      toast(words.saved(integration.name));
    }
    onClose();
  };
  const title = words.editTitle(integration.name);
  return (
    <Dialog open onClose={onClose} title={title} wide>
      <DialogForm label={title} action={words.save} onSubmit={save} onClose={onClose}>
        <Inputs projectId={projectId} perms={perms} provider={provider} integration={integration} rows={rows} onRows={setRows} />
      </DialogForm>
    </Dialog>
  );
}
