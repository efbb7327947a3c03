import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { Plan, User } from "manybase/control";
import { ShowCall } from "../../components/shell/show-call";
import { Alert } from "../../components/states/alert";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { CopyButton } from "../../components/ui/copy-button";
import { Facts, type Fact } from "../../components/ui/facts";
import { Time } from "../../components/ui/relative-time";
import { SidePanel } from "../../components/ui/side-panel";
import { messages } from "../../messages";
import { operatorMessages } from "../../messages/operator";
import { useBilling } from "./operator-page";
import styles from "./operator.module.css";
import { plansOf } from "./queries";
import { useUsers } from "./use-users";
import { UserLimits } from "./user-limits";
import { UserPlan } from "./user-plan";
import { UserBadges } from "./users";

const words = operatorMessages.user;

const factsOf = (user: User, plan: Plan | undefined): Fact[] => [
  [
    words.id,
    <span className={styles["id"]}>
      <code title={user.id}>{user.id}</code>
      <CopyButton text={user.id} label={words.copyId} />
    </span>,
  ],
  user.name && [words.name, <bdi>{user.name}</bdi>],
  user.plan && [words.plan, <bdi>{plan?.name ?? user.plan}</bdi>],
  [words.created, <Time at={user.createdAt} />],
  [words.factor, user.mfaEnabled ? messages.yes : messages.no],
];

/** The plan of a user and the limits that are pinned for them. */
function Paid({ user }: { user: User }) {
  const query = useQuery(plansOf);
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={2} height={120} />;
  const plan = query.data.find(({ slug }) => slug === user.plan);
  return (
    <>
      <UserPlan user={user} plans={query.data} />
      {plan && <UserLimits user={user} plan={plan} />}
    </>
  );
}

function Calls({ id }: { id: string }) {
  const own = JSON.stringify(id);
  return (
    <ShowCall
      small
      calls={[
        {
          title: words.calls.grant,
          method: "POST",
          path: `/control/admin/users/${id}/plan`,
          body: { plan: "pro" },
          sdk: `await control.setPlan(${own}, { plan: "pro" });`,
        },
        {
          title: words.calls.pin,
          method: "PUT",
          path: `/control/admin/users/${id}/limits`,
          body: { limits: { maxProjects: 50, vectors: null } },
          sdk: `await control.setLimits(${own}, { limits: { maxProjects: 50, vectors: null } });`,
        },
        {
          title: words.calls.clear,
          method: "DELETE",
          path: `/control/admin/users/${id}/limits`,
          sdk: `await control.clearLimits(${own});`,
        },
      ]}
    />
  );
}

/** One user next to the list. */
export function UserPanel() {
  const { user: id } = useParams({ from: "/inside/operator/users/$user" });
  const search = useSearch({ from: "/inside/operator/users" });
  const navigate = useNavigate();
  const billing = useBilling();
  const plans = useQuery({ ...plansOf, enabled: billing });
  // A link may lead to a user whose page of the list is not loaded yet.
  const { query, users } = useUsers(true);
  const user = users.find((one) => one.id === id);
  return (
    <SidePanel
      key={id}
      title={user?.email ?? words.user}
      onClose={() => void navigate({ to: "/operator/users", search })}
      actions={billing && user && <Calls id={id} />}
    >
      {query.isError && !user && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {!query.isError && !user && (query.isFetching || query.hasNextPage ? <Skeleton rows={3} height={120} /> : <Alert>{words.missing}</Alert>)}
      {user && (
        <div className={styles["panel"]}>
          <UserBadges user={user} />
          <Facts rows={factsOf(user, plans.data?.find(({ slug }) => slug === user.plan))} />
          {billing && <Paid user={user} />}
        </div>
      )}
    </SidePanel>
  );
}
