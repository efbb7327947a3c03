import { useQuery } from "@tanstack/react-query";
import type { CreatedWebhook, Webhook } from "manybase/admin";
import { useId, useState } from "react";
import { adminOf } from "../../app/queries";
import { collectionNamesOf } from "../../components/data/queries";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, useFieldError, type Values } from "../../components/form/form";
import { Alert } from "../../components/states/alert";
import { CheckboxField } from "../../components/ui/checkbox";
import { Dialog } from "../../components/ui/dialog";
import { CodeField, TextField } from "../../components/ui/field";
import { toast } from "../../components/ui/toast";
import { headerText, linesOf, parseHeaders } from "../../lib/header-lines";
import { webhookMessages } from "../../messages/webhooks";
import { allEvents, changesOf, type Settings, type WebhookEvent } from "./model";
import { webhooksChanged } from "./queries";
import styles from "./webhooks.module.css";

const words = webhookMessages.form;

function Events({ chosen }: { chosen: readonly WebhookEvent[] }) {
  const error = useFieldError("events");
  const id = useId();
  return (
    <fieldset className={styles["events"]} aria-describedby={error ? id : undefined}>
      <legend>{words.events}</legend>
      {/* An error of the server about "events" belongs to this group. */}
      <input type="hidden" name="events" />
      {allEvents.map((event) => (
        <CheckboxField key={event} label={words[event]} name={`on-${event}`} defaultChecked={chosen.includes(event)} />
      ))}
      {error && (
        <p id={id} className={styles["error"]}>
          {error}
        </p>
      )}
    </fieldset>
  );
}

function Fields({ given }: { given: readonly string[] }) {
  const [text, setText] = useState(given.join("\n"));
  return (
    <>
      <CodeField
        label={words.fields}
        name="fields"
        hint={words.fieldsHint}
        rows={3}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {linesOf(text).length === 0 && <Alert tone="warn">{words.wholeWarning}</Alert>}
    </>
  );
}

interface PartProps {
  projectId: string;
  perms: readonly string[];
  webhook?: Webhook;
}

function Inputs({ projectId, perms, webhook }: PartProps) {
  const { data: names } = useQuery(collectionNamesOf(projectId, perms));
  const list = useId();
  return (
    <>
      {!webhook && (
        <TextField label={words.name} name="name" hint={words.nameHint} autoComplete="off" autoCapitalize="none" mono />
      )}
      <TextField
        label={words.collection}
        name="collection"
        hint={words.collectionHint}
        defaultValue={webhook?.collection}
        list={list}
        autoComplete="off"
        autoCapitalize="none"
        mono
      />
      <datalist id={list}>
        {names?.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Events chosen={webhook?.events ?? allEvents} />
      <TextField
        label={words.url}
        name="url"
        hint={words.urlHint}
        defaultValue={webhook?.url}
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        mono
      />
      <Fields given={webhook?.fields ?? []} />
      <CodeField
        label={words.headers}
        name="headers"
        hint={words.headersHint}
        rows={2}
        defaultValue={webhook && headerText(webhook.headers)}
      />
    </>
  );
}

function settingsOf(values: Values): Settings {
  const parsed = parseHeaders(values["headers"] ?? "");
  if ("wrong" in parsed) throw new FormProblem("headers", words.headerLine(parsed.wrong));
  return {
    collection: values["collection"]?.trim() ?? "",
    events: allEvents.filter((event) => values[`on-${event}`]),
    url: values["url"]?.trim() ?? "",
    fields: linesOf(values["fields"] ?? ""),
    headers: parsed.headers,
  };
}

interface DialogProps extends PartProps {
  onClose(): void;
}

/** Creates a webhook; `onCreated` gets it with its secret. */
export function NewWebhook({ projectId, perms, onClose, onCreated }: DialogProps & { onCreated(created: CreatedWebhook): void }) {
  const create = async (values: Values) => {
    const { fields, ...settings } = settingsOf(values);
    const name = values["name"]?.trim() ?? "";
    const body = { name, ...settings, ...(fields.length > 0 && { fields }), enabled: values["enabled"] === "on" };
    const created = await adminOf(projectId).createWebhook(body);
    await webhooksChanged(projectId);
    onCreated(created);
  };
  return (
    <Dialog open onClose={onClose} title={words.createTitle} wide>
      <DialogForm label={words.createTitle} action={words.create} onSubmit={create} onClose={onClose}>
        <Inputs projectId={projectId} perms={perms} />
        <CheckboxField label={words.enabled} hint={words.enabledHint} name="enabled" defaultChecked />
      </DialogForm>
    </Dialog>
  );
}

/** Changes the settings of a webhook. */
export function EditWebhook({ projectId, perms, webhook, onClose }: DialogProps & { webhook: Webhook }) {
  const save = async (values: Values) => {
    const patch = changesOf(webhook, settingsOf(values));
    if (Object.keys(patch).length > 0) {
      await adminOf(projectId).updateWebhook(webhook.name, patch);
      await webhooksChanged(projectId);
      toast(words.saved(webhook.name));
    }
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.editTitle(webhook.name)} wide>
      <DialogForm label={words.editTitle(webhook.name)} action={words.save} onSubmit={save} onClose={onClose}>
        <Inputs projectId={projectId} perms={perms} webhook={webhook} />
      </DialogForm>
    </Dialog>
  );
}
