import { useNavigate } from "@tanstack/react-router";
import type { Role } from "manybase/admin";
import { DialogForm } from "../../components/form/dialog-form";
import { FormProblem, type Values } from "../../components/form/form";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { toast } from "../../components/ui/toast";
import { isError } from "manybase";
import { rolesMessages } from "../../messages/roles";
import { rolesApi, rolesChanged } from "./api";
import type { Kind } from "./grants";

const words = rolesMessages.form;

interface NewRoleProps {
  projectId: string;
  slug: string;
  kind: Kind;
  /** Those that it may begin with. */
  roles: readonly Role[];
  /** The name of the one that is chosen at first. */
  copy: string | undefined;
  onClose(): void;
}

/** Creates a role, empty or with the permissions of another, and opens it. */
export function NewRole({ projectId, slug, kind, roles, copy, onClose }: NewRoleProps) {
  const navigate = useNavigate();
  const create = async ({ name = "", start = "" }: Values) => {
    const permissions = roles.find((one) => one.name === start)?.permissions ?? [];
    try {
      await rolesApi(projectId, kind).create({ name, permissions });
    } catch (error) {
      if (isError(error, "CONFLICT")) throw new FormProblem("name", error.message);
      throw error;
    }
    await rolesChanged(projectId);
    toast(words.done(name));
    await navigate({ to: "/p/$slug/roles/$of/$role", params: { slug, of: kind, role: name } });
  };
  return (
    <Dialog open onClose={onClose} title={words.title}>
      <DialogForm label={words.title} action={words.action} onSubmit={create} onClose={onClose}>
        <TextField label={words.name} name="name" hint={words.nameHint} autoComplete="off" autoCapitalize="none" spellCheck={false} />
        <SelectField
          label={words.start}
          name="start"
          defaultValue={roles.some(({ name }) => name === copy) ? copy : ""}
          options={[
            { value: "", label: words.nothing },
            ...roles.map(({ name }) => ({ value: name, label: words.likeRole(name) })),
          ]}
        />
      </DialogForm>
    </Dialog>
  );
}
