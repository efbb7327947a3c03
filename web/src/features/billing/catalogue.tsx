import type { Billing, Plan } from "manybase/control";
import { useState } from "react";
import { limitNames, type LimitName } from "../../components/limits/limits";
import { ErrorState } from "../../components/states/problem";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { formatMoney } from "../../lib/money";
import { exactSize } from "../../lib/size";
import { billingMessages } from "../../messages/billing";
import { control } from "../../session";
import styles from "./billing.module.css";
import { isSubscribed, openPage } from "./queries";

const words = billingMessages.catalogue;

function limitText(name: LimitName, limit: number | null): string {
  if (limit === null) return words.unlimited;
  return name === "storageBytes" ? exactSize(limit) : limit.toLocaleString("en");
}

/** All plans, with a checkout for those that can be paid for. */
export function Catalogue({ billing }: { billing: Billing }) {
  const [opening, setOpening] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const subscribed = isSubscribed(billing);
  const choose = async (plan: string) => {
    setOpening(plan);
    setProblem(undefined);
    try {
      await openPage(control.startCheckout({ plan }));
    } catch (error) {
      setProblem(error);
      setOpening(undefined);
    }
  };
  const last = ({ slug, name }: Plan) => {
    if (slug === billing.plan.slug) return <Badge tone="info">{words.current}</Badge>;
    if (slug === "free" || subscribed) return null;
    return (
      <Button small busy={opening !== undefined} aria-label={words.chooseNamed(name)} onClick={() => void choose(slug)}>
        {words.choose}
      </Button>
    );
  };
  return (
    <Panel title={words.title}>
      <Table
        label={words.title}
        columns={[words.plan, words.price, ...limitNames.map((name) => words.limits[name]), ""]}
        figures={[words.price, ...limitNames.map((name) => words.limits[name])]}
        rows={billing.plans.map((plan) => ({
          key: plan.slug,
          cells: [
            <bdi className={styles["name"]} title={plan.name}>
              {plan.name}
            </bdi>,
            formatMoney(plan.priceUsdMonthly, "USD"),
            ...limitNames.map((name) => limitText(name, plan.limits[name])),
            last(plan),
          ],
        }))}
      />
      <PanelBody>
        <p className={styles["secondary"]}>{subscribed ? words.subscribed : words.leaves}</p>
        {problem !== undefined && <ErrorState error={problem} />}
      </PanelBody>
    </Panel>
  );
}
