import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Member, Project } from "manybase/control";
import { membersOf, projects, queryClient } from "../../app/queries";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { DialogForm } from "../../components/form/dialog-form";
import type { Values } from "../../components/form/form";
import { Dialog } from "../../components/ui/dialog";
import { TextField } from "../../components/ui/field";
import { SelectField } from "../../components/ui/select-field";
import { toast } from "../../components/ui/toast";
import { membersMessages as words } from "../../messages/members";
import { control } from "../../session";
import { grantable, rolesOf } from "./queries";

interface DialogProps {
  project: Project;
  perms: readonly string[];
  onClose(): void;
}
type OfMember = DialogProps & { member: Member; own: boolean };

const changed = (project: Project) => queryClient.invalidateQueries(membersOf(project.id));

function RoleField({ project, perms, initial }: Omit<DialogProps, "onClose"> & { initial: string }) {
  const { data = [] } = useQuery(rolesOf(project.id, perms));
  const roles = grantable(data, project.role);
  return (
    <SelectField
      key={roles.length}
      label={words.role}
      name="role"
      defaultValue={roles.includes(initial) ? initial : undefined}
      options={roles.map((role) => ({ value: role, label: role }))}
    />
  );
}

/** Sends an invitation, also again. */
export async function invite(project: Project, email: string, role: string): Promise<void> {
  const { member } = await control.addMember(project.id, { email, role });
  await changed(project);
  toast(member.status === "active" ? words.added(member.email) : words.invited(member.email));
}

export function Invite({ onClose, ...props }: DialogProps & { open: boolean }) {
  const send = async ({ email = "", role = "Viewer" }: Values) => {
    await invite(props.project, email.trim(), role);
    onClose();
  };
  return (
    <Dialog open={props.open} onClose={onClose} title={words.inviteTitle} description={words.inviteText}>
      <DialogForm label={words.inviteTitle} action={words.invite} onSubmit={send} onClose={onClose}>
        <TextField label={words.email} name="email" type="email" autoComplete="off" />
        <RoleField {...props} initial="Editor" />
      </DialogForm>
    </Dialog>
  );
}

export function ChangeRole({ member, own, onClose, ...props }: OfMember) {
  const { email } = member;
  const save = async ({ role = member.role }: Values) => {
    // What was invited becomes another role by inviting again.
    if (member.userId === null) await control.addMember(props.project.id, { email, role });
    else await control.updateMember(props.project.id, member.userId, { role });
    // The tokens of this page are of the old role.
    if (own) return location.reload();
    await changed(props.project);
    toast(words.changed(email, role));
    onClose();
  };
  return (
    <Dialog open onClose={onClose} title={words.changeNamed(email)} description={own ? words.changeOwn : words.changeText(email)}>
      <DialogForm label={words.changeNamed(email)} action={words.save} onSubmit={save} onClose={onClose}>
        <RoleField {...props} initial={member.role} />
      </DialogForm>
    </Dialog>
  );
}

export function Remove({ project, member, own, onClose }: OfMember) {
  const navigate = useNavigate();
  const { email, userId } = member;
  const remove = async () => {
    if (userId === null) await control.cancelInvite(project.id, email);
    else await control.removeMember(project.id, userId);
    if (own) {
      await navigate({ to: "/" });
      await queryClient.invalidateQueries(projects);
      return toast(words.left(project.name));
    }
    await changed(project);
    toast(userId === null ? words.cancelled(email) : words.removed(email));
  };
  const pending = userId === null;
  return (
    <ConfirmDialog
      open
      title={own ? words.leaveTitle : pending ? words.cancelTitle(email) : words.removeTitle(email)}
      action={own ? words.leave : pending ? words.cancel : words.remove}
      danger
      onConfirm={remove}
      onClose={onClose}
    >
      {own ? words.leaveText : pending ? words.cancelText : words.removeText}
    </ConfirmDialog>
  );
}
