import type { UseQueryResult } from "@tanstack/react-query";
import { BarChart } from "../../components/chart/bar-chart";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { usageMessages } from "../../messages/usage";
import { addSteps, highest, planesOf, total, type MetricSeries } from "./figures";
import styles from "./usage.module.css";

const { charts: words, planes: planeWords } = usageMessages;

const share = (ok: number, error: number) =>
  `${((100 * error) / (ok + error)).toLocaleString("en", { maximumFractionDigits: 1 })} %`;

function Planes({ series }: { series: MetricSeries }) {
  const rows = planesOf(series);
  return (
    <Panel title={planeWords.title}>
      {rows.length === 0 ? (
        <PanelBody>
          <p className={styles["secondary"]}>{planeWords.none}</p>
        </PanelBody>
      ) : (
        <Table
          label={planeWords.title}
          columns={[planeWords.plane, words.ok, words.error, planeWords.share]}
          figures={[words.ok, words.error, planeWords.share]}
          rows={rows.map(({ plane, ok, error }) => ({
            key: plane,
            cells: [plane, ok.toLocaleString("en"), error.toLocaleString("en"), share(ok, error)],
          }))}
        />
      )}
    </Panel>
  );
}

/** Requests, sockets and runs over time. */
export function Charts({ query }: { query: UseQueryResult<MetricSeries> }) {
  const { data } = query;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!data) return <Skeleton rows={3} height={160} />;
  const planes = Object.values(data.planes);
  const ok = addSteps(planes.map((plane) => plane.ok));
  const error = addSteps(planes.map((plane) => plane.error));
  const time = { from: data.from, stepSeconds: data.stepSeconds };
  const gaps = [ok, data.sockets, data.functionRuns].some((values) => values.includes(null));
  return (
    <>
      <Panel title={words.title}>
        <PanelBody>
          <BarChart
            {...time}
            label={words.requests}
            total={words.total(total(ok) + total(error))}
            series={[
              { label: words.ok, values: ok, tone: "first" },
              { label: words.error, values: error, tone: "bad" },
            ]}
          />
          <div className={styles["charts"]}>
            <BarChart
              {...time}
              label={words.sockets}
              total={words.most(highest(data.sockets))}
              series={[{ label: words.sockets, values: data.sockets, tone: "first" }]}
            />
            <BarChart
              {...time}
              label={words.runs}
              total={words.total(total(data.functionRuns))}
              series={[{ label: words.runs, values: data.functionRuns, tone: "first" }]}
            />
          </div>
          {gaps && <p className={styles["secondary"]}>{words.gaps}</p>}
        </PanelBody>
      </Panel>
      <Planes series={data} />
    </>
  );
}
