import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowLeftRight, RotateCw } from "lucide-react";
import type { Project } from "manybase/control";
import { useState } from "react";
import { useProject } from "../../app/project";
import { projectChanged, queryClient } from "../../app/queries";
import { Form, FormProblem, type Values } from "../../components/form/form";
import { PlanOptions, PlanProblems } from "../../components/plan/plan-problems";
import { differs, queryOf, type Accepted, type Planned } from "../../components/plan/plan";
import { PlanView } from "../../components/plan/plan-view";
import { Page } from "../../components/shell/page";
import { ShowCall, type Call } from "../../components/shell/show-call";
import { Alert } from "../../components/states/alert";
import { Skeleton } from "../../components/states/skeleton";
import { Button, IconButton, buttonClass } from "../../components/ui/button";
import { TextField } from "../../components/ui/field";
import { Panel, PanelBody } from "../../components/ui/panel";
import { SelectField } from "../../components/ui/select-field";
import { toast } from "../../components/ui/toast";
import { familyOf } from "../../lib/family";
import { environmentsMessages } from "../../messages/environments";
import { control } from "../../session";
import styles from "./environments.module.css";
import { labelOf, promotable, promotionOf } from "./queries";

const words = environmentsMessages.promotion;
const nameOf = (project: Project) => labelOf(project, environmentsMessages.production);

interface Pair {
  from: Project;
  to: Project;
}

const callsOf = ({ from, to }: Pair): Call[] => {
  const body = { fromProjectId: from.id, toProjectId: to.id };
  const ids = `{ fromProjectId: ${JSON.stringify(from.id)}, toProjectId: ${JSON.stringify(to.id)} }`;
  return [
    {
      title: environmentsMessages.calls.plan,
      method: "POST",
      path: "/control/environments/promote?dryRun=1",
      body,
      sdk: `const { plan } = await control.promote(${ids}, { dryRun: "1" });`,
    },
    {
      title: environmentsMessages.calls.apply,
      method: "POST",
      path: "/control/environments/promote",
      body,
      sdk: `await control.promote(${ids});`,
    },
  ];
};

/** Applies the plan, once the label of the environment that changes is typed. */
function Apply({ pair, planned, accepted }: { pair: Pair; planned: Planned; accepted: Accepted }) {
  const { from, to } = pair;
  const label = nameOf(to);
  const { create, update } = planned.plan.summary;
  const apply = async ({ label: typed = "" }: Values) => {
    if (typed.trim() !== label) throw new FormProblem("label", words.wrong);
    await control.promote({ fromProjectId: from.id, toProjectId: to.id }, { plan: planned.digest, ...queryOf(accepted) });
    toast(words.done(label));
    await projectChanged(to.id);
    await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === "ahead" });
  };
  return (
    <Panel title={words.applyTitle}>
      <PanelBody>
        <p>{words.applyText(create + update, nameOf(from), label)}</p>
        <Form label={words.applyTitle} onSubmit={apply}>
          {(busy) => (
            <div className={styles["confirm"]}>
              <TextField label={words.confirm(label)} name="label" autoComplete="off" autoCapitalize="none" spellCheck={false} mono />
              <Button type="submit" look="primary" busy={busy}>
                {words.apply}
              </Button>
            </div>
          )}
        </Form>
      </PanelBody>
    </Panel>
  );
}

function Promotion({ pair, accepted }: { pair: Pair; accepted: Accepted }) {
  const query = useQuery(promotionOf(pair.from.id, pair.to.id, accepted));
  if (query.isError) return <PlanProblems error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton rows={3} height={64} />;
  const { plan } = query.data;
  return (
    <>
      <PlanView key={query.data.digest} plan={plan} />
      {differs(plan) && <Apply pair={pair} planned={query.data} accepted={accepted} />}
    </>
  );
}

export function PromotionPage() {
  const { project, list } = useProject();
  const search = useSearch({ from: "/inside/p/$slug/environments/promote" });
  const navigate = useNavigate();
  const [accepted, setAccepted] = useState<Accepted>({ allowMissing: false, skipTests: false });
  const [plans, setPlans] = useState(0);
  const family = familyOf(list, project).filter(promotable);
  const root = family.find(({ parentId }) => parentId === null);
  const isEnvironment = project.parentId !== null;
  const from = family.find(({ id }) => id === (search.from ?? (isEnvironment ? project.id : undefined)));
  const to = family.find(({ id }) => id === (search.to ?? (isEnvironment ? root?.id : undefined)));
  const pair = from && to && from !== to ? { from, to } : undefined;
  const choose = (next: { from?: string; to?: string }) =>
    void navigate({
      to: "/p/$slug/environments/promote",
      params: { slug: project.slug },
      search: { from: from?.id, to: to?.id, ...next },
      replace: true,
    });
  const options = [{ value: "", label: words.choose }, ...family.map((one) => ({ value: one.id, label: `${nameOf(one)} · ${one.name}` }))];
  return (
    <Page
      title={words.title}
      actions={
        <>
          {pair && <ShowCall calls={callsOf(pair)} />}
          <Link to="/p/$slug/environments" params={{ slug: project.slug }} className={buttonClass({})}>
            {words.back}
          </Link>
        </>
      }
    >
      <p className={styles["secondary"]}>{words.text}</p>
      {family.length < 2 ? (
        <Alert tone="warn">{words.alone}</Alert>
      ) : (
        <Panel
          title={words.pair}
          aside={
            pair && (
              <IconButton label={words.again} onClick={() => setPlans(plans + 1)}>
                <RotateCw size={14} aria-hidden />
              </IconButton>
            )
          }
        >
          <PanelBody>
            <div className={styles["choice"]}>
              <SelectField label={words.from} name="from" options={options} value={from?.id ?? ""} onChange={(id) => choose({ from: id || undefined })} />
              <IconButton label={words.swap} onClick={() => choose({ from: to?.id, to: from?.id })}>
                <ArrowLeftRight size={16} strokeWidth={1.75} aria-hidden />
              </IconButton>
              <SelectField label={words.to} name="to" options={options} value={to?.id ?? ""} onChange={(id) => choose({ to: id || undefined })} />
            </div>
            {from && from === to && <p role="status">{words.same}</p>}
            <PlanOptions accepted={accepted} onChange={setAccepted} />
          </PanelBody>
        </Panel>
      )}
      {pair && <Promotion key={`${pair.from.id} ${pair.to.id} ${plans}`} pair={pair} accepted={accepted} />}
    </Page>
  );
}
