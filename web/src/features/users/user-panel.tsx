import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { User } from "manybase/admin";
import { useProject } from "../../app/project";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { CopyButton } from "../../components/ui/copy-button";
import { Facts, type Fact } from "../../components/ui/facts";
import { Time } from "../../components/ui/relative-time";
import { SidePanel } from "../../components/ui/side-panel";
import { can } from "../../lib/permissions";
import { usersMessages } from "../../messages/users";
import { userOf, userRolesOf } from "./api";
import { coversRole, roleOf } from "./changes";
import { UserAccess } from "./user-access";
import { UserBadges } from "./user-badges";
import { UserForm } from "./user-form";
import styles from "./users.module.css";

const words = usersMessages.panel;

const factsOf = (user: User): Fact[] => [
  [
    words.id,
    <span className={styles["id"]}>
      <code title={user.id}>{user.id}</code>
      <CopyButton text={user.id} label={words.copyId} />
    </span>,
  ],
  [words.created, <Time at={user.createdAt} />],
  [words.changed, <Time at={user.updatedAt} />],
  [words.factor, user.mfaEnabled ? words.factorOn : words.factorOff],
];

/** One user next to the list. */
export function UserPanel() {
  const { project, perms } = useProject();
  const { user: id } = useParams({ from: "/inside/p/$slug/users/$user" });
  const search = useSearch({ from: "/inside/p/$slug/users" });
  const navigate = useNavigate();
  const query = useQuery(userOf(project.id, id));
  const roles = useQuery(userRolesOf(project.id, perms));
  const user = query.data;
  const close = () => void navigate({ to: "/p/$slug/users", params: { slug: project.slug }, search });
  const manages = can(perms, "users:manage");
  const locked = user !== undefined && !coversRole(perms, roles.data, roleOf(user));
  return (
    <SidePanel key={id} title={user?.email ?? words.user} onClose={close}>
      {query.isError && !user && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {(query.isLoading || roles.isLoading) && <Skeleton rows={3} height={120} />}
      {user && !roles.isLoading && (
        <div className={styles["panel"]}>
          <div className={styles["section"]}>
            <div>
              <UserBadges user={user} />
            </div>
            <Facts rows={factsOf(user)} />
          </div>
          <UserForm projectId={project.id} user={user} roles={roles.data} perms={perms} locked={locked} readOnly={!manages} />
          <UserAccess projectId={project.id} user={user} offered={manages && !locked} />
        </div>
      )}
    </SidePanel>
  );
}
