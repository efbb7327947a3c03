import { Link, Outlet, useNavigate, useSearch } from "@tanstack/react-router";
import type { User } from "manybase/control";
import { ShowCall } from "../../components/shell/show-call";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { FilterBar, FilterText } from "../../components/ui/filter-bar";
import { Card, PanelBody } from "../../components/ui/panel";
import { Time } from "../../components/ui/relative-time";
import { WithSidePanel } from "../../components/ui/side-panel";
import { Table } from "../../components/ui/table";
import { operatorMessages } from "../../messages/operator";
import { findUsers } from "./find";
import { OperatorPage } from "./operator-page";
import styles from "./operator.module.css";
import { useUsers } from "./use-users";

const words = operatorMessages.users;
const tones = { active: "good", inactive: "warn", blocked: "bad" } as const;

/** What a user is, and whether they may sign in. */
export function UserBadges({ user }: { user: User }) {
  return (
    <span className={styles["badges"]}>
      <Badge tone={tones[user.status]}>{user.status}</Badge>
      {!user.emailVerified && <Badge>{words.unverified}</Badge>}
      {user.platformRole === "super-admin" && <Badge tone="info">{words.superAdmin}</Badge>}
    </span>
  );
}

function UserTable({ users, find }: { users: readonly User[]; find: string | undefined }) {
  const { columns } = words;
  return (
    <Table
      label={words.title}
      columns={[columns.email, columns.name, columns.plan, columns.status, columns.created]}
      rows={users.map((user) => ({
        key: user.id,
        cells: [
          <Link to="/operator/users/$user" params={{ user: user.id }} search={{ find }} className={styles["link"]} title={user.email}>
            <bdi>{user.email}</bdi>
          </Link>,
          <bdi className={styles["cut"]} title={user.name ?? undefined}>
            {user.name}
          </bdi>,
          user.plan,
          <UserBadges user={user} />,
          <Time at={user.createdAt} />,
        ],
      }))}
    />
  );
}

/** All who have an account on this server; the open one is in a panel. */
export function UsersPage() {
  const { find } = useSearch({ from: "/inside/operator/users" });
  const navigate = useNavigate({ from: "/operator/users" });
  const { query, users } = useUsers(find !== undefined);
  const found = findUsers(users, find);
  const setFind = (text: string) => void navigate({ to: ".", search: { find: text || undefined }, replace: true });
  return (
    <WithSidePanel panel={<Outlet />}>
      <OperatorPage
        title={words.title}
        actions={
          <ShowCall
            calls={[
              {
                title: words.call,
                method: "GET",
                path: "/control/admin/users?limit=200",
                sdk: "const { users } = await control.listPlatformUsers({ limit: 200 });",
              },
            ]}
          />
        }
      >
        <p className={styles["secondary"]}>{words.text}</p>
        <FilterBar status={query.data ? words.shown(found.length, users.length, !query.hasNextPage) : ""}>
          <FilterText label={words.find} value={find ?? ""} onChange={setFind} />
        </FilterBar>
        {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
        {query.isPending && <Skeleton rows={1} height={260} />}
        {query.data && (
          <Card>
            {found.length > 0 ? (
              <UserTable users={found} find={find} />
            ) : (
              <EmptyState title={words.nothing} action={<Button onClick={() => setFind("")}>{words.clear}</Button>}>
                {words.nothingText}
              </EmptyState>
            )}
            {query.hasNextPage && find === undefined && (
              <PanelBody>
                <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {words.more}
                </Button>
              </PanelBody>
            )}
          </Card>
        )}
      </OperatorPage>
    </WithSidePanel>
  );
}
