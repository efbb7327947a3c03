import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { CostModel, Plan } from "manybase/control";
import { Form, FormProblem, type Values } from "../../components/form/form";
import { ErrorState } from "../../components/states/problem";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Facts } from "../../components/ui/facts";
import { TextField } from "../../components/ui/field";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { formatMoney, parseAmount, roundMoney } from "../../lib/money";
import { operatorMessages } from "../../messages/operator";
import { exceeds, moneyOf, unitsOf, usageAtLimits, type Use } from "./estimate";
import styles from "./operator.module.css";
import { plansOf } from "./queries";

const words = operatorMessages.calculator;
const names = ["gib", "runs", "vectors", "connections"] as const;
const initial = { gib: "10", runs: "1,000,000", vectors: "100,000", connections: "10" };

function PlanRows({ plans, use, model }: { plans: readonly Plan[]; use: Use; model: CostModel }) {
  const { cost } = moneyOf(unitsOf(use), model);
  const left = ({ priceUsdMonthly }: Plan) =>
    model.currency === "USD" ? formatMoney(roundMoney(priceUsdMonthly - cost), "USD") : words.notCompared;
  const atLimits = ({ limits }: Plan) => {
    const most = usageAtLimits(limits);
    return most ? formatMoney(moneyOf(unitsOf(most), model).price, model.currency) : words.unbounded;
  };
  return (
    <Table
      label={words.plans}
      columns={[words.plan, words.planPrice, words.left, words.atLimits]}
      figures={[words.planPrice, words.left, words.atLimits]}
      rows={plans.map((plan) => ({
        key: plan.slug,
        cells: [
          <>
            <bdi className={styles["cut"]} title={plan.name}>
              {plan.name}
            </bdi>{" "}
            {exceeds(use, plan.limits) && <Badge tone="warn">{words.exceeded}</Badge>}
          </>,
          formatMoney(plan.priceUsdMonthly, "USD"),
          left(plan),
          atLimits(plan),
        ],
      }))}
    />
  );
}

/** Computes what a use costs by the cost model, next to the plans. */
export function Calculator({ model }: { model: CostModel }) {
  const search = useSearch({ from: "/inside/operator/cost-model" });
  const navigate = useNavigate();
  const query = useQuery(plansOf);
  const texts = { ...initial, ...Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) };
  // An address that was written by hand may hold anything.
  const use = Object.fromEntries(names.map((name) => [name, parseAmount(texts[name]) ?? 0])) as unknown as Use;
  const { cost, price } = moneyOf(unitsOf(use), model);
  const calculate = async (values: Values) => {
    for (const name of names) {
      if (parseAmount(values[name] ?? "") === undefined) throw new FormProblem(name, operatorMessages.amount);
    }
    await navigate({ to: "/operator/cost-model", search: values, replace: true });
  };
  return (
    <Panel title={words.title}>
      <PanelBody>
        <p className={styles["secondary"]}>{words.text}</p>
        <Form label={words.form} onSubmit={calculate}>
          {() => (
            <>
              <div className={styles["fields"]}>
                {names.map((name) => (
                  <TextField
                    key={name}
                    label={words[name]}
                    name={name}
                    hint={name === "connections" ? words.connectionsHint : undefined}
                    inputMode="decimal"
                    defaultValue={texts[name]}
                    autoComplete="off"
                  />
                ))}
              </div>
              <div>
                <Button type="submit">{words.action}</Button>
              </div>
            </>
          )}
        </Form>
        <div role="status">
          <Facts
            rows={[
              [words.cost, <b>{formatMoney(cost, model.currency)}</b>],
              [words.price, <b>{formatMoney(price, model.currency)}</b>],
            ]}
          />
        </div>
        {model.currency !== "USD" && <p className={styles["secondary"]}>{words.otherCurrency(model.currency)}</p>}
        {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      </PanelBody>
      {query.data && <PlanRows plans={query.data} use={use} model={model} />}
    </Panel>
  );
}
