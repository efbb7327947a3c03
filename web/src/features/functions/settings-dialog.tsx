import type { Function as ServerFunction, FunctionPatch } from "manybase/admin";
import { useState } from "react";
import { adminOf } from "../../app/queries";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { CheckboxField } from "../../components/ui/checkbox";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { toast } from "../../components/ui/toast";
import { serverUrl } from "../../lib/server";
import { functionMessages } from "../../messages/functions";
import { CollectionNames } from "./collection-names";
import { atFields } from "./problems";
import { refresh } from "./queries";
import { databaseEvents, methods, triggerOf, triggerTypes, type Trigger, type TriggerType } from "./triggers";
import styles from "./functions.module.css";

const words = functionMessages.settings;
const plain = { autoComplete: "off", autoCapitalize: "none", spellCheck: false, mono: true } as const;

function numberOf(values: Values, name: string): number | null {
  const text = values[name]?.trim() ?? "";
  if (text === "") return null;
  if (!/^\d{1,9}$/.test(text)) throw new FormProblem(name, words.whole);
  return Number(text);
}

function triggerFrom(values: Values, type: TriggerType): Record<string, unknown> {
  const text = (name: string) => values[name]?.trim() ?? "";
  switch (type) {
    case "database":
      return { type, collection: text("collection"), events: databaseEvents.filter((event) => values[event] !== undefined) };
    case "auth":
      return { type, event: "userCreated" };
    case "storage":
      return { type, event: "fileUploaded" };
    case "http":
      return { type, method: text("method"), path: text("path") };
    case "cron":
      return { type, schedule: text("schedule"), ...(text("timezone") ? { timezone: text("timezone") } : {}) };
  }
}

interface Props {
  projectId: string;
  slug: string;
  one: ServerFunction;
  perms: readonly string[];
  onClose(): void;
}

function DatabaseFields({ trigger, projectId, perms }: { trigger: Trigger } & Pick<Props, "projectId" | "perms">) {
  const own = trigger.type === "database" ? trigger : undefined;
  return (
    <>
      <TextField label={words.collection} name="collection" defaultValue={own?.collection ?? ""} list="trigger-collections" {...plain} />
      <CollectionNames id="trigger-collections" projectId={projectId} perms={perms} />
      <fieldset className={styles["events"]}>
        <legend>{words.events}</legend>
        {databaseEvents.map((event) => (
          <CheckboxField key={event} name={event} label={words[event]} defaultChecked={own?.events.includes(event) ?? event === "insert"} />
        ))}
      </fieldset>
    </>
  );
}

/** Changes when a function runs, how long, and how often it is tried. */
export function SettingsDialog({ projectId, slug, one, perms, onClose }: Props) {
  const trigger = triggerOf(one);
  const [type, chooseType] = useState<TriggerType>(trigger.type);
  const [timing, chooseTiming] = useState<string>(one.timing);
  const pre = type === "database" && timing === "pre";
  const http = trigger.type === "http" ? trigger : undefined;
  const cron = trigger.type === "cron" ? trigger : undefined;

  const save = async (values: Values) => {
    const attempts = pre ? null : numberOf(values, "attempts");
    const patch: FunctionPatch = {
      trigger: triggerFrom(values, type),
      timing: pre ? "pre" : "post",
      timeoutMs: numberOf(values, "timeoutMs"),
      retry: attempts === null ? null : { attempts, backoffSeconds: numberOf(values, "backoffSeconds") ?? 0 },
    };
    try {
      await adminOf(projectId).updateFunction(one.name, patch);
    } catch (error) {
      throw atFields(error);
    }
    await refresh(projectId);
    toast(words.done);
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.title}>
      <DialogForm label={words.title} action={words.action} onSubmit={save} onClose={onClose}>
        <SelectField
          label={words.type}
          name="type"
          value={type}
          onChange={(next) => chooseType(next as TriggerType)}
          options={triggerTypes.map((value) => ({ value, label: functionMessages.types[value] }))}
        />
        {type === "database" && <DatabaseFields trigger={trigger} projectId={projectId} perms={perms} />}
        {type === "database" && (
          <SelectField
            label={words.timing}
            name="timing"
            value={timing}
            onChange={chooseTiming}
            options={[
              { value: "post", label: words.timings.post },
              // A flow runs after the write.
              ...(one.flow === null ? [{ value: "pre", label: words.timings.pre }] : []),
            ]}
          />
        )}
        {type === "http" && (
          <>
            <SelectField label={words.method} name="method" defaultValue={http?.method ?? "GET"} options={methods.map((value) => ({ value, label: value }))} />
            <TextField label={words.path} name="path" defaultValue={http?.path ?? "/"} hint={words.pathHint} {...plain} />
            <p className={styles["hint"]}>{words.address(`${serverUrl}/api/v1/run/${slug}/…`)}</p>
          </>
        )}
        {type === "cron" && (
          <>
            <TextField label={words.schedule} name="schedule" defaultValue={cron?.schedule ?? "@hourly"} hint={words.scheduleHint} {...plain} />
            <TextField label={words.timezone} name="timezone" defaultValue={cron?.timezone ?? ""} hint={words.timezoneHint} {...plain} />
          </>
        )}
        <TextField label={words.timeoutMs} name="timeoutMs" inputMode="numeric" defaultValue={one.timeoutMs ?? ""} hint={words.timeoutHint} {...plain} />
        {!pre && (type !== "http" || one.retry !== undefined) && (
          <>
            <TextField label={words.attempts} name="attempts" inputMode="numeric" defaultValue={one.retry?.attempts ?? ""} hint={words.attemptsHint} {...plain} />
            <TextField
              label={words.backoffSeconds}
              name="backoffSeconds"
              inputMode="numeric"
              defaultValue={one.retry?.backoffSeconds ?? 10}
              hint={words.backoffHint}
              {...plain}
            />
          </>
        )}
      </DialogForm>
    </Dialog>
  );
}
