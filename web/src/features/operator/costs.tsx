import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Download } from "lucide-react";
import type { CostReport } from "manybase/control";
import { useState } from "react";
import { Form, type Values } from "../../components/form/form";
import { ShowCall } from "../../components/shell/show-call";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState } from "../../components/states/problem";
import { Unread } from "../../components/states/unread";
import { Button } from "../../components/ui/button";
import { TextField } from "../../components/ui/field";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { formatMoney } from "../../lib/money";
import { saveFile } from "../../lib/save-file";
import { operatorMessages } from "../../messages/operator";
import { control } from "../../session";
import { thisMonth } from "./days";
import { unitNames } from "./estimate";
import { OperatorPage } from "./operator-page";
import styles from "./operator.module.css";
import { costsOf } from "./queries";

const words = operatorMessages.costs;
/** As many projects are shown at first; the file has all. */
const shownRows = 200;

function Report({ report }: { report: CostReport }) {
  const [shown, setShown] = useState(shownRows);
  const { projects, currency } = report;
  const units = (n: number) => n.toLocaleString("en", { maximumFractionDigits: 6 });
  if (projects.length === 0) return <EmptyState title={words.none}>{words.noneText}</EmptyState>;
  return (
    <>
      <Table
        label={words.list}
        columns={[words.project, words.payer, ...unitNames.map((name) => words.units[name]), words.cost, words.price]}
        figures={[...unitNames.map((name) => words.units[name]), words.cost, words.price]}
        rows={projects.slice(0, shown).map((project) => ({
          key: project.id,
          cells: [
            <bdi className={styles["cut"]} title={`${project.name} (${project.id})`}>
              {project.name || project.id}
            </bdi>,
            project.ownerId && (
              <Link to="/operator/users/$user" params={{ user: project.ownerId }}>
                <code>{project.ownerId}</code>
              </Link>
            ),
            ...unitNames.map((name) => units(project.units[name])),
            formatMoney(project.cost, currency),
            formatMoney(project.price, currency),
          ],
        }))}
      />
      {projects.length > shown && (
        <PanelBody>
          <Button onClick={() => setShown(shown + shownRows)}>{words.more(Math.min(shownRows, projects.length - shown))}</Button>
        </PanelBody>
      )}
    </>
  );
}

/** The same as a file of the server. */
function Csv({ from, to }: { from: string; to: string }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const download = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      saveFile(await control.getCostsCsv({ from, to }), `costs-${from}-${to}.csv`, "text/csv");
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <div>
        <Button busy={busy} onClick={() => void download()}>
          <Download size={16} strokeWidth={1.75} aria-hidden />
          {words.download}
        </Button>
      </div>
      {problem !== undefined && <ErrorState error={problem} />}
    </>
  );
}

/** What each project cost between two days. */
export function CostsPage() {
  const search = useSearch({ from: "/inside/operator/costs" });
  const navigate = useNavigate();
  const { from, to } = { ...thisMonth(), ...Object.fromEntries(Object.entries(search).filter(([, day]) => day)) };
  const query = useQuery(costsOf(from, to));
  const show = async (values: Values) => navigate({ to: "/operator/costs", search: { from: values["from"], to: values["to"] }, replace: true });
  const path = `/control/admin/costs?${new URLSearchParams({ from, to })}`;
  const range = JSON.stringify({ from, to });
  return (
    <OperatorPage
      title={words.title}
      actions={
        <ShowCall
          calls={[
            { title: words.calls.read, method: "GET", path, sdk: `const { projects, total, currency } = await control.getCosts(${range});` },
            { title: words.calls.csv, method: "GET", path, accept: "text/csv", sdk: `const csv = await control.getCostsCsv(${range});` },
          ]}
        />
      }
    >
      <p className={styles["secondary"]}>{words.text}</p>
      <Form key={path} label={words.form} onSubmit={show}>
        {() => (
          <div className={styles["days"]}>
            <TextField label={words.from} name="from" type="date" defaultValue={from} required />
            <TextField label={words.to} name="to" type="date" hint={words.daysHint} defaultValue={to} required />
            <Button type="submit">{words.action}</Button>
          </div>
        )}
      </Form>
      <Panel title={words.list} aside={query.data && <b>{words.total(formatMoney(query.data.total, query.data.currency), query.data.projects.length)}</b>}>
        <Unread query={query} rows={6} height={24} />
        {query.data && <Report key={path} report={query.data} />}
      </Panel>
      {query.data && query.data.projects.length > 0 && <Csv from={from} to={to} />}
    </OperatorPage>
  );
}
