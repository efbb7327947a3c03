import { useQuery } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import type { AuditEntry } from "manybase/admin";
import { ErrorState } from "../../components/states/problem";
import { IconButton } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Time } from "../../components/ui/relative-time";
import { Table } from "../../components/ui/table";
import { formatMoment } from "../../lib/format";
import { messages } from "../../messages";
import { changesOf, metricsOf } from "./facts";
import { appRequests } from "./requests";
import styles from "./home.module.css";

const words = messages.home;
/** Of more collections the names would not fit anyway. */
const shownNames = 12;

interface PartProps {
  projectId: string;
  perms: readonly string[];
}

function Figure({ label, value, line }: { label: string; value: string; line: string }) {
  return (
    <div className={styles["figure"]}>
      <dt>{label}</dt>
      <dd className={styles["value"]}>{value}</dd>
      <dd className={styles["line"]} title={line}>
        {line}
      </dd>
    </div>
  );
}

/** The project in a few numbers. */
export function Figures({ projectId, perms, collections }: PartProps & { collections: string[] }) {
  const { data } = useQuery(metricsOf(projectId, perms));
  const sum = data && appRequests(data.planes);
  const all = sum ? sum.ok + sum.error : 0;
  const { figures } = words;
  return (
    <dl className={styles["figures"]}>
      <Figure
        label={figures.collections}
        value={collections.length.toLocaleString("en")}
        line={collections.length ? figures.few(collections.slice(0, shownNames)) : figures.none}
      />
      {data && sum && (
        <>
          <Figure
            label={figures.requests}
            value={all.toLocaleString("en")}
            line={figures.since(formatMoment(data.since))}
          />
          <Figure
            label={figures.errors}
            value={all ? `${((100 * sum.error) / all).toLocaleString("en", { maximumFractionDigits: 1 })} %` : "0 %"}
            line={figures.errorsOf(all)}
          />
        </>
      )}
    </dl>
  );
}

/** Requests since the server started, by plane. */
export function Planes({ projectId, perms }: PartProps) {
  const query = useQuery(metricsOf(projectId, perms));
  if (!query.data && !query.isError) return null;
  const rows = Object.entries(query.data?.planes ?? {}).filter(([, { ok, error }]) => ok + error > 0);
  return (
    <Panel
      title={words.planes}
      aside={
        <IconButton label={words.refresh} onClick={() => void query.refetch()}>
          <RotateCw size={14} aria-hidden />
        </IconButton>
      }
    >
      {query.isError ? (
        <PanelBody>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </PanelBody>
      ) : rows.length === 0 ? (
        <PanelBody>
          <p className={styles["secondary"]}>{words.noRequests}</p>
        </PanelBody>
      ) : (
        <Table
          label={words.planes}
          columns={[words.plane, words.ok, words.failed]}
          figures={[words.ok, words.failed]}
          rows={rows.map(([plane, { ok, error }]) => ({
            key: plane,
            cells: [plane, ok.toLocaleString("en"), error.toLocaleString("en")],
          }))}
        />
      )}
    </Panel>
  );
}

const actorOf = ({ actor }: AuditEntry): string => {
  const { email, name, id, kind } = actor as { email?: string; name?: string; id?: string; kind?: string };
  return email ?? name ?? id ?? kind ?? words.system;
};

/** The last entries of the audit record, where the server keeps one. */
export function Changes({ projectId, perms }: PartProps) {
  const query = useQuery(changesOf(projectId, perms));
  if (!query.isError && !query.data) return null;
  return (
    <Panel title={words.latest}>
      {query.isError ? (
        <PanelBody>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </PanelBody>
      ) : query.data?.length ? (
        <ul className={styles["changes"]}>
          {query.data.map((entry) => (
            <li key={entry.id}>
              <span>
                <b>{entry.action}</b> <bdi>{entry.target}</bdi>
                <span className={styles["secondary"]}>
                  <bdi>{actorOf(entry)}</bdi>
                </span>
              </span>
              <Time at={entry.at} className={styles["secondary"]} />
            </li>
          ))}
        </ul>
      ) : (
        <PanelBody>
          <p className={styles["secondary"]}>{words.noChanges}</p>
        </PanelBody>
      )}
    </Panel>
  );
}
