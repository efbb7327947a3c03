import { isError } from "manybase";
import type { Role, User } from "manybase/admin";
import { adminOf } from "../../app/queries";
import { FormProblem, type Values } from "../../components/form/form";
import { JsonField } from "../../components/form/json-field";
import { PageForm } from "../../components/form/page-form";
import { Alert } from "../../components/states/alert";
import { CheckboxField } from "../../components/ui/checkbox";
import { Facts } from "../../components/ui/facts";
import { TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { Snippet } from "../../components/ui/snippet";
import { toast } from "../../components/ui/toast";
import { printJson } from "../../lib/json";
import { usersMessages } from "../../messages/users";
import { usersChanged } from "./api";
import { commonRole, coversRole, metadataText, patchOf, roleOf } from "./changes";
import styles from "./users.module.css";

const words = usersMessages.panel;

interface FormProps {
  projectId: string;
  user: User;
  roles: readonly Role[] | undefined;
  perms: readonly string[];
  /** The role of the user holds more than the caller: only name and metadata may be changed. */
  locked: boolean;
  readOnly: boolean;
}

/** The fields of a user; what was changed is sent, and nothing else. */
export function UserForm({ projectId, user, roles, perms, locked, readOnly }: FormProps) {
  const role = roleOf(user);
  const names = [...new Set([role, commonRole, ...(roles ?? []).map(({ name }) => name)])];
  const offered = names.filter((name) => name === role || coversRole(perms, roles, name)).sort();

  const readForm = (values: Values) => {
    try {
      return patchOf(user, values, locked);
    } catch (error) {
      throw new FormProblem("metadata", (error as Error).message);
    }
  };
  const save = async (values: Values) => {
    const patch = readForm(values);
    if (Object.keys(patch).length === 0) return toast(words.unchanged);
    try {
      await adminOf(projectId).updateUser(user.id, patch);
    } catch (error) {
      if (isError(error, "EMAIL_TAKEN")) throw new FormProblem("email", error.message);
      throw error;
    }
    await usersChanged(projectId);
    toast(words.saved);
  };

  if (readOnly) {
    return (
      <section className={styles["section"]}>
        <Facts
          rows={[
            [words.name, <bdi>{user.name}</bdi>],
            [words.role, <bdi>{role}</bdi>],
          ]}
        />
        <Snippet title={words.metadata} forms={[{ label: words.metadata, text: printJson(user.metadata) }]} />
      </section>
    );
  }
  return (
    <PageForm label={words.form} action={words.save} onSubmit={save}>
      {locked && <Alert tone="warn">{words.locked}</Alert>}
      <TextField label={words.email} name="email" type="email" autoComplete="off" defaultValue={user.email} disabled={locked} />
      <TextField label={words.name} name="name" autoComplete="off" defaultValue={user.name ?? ""} />
      <CheckboxField
        name="emailVerified"
        label={words.verified}
        hint={words.verifiedHint}
        defaultChecked={user.emailVerified}
        disabled={locked}
      />
      <SelectField
        label={words.role}
        name="role"
        defaultValue={role}
        disabled={locked}
        options={offered.map((name) => ({ value: name, label: name }))}
      />
      <JsonField label={words.metadata} name="metadata" hint={words.metadataHint} initial={metadataText(user)} />
    </PageForm>
  );
}
