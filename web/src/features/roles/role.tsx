import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import type { Role } from "manybase/admin";
import { useState } from "react";
import { useProject } from "../../app/project";
import { collectionsOf } from "../../components/data/queries";
import { Form } from "../../components/form/form";
import { LeaveGuard } from "../../components/form/leave-guard";
import { Page } from "../../components/shell/page";
import { Denied } from "../../components/states/denied";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { CheckboxField } from "../../components/ui/checkbox";
import { toast } from "../../components/ui/toast";
import { can } from "../../lib/permissions";
import { rolesMessages as words } from "../../messages/roles";
import { roleOf, rolesApi, rolesChanged } from "./api";
import { RoleCalls } from "./calls";
import { DeleteRole } from "./delete-role";
import { differences, switched, type Kind } from "./grants";
import { InWords } from "./in-words";
import { DocumentMatrix, PartMatrix } from "./matrix";
import { Others } from "./others";
import styles from "./roles.module.css";

interface EditorProps {
  projectId: string;
  kind: Kind;
  role: Role;
  perms: readonly string[];
  editable: boolean;
}

/** The permissions of a role as tables. Nothing is changed before it is saved. */
function Permissions({ projectId, kind, role, perms, editable }: EditorProps) {
  const { data: collections } = useQuery(collectionsOf(projectId, perms));
  const [permissions, setPermissions] = useState<readonly string[]>(role.permissions);
  const changes = differences(permissions, role.permissions);
  const { page } = words;
  const props = {
    kind,
    permissions,
    giving: editable ? perms : undefined,
    onSwitch: (one: string, on: boolean) => setPermissions((old) => switched(old, one, on)),
  };
  const save = async () => {
    await rolesApi(projectId, kind).replace(role.name, { permissions: [...permissions] });
    await rolesChanged(projectId);
    toast(page.saved(role.name));
  };
  return (
    <>
      <CheckboxField
        name="everything"
        label={page.everything}
        hint={page.everythingHint}
        checked={permissions.includes("*")}
        disabled={!editable || (!can(perms, "*") && !permissions.includes("*"))}
        onChange={(on) => props.onSwitch("*", on)}
      />
      <DocumentMatrix {...props} collections={(collections ?? []).map(({ name }) => name)} />
      <PartMatrix {...props} />
      <Others {...props} />
      <InWords kind={kind} permissions={permissions} />
      {changes > 0 && (
        <div className={styles["bar"]}>
          <Form label={page.save} onSubmit={save}>
            {(busy) => (
              <div className={styles["actions"]}>
                <span role="status">{page.changes(changes)}</span>
                <Button onClick={() => setPermissions(role.permissions)}>{page.discard}</Button>
                <Button type="submit" look="primary" busy={busy}>
                  {page.save}
                </Button>
              </div>
            )}
          </Form>
        </div>
      )}
      <LeaveGuard when={changes > 0} />
    </>
  );
}

/** One role: what it may do, and its permissions to change. */
export function RolePage() {
  const { project, perms } = useProject();
  const { of, role: name } = useParams({ from: "/inside/p/$slug/roles/$of/$role" });
  const kind: Kind = of === "users" ? "users" : "members";
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  const readable = can(perms, "roles:read");
  const query = useQuery({ ...roleOf(project.id, kind, name), enabled: readable });
  const role = query.data;
  const manages = can(perms, "roles:manage");
  const copyable = manages && role?.permissions.every((one) => can(perms, one));
  const copy = () =>
    void navigate({
      to: "/p/$slug/roles",
      params: { slug: project.slug },
      search: { of: kind === "users" ? kind : undefined, new: true, copy: name },
    });
  return (
    <Page
      title={name}
      about={
        <>
          <Badge>{words.kinds[kind]}</Badge>
          {role?.builtIn && <Badge>{words.builtIn}</Badge>}
        </>
      }
      actions={
        <>
          <RoleCalls kind={kind} manages={manages} />
          {manages && role && !role.builtIn && (
            <Button look="danger" onClick={() => setDeleting(true)}>
              {words.remove.action}
            </Button>
          )}
          {copyable && (
            <Button look={role?.builtIn ? "primary" : "default"} onClick={copy}>
              {role?.builtIn ? words.copyToEdit : words.copy}
            </Button>
          )}
        </>
      }
    >
      {!readable && <Denied permission="roles:read" />}
      {query.isError && !role && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={3} height={200} />}
      {role?.builtIn && <p className={styles["secondary"]}>{words.isBuiltIn}</p>}
      {role && (
        <Permissions
          key={`${kind}/${name}`}
          projectId={project.id}
          kind={kind}
          role={role}
          perms={perms}
          editable={manages && !role.builtIn}
        />
      )}
      {deleting && (
        <DeleteRole
          projectId={project.id}
          slug={project.slug}
          kind={kind}
          name={name}
          names={kind === "members" || can(perms, "users:read")}
          onClose={() => setDeleting(false)}
        />
      )}
    </Page>
  );
}
