import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useProject } from "../../app/project";
import { Page } from "../../components/shell/page";
import { Denied } from "../../components/states/denied";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Card } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { Tabs } from "../../components/ui/tabs";
import { can } from "../../lib/permissions";
import { rolesMessages as words } from "../../messages/roles";
import { rolesOf } from "./api";
import { RoleCalls } from "./calls";
import type { Kind } from "./grants";
import { NewRole } from "./new-role";
import styles from "./roles.module.css";

const shownPermissions = 3;

function Permissions({ list }: { list: readonly string[] }) {
  if (list.length === 0) return <span className={styles["secondary"]}>{words.none}</span>;
  return (
    <span className={styles["chips"]}>
      {list.slice(0, shownPermissions).map((one) => (
        <code key={one}>{one}</code>
      ))}
      {list.length > shownPermissions && (
        <span className={styles["secondary"]}>{words.more(list.length - shownPermissions)}</span>
      )}
    </span>
  );
}

/** The roles of members and those of end users. */
export function RolesPage() {
  const { project, perms } = useProject();
  const { of: kind = "members", new: creating, copy } = useSearch({ from: "/inside/p/$slug/roles" });
  const navigate = useNavigate({ from: "/p/$slug/roles" });
  const readable = can(perms, "roles:read");
  const manages = can(perms, "roles:manage");
  const query = useQuery({ ...rolesOf(project.id, kind), enabled: readable });
  const show = (next: Kind) => void navigate({ search: { of: next === "users" ? next : undefined }, replace: true });
  const openForm = (open: boolean, from?: string) =>
    void navigate({ search: (old) => ({ of: old.of, new: open || undefined, copy: from }), replace: true });

  return (
    <Page
      title={words.title}
      actions={
        <>
          <RoleCalls kind={kind} manages={manages} />
          {manages && (
            <Button look="primary" onClick={() => openForm(true)}>
              <Plus size={16} strokeWidth={1.75} aria-hidden />
              {words.create}
            </Button>
          )}
        </>
      }
    >
      {!readable && <Denied permission="roles:read" />}
      {readable && (
        <Tabs
          label={words.kind}
          value={kind}
          onChange={show}
          items={(["members", "users"] as const).map((value) => ({ value, label: words.kinds[value] }))}
        >
          <p className={styles["secondary"]}>{words.about[kind]}</p>
          {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
          {query.isLoading && <Skeleton rows={1} height={200} />}
          {query.data && (
            <Card>
              <Table
                label={words.kinds[kind]}
                columns={[words.columns.name, words.columns.permissions, ...(manages ? [""] : [])]}
                rows={query.data.map((role) => ({
                  key: role.name,
                  cells: [
                    <>
                      <Link to="/p/$slug/roles/$of/$role" params={{ slug: project.slug, of: kind, role: role.name }}>
                        {role.name}
                      </Link>{" "}
                      {role.builtIn && <Badge>{words.builtIn}</Badge>}
                    </>,
                    <Permissions list={role.permissions} />,
                    ...(manages
                      ? [
                          role.permissions.every((one) => can(perms, one)) && (
                            <Button small aria-label={words.copyNamed(role.name)} onClick={() => openForm(true, role.name)}>
                              {words.copy}
                            </Button>
                          ),
                        ]
                      : []),
                  ],
                }))}
              />
            </Card>
          )}
        </Tabs>
      )}
      {creating && manages && query.data && (
        <NewRole
          projectId={project.id}
          slug={project.slug}
          kind={kind}
          roles={query.data.filter(({ permissions }) => permissions.every((one) => can(perms, one)))}
          copy={copy}
          onClose={() => openForm(false)}
        />
      )}
    </Page>
  );
}
