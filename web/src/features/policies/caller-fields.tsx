import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { ErrorState } from "../../components/states/problem";
import { CodeField, TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { policiesMessages } from "../../messages/policies";
import { keysOf, usersOf } from "./data";
import type { CallerKind, TrialForm } from "./model/trial";
import type { Permission } from "./rights";
import type { Role } from "manybase/admin";

const words = policiesMessages.trial;

export interface CallerFieldsProps {
  projectId: string;
  may: Permission;
  roles: readonly Role[];
  form: TrialForm;
  /** The kinds of callers to choose from. */
  kinds: readonly CallerKind[];
  onChange(change: Partial<TrialForm>): void;
}

type Part = Pick<CallerFieldsProps, "projectId" | "form" | "onChange">;

/** A user, found by the beginning of their address or name. */
function UserField({ projectId, form, onChange }: Part) {
  const [text, setText] = useState("");
  const query = useQuery(usersOf(projectId, useDeferredValue(text.trim())));
  const found = query.data ?? [];
  const chosen = found.some((one) => one.id === form.user);
  const options = found.map(({ id, email, name }) => ({ value: id, label: name ? `${name} (${email})` : email }));
  const none = { value: "", label: query.data && found.length === 0 ? words.noUser : words.choose };
  return (
    <>
      <TextField label={words.findUser} name="find" hint={words.userHint} autoComplete="off" value={text} onChange={(event) => setText(event.target.value)} />
      {query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <SelectField
          label={words.user}
          name="caller"
          value={form.user}
          options={[none, ...(form.user && !chosen ? [{ value: form.user, label: form.user }] : []), ...options]}
          onChange={(user) => onChange({ user })}
        />
      )}
    </>
  );
}

function KeyField({ projectId, form, onChange }: Part) {
  const query = useQuery(keysOf(projectId));
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const keys = query.data ?? [];
  return (
    <SelectField
      label={words.key}
      name="caller"
      value={form.key}
      options={[
        { value: "", label: query.data && keys.length === 0 ? words.noKey : words.choose },
        ...keys.map(({ id, name, scopes }) => ({ value: id, label: `${name} (${scopes.join(", ")})` })),
      ]}
      onChange={(key) => onChange({ key })}
    />
  );
}

/** Who makes a request. */
export function CallerFields({ projectId, may, roles, form, kinds, onChange }: CallerFieldsProps) {
  const allowed = kinds.filter((one) => (one === "user" ? may("users:read") : one === "key" ? may("keys:read") : true));
  const names = [...new Set([...roles.map((one) => one.name), form.role, "user"])].filter(Boolean);
  return (
    <>
      <SelectField
        label={words.as}
        name="as"
        value={form.caller}
        options={allowed.map((value) => ({ value, label: words.kinds[value] }))}
        onChange={(caller) => onChange({ caller: caller as CallerKind })}
      />
      {form.caller === "user" && <UserField projectId={projectId} form={form} onChange={onChange} />}
      {form.caller === "key" && <KeyField projectId={projectId} form={form} onChange={onChange} />}
      {form.caller === "role" && (
        <>
          <SelectField
            label={words.role}
            name="caller"
            value={form.role}
            options={names.map((value) => ({ value, label: value }))}
            onChange={(role) => onChange({ role })}
          />
          <TextField
            label={words.uid}
            name="uid"
            hint={words.uidHint}
            mono
            autoComplete="off"
            value={form.uid}
            onChange={(event) => onChange({ uid: event.target.value })}
          />
          <CodeField
            label={words.claims}
            name="claims"
            rows={2}
            value={form.claims}
            onChange={(event) => onChange({ claims: event.target.value })}
          />
        </>
      )}
    </>
  );
}
