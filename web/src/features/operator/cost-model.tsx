import { useQuery } from "@tanstack/react-query";
import type { CostModel } from "manybase/control";
import { FormProblem, type Values } from "../../components/form/form";
import { PageForm } from "../../components/form/page-form";
import { useReview, type Change } from "../../components/form/review";
import { ShowCall } from "../../components/shell/show-call";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { TextField } from "../../components/ui/field";
import { Panel, PanelBody } from "../../components/ui/panel";
import { toast } from "../../components/ui/toast";
import { amountText, parseAmount } from "../../lib/money";
import { operatorMessages } from "../../messages/operator";
import { control } from "../../session";
import { Calculator } from "./calculator";
import { unitNames } from "./estimate";
import { OperatorPage } from "./operator-page";
import styles from "./operator.module.css";
import { atFields } from "./problems";
import { costModelOf, operatorChanged } from "./queries";

const words = operatorMessages.model;

function amountOf(values: Values, name: string): number {
  const amount = parseAmount(values[name] ?? "");
  if (amount === undefined) throw new FormProblem(name, operatorMessages.amount);
  return amount;
}

function changesOf(before: CostModel, after: CostModel): Change[] {
  const rows: [string, string, string][] = [
    [words.currency, before.currency, after.currency],
    ...unitNames.map((name): [string, string, string] => [
      words.units[name],
      amountText(before.unitCosts[name]),
      amountText(after.unitCosts[name]),
    ]),
    [words.margin, amountText(before.margin), amountText(after.margin)],
  ];
  return rows.filter(([, was, is]) => was !== is).map(([label, was, is]) => ({ label, before: was, after: is }));
}

function ModelForm({ model }: { model: CostModel }) {
  const [review, question] = useReview();
  const save = async (values: Values) => {
    const units = Object.fromEntries(unitNames.map((name) => [name, amountOf(values, name)])) as unknown as CostModel["unitCosts"];
    const next = { currency: values["currency"]?.trim() ?? "", unitCosts: units, margin: amountOf(values, "margin") };
    const changes = changesOf(model, next);
    if (changes.length === 0) return toast(operatorMessages.nothingChanged);
    if (!(await review({ title: words.question, action: words.save, text: words.effect, changes }))) return false;
    try {
      await control.setCostModel(next);
    } catch (error) {
      throw atFields(error);
    }
    await operatorChanged();
    return toast(words.saved);
  };
  const amount = (name: string, label: string, value: number, hint?: string) => (
    <TextField key={name} label={label} name={name} hint={hint} inputMode="decimal" defaultValue={amountText(value)} autoComplete="off" />
  );
  return (
    <>
      <PageForm label={words.form} action={words.action} onSubmit={save}>
        <div className={styles["fields"]}>
          <TextField
            label={words.currency}
            name="currency"
            hint={words.currencyHint}
            defaultValue={model.currency}
            autoComplete="off"
            spellCheck={false}
          />
          {amount("margin", words.margin, model.margin, words.marginHint)}
          {unitNames.map((name) => amount(name, words.units[name], model.unitCosts[name]))}
        </div>
      </PageForm>
      {question}
    </>
  );
}

/** What a unit costs the deployment, and what a use then costs next to the plans. */
export function CostModelPage() {
  const query = useQuery(costModelOf);
  const model = query.data;
  return (
    <OperatorPage
      title={words.title}
      actions={
        <ShowCall
          calls={[
            { title: words.calls.read, method: "GET", path: "/control/admin/cost-model", sdk: "const model = await control.getCostModel();" },
            {
              title: words.calls.set,
              method: "PUT",
              path: "/control/admin/cost-model",
              body: model,
              sdk: `await control.setCostModel(${JSON.stringify(model, null, 2)});`,
            },
          ]}
        />
      }
    >
      <p className={styles["secondary"]}>{words.text}</p>
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={2} height={240} />}
      {model && (
        <>
          <Panel title={words.form}>
            <PanelBody>
              <ModelForm key={JSON.stringify(model)} model={model} />
            </PanelBody>
          </Panel>
          <Calculator model={model} />
        </>
      )}
    </OperatorPage>
  );
}
