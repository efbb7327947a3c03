import type { Bucket } from "manybase/admin";
import { useState } from "react";
import { adminOf, queryClient } from "../../app/queries";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { ErrorState } from "../../components/states/problem";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Dialog } from "../../components/ui/dialog";
import { Choices, CodeField, TextField } from "../../components/ui/field";
import { Switch } from "../../components/ui/switch";
import { toast } from "../../components/ui/toast";
import { exactJson, printJson } from "../../lib/json";
import { fileMessages } from "../../messages/files";
import { bucketsOf } from "./queries";
import styles from "./files.module.css";

const bucketsChanged = (projectId: string) => queryClient.invalidateQueries(bucketsOf(projectId));

interface NewProps {
  projectId: string;
  onClose(): void;
  onCreated(name: string): void;
}

/** Creates a bucket; `onCreated` gets its name. */
export function NewBucket({ projectId, onClose, onCreated }: NewProps) {
  const words = fileMessages.bucketDialog;
  const create = async ({ name = "", access }: Values) => {
    const { bucket } = await adminOf(projectId).createBucket({ name, access: access === "public" ? "public" : "private" });
    await bucketsChanged(projectId);
    toast(words.done(bucket.name));
    onClose();
    onCreated(bucket.name);
  };
  return (
    <Dialog open onClose={onClose} title={words.title}>
      <DialogForm label={words.title} action={words.action} onSubmit={create} onClose={onClose}>
        <TextField label={words.name} name="name" hint={words.nameHint} autoComplete="off" autoCapitalize="none" mono />
        <Choices
          label={words.access}
          name="access"
          initial="private"
          choices={[
            { value: "private", label: words.private, hint: words.privateHint },
            { value: "public", label: words.public, hint: words.publicHint },
          ]}
        />
      </DialogForm>
    </Dialog>
  );
}

interface BucketProps {
  projectId: string;
  bucket: Bucket;
}

/** Changes the rules of a bucket, as JSON. */
function EditRules({ projectId, bucket, onClose }: BucketProps & { onClose(): void }) {
  const words = fileMessages.rules;
  const save = async ({ rules = "" }: Values) => {
    let value: unknown = null;
    try {
      if (rules.trim()) value = exactJson.parse(rules);
    } catch (error) {
      throw new FormProblem("rules", words.notJson((error as Error).message));
    }
    if (typeof value !== "object" || Array.isArray(value)) throw new FormProblem("rules", words.notObject);
    await adminOf(projectId).updateBucket(bucket.name, { rules: value && { ...value } });
    await bucketsChanged(projectId);
    toast(words.done(bucket.name));
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.title(bucket.name)} description={words.text} wide>
      <DialogForm label={words.title(bucket.name)} action={words.action} onSubmit={save} onClose={onClose}>
        <CodeField
          label={words.label}
          name="rules"
          rows={12}
          defaultValue={bucket.rules ? printJson(bucket.rules) : ""}
        />
      </DialogForm>
    </Dialog>
  );
}

/** Whether anyone may read the files of a bucket. */
function PublicSwitch({ projectId, bucket }: BucketProps) {
  const words = fileMessages.public;
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const change = async (access: Bucket["access"]) => {
    await adminOf(projectId).updateBucket(bucket.name, { access });
    await bucketsChanged(projectId);
    toast((access === "public" ? words.done : words.ended)(bucket.name));
  };
  const close = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await change("private");
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <span className={styles["group"]}>
        <span aria-hidden>{words.label}</span>
        <Switch
          label={words.label}
          checked={bucket.access === "public"}
          busy={busy}
          onChange={(next) => (next ? setAsking(true) : void close())}
        />
      </span>
      {problem !== undefined && <ErrorState error={problem} />}
      <ConfirmDialog
        open={asking}
        title={words.title(bucket.name)}
        action={words.action}
        danger
        onConfirm={() => change("public")}
        onClose={() => setAsking(false)}
      >
        <p>{words.text}</p>
      </ConfirmDialog>
    </>
  );
}

/** What can be done with a bucket by who manages it; `onRemoved` is called once it is deleted. */
export function BucketActions({ projectId, bucket, onRemoved }: BucketProps & { onRemoved(): Promise<void> }) {
  const words = fileMessages.removeBucket;
  const [dialog, setDialog] = useState<"rules" | "remove">();
  const close = () => setDialog(undefined);
  const remove = async () => {
    await adminOf(projectId).deleteBucket(bucket.name);
    await onRemoved();
    await bucketsChanged(projectId);
    toast(words.done(bucket.name));
  };
  return (
    <>
      <PublicSwitch projectId={projectId} bucket={bucket} />
      <Button onClick={() => setDialog("rules")}>{fileMessages.rules.edit}</Button>
      <Button look="danger" onClick={() => setDialog("remove")}>
        {words.action}
      </Button>
      {dialog === "rules" && <EditRules projectId={projectId} bucket={bucket} onClose={close} />}
      <ConfirmDialog
        open={dialog === "remove"}
        title={words.title(bucket.name)}
        action={words.action}
        danger
        typed={bucket.name}
        onConfirm={remove}
        onClose={close}
      >
        <p>{words.text}</p>
      </ConfirmDialog>
    </>
  );
}

export function AccessBadge({ access }: { access: Bucket["access"] }) {
  return <Badge tone={access === "public" ? "warn" : "plain"}>{fileMessages.access[access]}</Badge>;
}
