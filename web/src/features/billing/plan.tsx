import type { Billing } from "manybase/control";
import { useState } from "react";
import { LimitBars } from "../../components/limits/limit-bars";
import { allowancesOf } from "../../components/limits/limits";
import { ErrorState } from "../../components/states/problem";
import { Button } from "../../components/ui/button";
import { Facts } from "../../components/ui/facts";
import { Panel, PanelBody } from "../../components/ui/panel";
import { formatMoment } from "../../lib/format";
import { formatMoney } from "../../lib/money";
import { billingMessages } from "../../messages/billing";
import { control } from "../../session";
import styles from "./billing.module.css";
import { isSubscribed, openPage } from "./queries";

const words = billingMessages.plan;

/** The page of the payment provider where a subscription is managed. */
function Portal() {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const open = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await openPage(control.openBillingPortal());
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <>
      <div className={styles["between"]}>
        <p className={styles["secondary"]}>{words.manageText}</p>
        <Button busy={busy} onClick={() => void open()}>
          {words.manage}
        </Button>
      </div>
      {problem !== undefined && <ErrorState error={problem} />}
    </>
  );
}

/** The plan in force, why it is that one, and the subscription. */
export function PlanInForce({ billing }: { billing: Billing }) {
  const { plan, source, subscription, plans } = billing;
  const nameOf = (slug: string) => plans.find((one) => one.slug === slug)?.name ?? slug;
  const until = subscription?.currentPeriodEnd;
  const projects = billing.projects[0]?.usage.projects ?? 0;
  return (
    <Panel title={words.title}>
      <PanelBody>
        <p className={styles["plan"]}>
          <bdi>{plan.name}</bdi>
        </p>
        <Facts
          rows={[
            [words.price, plan.priceUsdMonthly === 0 ? words.free : words.month(formatMoney(plan.priceUsdMonthly, "USD"))],
            [words.source, words.sources[source]],
            subscription && [words.subscription, <bdi>{words.of(nameOf(subscription.plan), subscription.status)}</bdi>],
            until && [subscription.cancelAtPeriodEnd ? words.ends : words.paidUntil, <time dateTime={until}>{formatMoment(until)}</time>],
          ]}
        />
        {subscription && !isSubscribed(billing) && <p className={styles["secondary"]}>{words.notCounting(subscription.status)}</p>}
        <LimitBars allowances={allowancesOf({ maxProjects: billing.limits.maxProjects }, { projects })} />
        {subscription && source !== "grant" && <Portal />}
      </PanelBody>
    </Panel>
  );
}
