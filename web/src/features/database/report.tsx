// The parts of a report on a collection of the database.
import type { IntrospectionProblem, IntrospectionReport } from "manybase/admin";
import { Badge, type Tone } from "../../components/ui/badge";
import { Facts } from "../../components/ui/facts";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { inlineJson } from "../../lib/json";
import { roundSize } from "../../lib/size";
import { ownDatabaseMessages } from "../../messages/own-database";
import styles from "./database.module.css";

const words = ownDatabaseMessages.report;

export const verdictTones = { ready: "good", "needs-backfill": "info", incompatible: "bad" } as const satisfies Record<string, Tone>;
const severityTones = { error: "bad", warning: "warn", info: "info" } as const satisfies Record<string, Tone>;

/** The verdict in words, with the numbers that it rests on. */
export function Verdict({ report: { verdict, stats, ids, sampled } }: { report: IntrospectionReport }) {
  const { facts } = words;
  const number = (n: number) => n.toLocaleString("en");
  const counted = (n: number) => (ids.estimated ? facts.about(number(n)) : number(n));
  return (
    <Panel title={words.verdict} aside={<Badge tone={verdictTones[verdict]}>{words.verdicts[verdict]}</Badge>}>
      <PanelBody>
        <p>{words.verdictText[verdict]}</p>
        <Facts
          rows={[
            [facts.documents, number(stats.count)],
            [facts.size, roundSize(stats.sizeBytes)],
            [facts.average, roundSize(stats.averageSizeBytes)],
            [facts.sampled, number(sampled)],
            [facts.ids, counted(ids.withId)],
            [facts.noIds, counted(ids.withoutId)],
          ]}
        />
      </PanelBody>
    </Panel>
  );
}

/** Problems, those that prevent an import first, as the server has them. */
export function Problems({ problems }: { problems: readonly IntrospectionProblem[] }) {
  const { severities, at } = words.problems;
  return (
    <Panel title={words.problems.title}>
      <PanelBody>
        {problems.length === 0 && <p className={styles["secondary"]}>{words.problems.none}</p>}
        {problems.length > 0 && (
          <ul className={styles["problems"]}>
            {problems.map(({ code, severity, message, path }) => (
              <li key={`${code} ${path ?? ""}`}>
                <Badge tone={severityTones[severity]}>{severities[severity]}</Badge>
                <p>
                  <bdi>{message}</bdi> {path !== undefined && <code>{at(path)}</code>}
                </p>
              </li>
            ))}
          </ul>
        )}
      </PanelBody>
    </Panel>
  );
}

/** The fields of the documents that were read, with the shares of their types. */
export function Fields({ fields }: { fields: IntrospectionReport["fields"] }) {
  const { title, none, columns, type, present } = words.fields;
  return (
    <Panel title={title}>
      {fields.length === 0 && (
        <PanelBody>
          <p className={styles["secondary"]}>{none}</p>
        </PanelBody>
      )}
      {fields.length > 0 && (
        <Table
          label={title}
          columns={[columns.path, columns.types, columns.present]}
          figures={[columns.present]}
          rows={fields.map((field) => ({
            key: field.path,
            cells: [
              <code key="path">
                <bdi>{field.path}</bdi>
              </code>,
              <span key="types" className={styles["list"]}>
                {Object.entries(field.types)
                  .sort(([, a], [, b]) => b - a)
                  .map(([name, part]) => (
                    <Badge key={name}>{type(name, part)}</Badge>
                  ))}
              </span>,
              present(field.present),
            ],
          }))}
        />
      )}
    </Panel>
  );
}

/** The indexes that the database has. */
export function Indexes({ indexes }: { indexes: IntrospectionReport["stats"]["indexes"] }) {
  const { title, columns, unique } = words.indexes;
  if (indexes.length === 0) return null;
  return (
    <Panel title={title}>
      <Table
        label={title}
        columns={[columns.name, columns.keys, columns.unique]}
        rows={indexes.map((index) => ({
          key: index.name,
          cells: [
            <bdi key="name">{index.name}</bdi>,
            <code key="keys">
              <bdi>{inlineJson(index.keys)}</bdi>
            </code>,
            index.unique && <Badge tone="info">{unique}</Badge>,
          ],
        }))}
      />
    </Panel>
  );
}
