import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { limitNames } from "../../components/limits/limits";
import { ShowCall } from "../../components/shell/show-call";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { formatMoney } from "../../lib/money";
import { operatorMessages } from "../../messages/operator";
import { limitText } from "./limits";
import { OperatorPage } from "./operator-page";
import styles from "./operator.module.css";
import { PlanDialog } from "./plan-dialog";
import { plansOf } from "./queries";

const words = operatorMessages.plans;
const limitColumns = limitNames.map((name) => operatorMessages.limits.columns[name]);

/** The plans with what they charge and allow. */
export function PlansPage() {
  const query = useQuery(plansOf);
  const { plan: slug } = useSearch({ from: "/inside/operator/plans" });
  const navigate = useNavigate();
  const open = (plan?: string) => void navigate({ to: "/operator/plans", search: { plan }, replace: true });
  const opened = query.data?.find((one) => one.slug === slug);
  return (
    <OperatorPage
      title={words.title}
      actions={
        <ShowCall
          calls={[
            { title: words.calls.list, method: "GET", path: "/control/admin/plans", sdk: "const { plans } = await control.listPlans();" },
            {
              title: words.calls.change,
              method: "PATCH",
              path: "/control/admin/plans/pro",
              body: { priceUsdMonthly: 29, limits: { vectors: 2_000_000 } },
              sdk: 'await control.updatePlan("pro", { priceUsdMonthly: 29, limits: { vectors: 2_000_000 } });',
            },
          ]}
        />
      }
    >
      <p className={styles["secondary"]}>{words.text}</p>
      <Panel title={words.list}>
        {query.data ? (
          <Table
            label={words.list}
            columns={[words.plan, words.slug, words.price, ...limitColumns, words.grandfather, ""]}
            figures={[words.price, ...limitColumns]}
            rows={query.data.map((plan) => ({
              key: plan.slug,
              cells: [
                <bdi className={styles["cut"]} title={plan.name}>
                  {plan.name}
                </bdi>,
                <code>{plan.slug}</code>,
                formatMoney(plan.priceUsdMonthly, "USD"),
                ...limitNames.map((name) => limitText(name, plan.limits[name])),
                plan.grandfather ? words.yes : words.no,
                <Button small aria-label={words.changeNamed(plan.name)} onClick={() => open(plan.slug)}>
                  {words.change}
                </Button>,
              ],
            }))}
          />
        ) : (
          <PanelBody>
            {query.isError ? <ErrorState error={query.error} onRetry={() => void query.refetch()} /> : <Skeleton rows={3} height={32} />}
          </PanelBody>
        )}
      </Panel>
      {opened && <PlanDialog key={opened.slug} plan={opened} onClose={() => open()} />}
    </OperatorPage>
  );
}
