import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { Billing } from "manybase/control";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { Alert } from "../../components/states/alert";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { billingMessages as words } from "../../messages/billing";
import styles from "./billing.module.css";
import { Catalogue } from "./catalogue";
import { PlanInForce } from "./plan";
import { Projects } from "./projects";
import { billingOf } from "./queries";

/** How the checkout ended that the person comes back from. */
function Outcome({ how, billing }: { how: "success" | "canceled"; billing: Billing }) {
  if (how === "canceled") return <Alert tone="warn">{words.checkout.canceled}</Alert>;
  const inForce = billing.source === "subscription";
  return (
    <p role="status" className={styles["outcome"]}>
      {inForce ? words.checkout.inForce : words.checkout.success}
    </p>
  );
}

/** The plan of the person, what their projects use of it, and the plans there are. */
export function BillingPage() {
  const { checkout } = useSearch({ from: "/inside/account/billing" });
  const query = useQuery(billingOf(checkout === "success"));
  const { data } = query;
  return (
    <Page
      title={words.title}
      actions={
        <ShowCall
          calls={[
            {
              title: words.calls.read,
              method: "GET",
              path: "/control/billing",
              sdk: "const { plan, limits, source, subscription, projects, plans } = await control.getBilling();",
            },
            {
              title: words.calls.checkout,
              method: "POST",
              path: "/control/billing/checkout",
              body: { plan: "pro" },
              sdk: 'const { url } = await control.startCheckout({ plan: "pro" });',
            },
            {
              title: words.calls.portal,
              method: "POST",
              path: "/control/billing/portal",
              sdk: "const { url } = await control.openBillingPortal();",
            },
          ]}
        />
      }
    >
      <p className={styles["secondary"]}>{words.text}</p>
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={3} height={200} />}
      {data && (
        <>
          {checkout && <Outcome how={checkout} billing={data} />}
          <PlanInForce billing={data} />
          <Projects billing={data} />
          <Catalogue billing={data} />
        </>
      )}
    </Page>
  );
}
