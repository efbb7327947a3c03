import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useProject } from "../../app/project";
import type { UserSearch } from "../../app/routes/access";
import { Page } from "../../components/shell/page";
import { Denied } from "../../components/states/denied";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button } from "../../components/ui/button";
import { Card, PanelBody } from "../../components/ui/panel";
import { Time } from "../../components/ui/relative-time";
import { WithSidePanel } from "../../components/ui/side-panel";
import { Table } from "../../components/ui/table";
import { can } from "../../lib/permissions";
import { usersMessages as words } from "../../messages/users";
import { userRolesOf, usersOf } from "./api";
import { UserCalls } from "./calls";
import { roleOf } from "./changes";
import { isFiltered } from "./filters";
import { NewUser } from "./new-user";
import { UserBadges } from "./user-badges";
import { UserFilters } from "./user-filters";
import styles from "./users.module.css";

/** The end users of a project: found by address, name, status and role. The open one is in a panel. */
export function UsersPage() {
  const { project, perms } = useProject();
  const search = useSearch({ from: "/inside/p/$slug/users" });
  const navigate = useNavigate({ from: "/p/$slug/users" });
  const readable = can(perms, "users:read");
  const query = useInfiniteQuery({ ...usersOf(project.id, search), enabled: readable });
  const { data: roles } = useQuery(userRolesOf(project.id, perms));
  const manages = can(perms, "users:manage");
  const filtered = isFiltered(search);
  const list = query.data?.pages.flatMap(({ users }) => users) ?? [];
  const total = query.data?.pages[0]?.total ?? 0;
  const change = (changed: Partial<UserSearch>) =>
    void navigate({ to: ".", search: (old) => ({ ...old, ...changed }), replace: true });
  const clear = () => change({ find: undefined, status: undefined, role: undefined, verified: undefined });
  const button = manages && (
    <Button look="primary" onClick={() => change({ new: true })}>
      <Plus size={16} strokeWidth={1.75} aria-hidden />
      {words.create}
    </Button>
  );

  return (
    <WithSidePanel panel={readable && <Outlet />}>
      <Page
        title={words.title}
        actions={
          <>
            <UserCalls search={search} manages={manages} />
            {(total > 0 || filtered) && button}
          </>
        }
      >
        {!readable && <Denied permission="users:read" />}
        {(total > 0 || filtered) && (
          <UserFilters search={search} roles={roles} status={query.data ? words.shown(total) : ""} onChange={change} />
        )}
        {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
        {query.isLoading && <Skeleton rows={1} height={260} />}
        {query.data && total === 0 && (
          <Card>
            {filtered ? (
              <EmptyState title={words.nothing} action={<Button onClick={clear}>{words.clear}</Button>}>
                {words.nothingText}
              </EmptyState>
            ) : (
              <EmptyState title={words.none} action={button || undefined}>
                {words.about}
              </EmptyState>
            )}
          </Card>
        )}
        {list.length > 0 && (
          <Card>
            <Table
              label={words.title}
              columns={[words.columns.email, words.columns.name, words.columns.role, words.columns.status, words.columns.created]}
              rows={list.map((user) => ({
                key: user.id,
                cells: [
                  <Link
                    to="/p/$slug/users/$user"
                    params={{ slug: project.slug, user: user.id }}
                    search={search}
                    className={styles["link"]}
                    title={user.email}
                  >
                    <bdi>{user.email}</bdi>
                  </Link>,
                  <bdi className={styles["name"]} title={user.name ?? undefined}>
                    {user.name}
                  </bdi>,
                  <bdi>{roleOf(user)}</bdi>,
                  <UserBadges user={user} />,
                  <Time at={user.createdAt} />,
                ],
              }))}
            />
            {query.hasNextPage && (
              <PanelBody>
                <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {words.more}
                </Button>
              </PanelBody>
            )}
          </Card>
        )}
        {search.new && manages && <NewUser projectId={project.id} slug={project.slug} onClose={() => change({ new: undefined })} />}
      </Page>
    </WithSidePanel>
  );
}
