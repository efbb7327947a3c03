import { useQuery } from "@tanstack/react-query";
import { isError } from "manybase";
import { useState } from "react";
import { adminOf, permissions, projectChanged } from "../../app/queries";
import { keysMessages } from "../../messages/keys";
import { collectionsOf } from "../data/queries";
import { DialogForm } from "../form/dialog-form";
import { FormProblem, type Values } from "../form/form";
import { CheckboxField } from "../ui/checkbox";
import { Dialog } from "../ui/dialog";
import { TextField } from "../ui/field";
import { SelectField } from "../ui/select-field";
import { endOf, ends } from "./expiry";
import { IssuedKey } from "./issued-key";
import styles from "./keys.module.css";
import { mayGrant, scopes, switched, type Scope } from "./scopes";

const words = keysMessages.form;

/** What a key may do, one scope a line; those that the caller cannot give away are absent. */
function Scopes({ chosen, perms, onChange }: { chosen: Scope[]; perms: readonly string[]; onChange(chosen: Scope[]): void }) {
  return (
    <fieldset className={styles["scopes"]}>
      <legend>{words.scopes}</legend>
      {scopes
        .filter((scope) => mayGrant(perms, [scope]))
        .map((scope) => (
          <CheckboxField
            key={scope}
            name={`scope-${scope}`}
            label={keysMessages.scope[scope].label}
            hint={keysMessages.scope[scope].hint}
            checked={chosen.includes(scope)}
            onChange={(on) => onChange(switched(chosen, scope, on))}
          />
        ))}
    </fieldset>
  );
}

/** A dialog that creates an API key, then shows it once. Takes the project, gives word when it closes. */
export function NewKey({ projectId, onClose }: { projectId: string; onClose(): void }) {
  const { data: perms = [] } = useQuery(permissions(projectId));
  const { data: collections } = useQuery(collectionsOf(projectId, perms));
  const [chosen, choose] = useState<Scope[]>(() => (mayGrant(perms, ["read", "write"]) ? ["read", "write"] : []));
  const [end, setEnd] = useState("never");
  const [key, setKey] = useState<string>();

  const create = async ({ name = "", day = "" }: Values) => {
    if (chosen.length === 0) throw new FormProblem("", words.noScope);
    const expiresAt = endOf(end, day);
    if (expiresAt === undefined) throw new FormProblem("day", words.noDate);
    try {
      const issued = await adminOf(projectId).createApiKey({ name, scopes: chosen, expiresAt });
      setKey(issued.key);
    } catch (error) {
      const detail = isError(error) && error.details.find(({ path }) => path === "/expiresAt");
      if (detail && end === "date") throw new FormProblem("day", detail.message);
      throw error;
    }
    await projectChanged(projectId);
  };

  if (key !== undefined) return <IssuedKey value={key} scopes={chosen} collection={collections?.[0]?.name} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={words.title}>
      <DialogForm label={words.title} action={words.action} onSubmit={create} onClose={onClose}>
        <TextField label={words.name} name="name" hint={words.nameHint} autoComplete="off" />
        <Scopes chosen={chosen} perms={perms} onChange={choose} />
        <SelectField
          label={words.expires}
          name="expires"
          value={end}
          onChange={setEnd}
          options={ends.map((value) => ({ value, label: words.ends[value] }))}
        />
        {end === "date" && <TextField type="date" label={words.date} name="day" />}
      </DialogForm>
    </Dialog>
  );
}
