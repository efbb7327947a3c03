import { Link } from "@tanstack/react-router";
import type { Connection, ConnectionKind } from "manybase/control";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Card } from "../../components/ui/panel";
import { Time } from "../../components/ui/relative-time";
import { Table } from "../../components/ui/table";
import { connectionMessages as words } from "../../messages/connections";
import styles from "./connections.module.css";
import { configText, labelOf } from "./input";

interface Props {
  label: string;
  list: readonly Connection[];
  kinds: readonly ConnectionKind[];
  /** The ids of the person's own organizations, in a list that also has connections of others. */
  organizations?: readonly string[] | undefined;
  mayChange(connection: Connection): boolean;
  onChange(connection: Connection): void;
  onDelete(connection: Connection): void;
}

function Named({ pairs }: { pairs: readonly (readonly [name: string, value: string])[] }) {
  return pairs.map(([name, value]) => (
    <code key={name} className={styles["pair"]} title={`${name}: ${value}`}>
      {name}: <bdi>{value}</bdi>
    </code>
  ));
}

function Secrets({ of }: { of: Connection }) {
  return (
    <span className={styles["secrets"]}>
      {Object.entries(of.secrets).map(([name, { configured }]) => (
        <span key={name}>
          <code>{name}</code> <Badge tone={configured === true ? "good" : "plain"}>{configured === true ? words.set : words.unset}</Badge>
        </span>
      ))}
    </span>
  );
}

function Scope({ of: { scope }, organizations }: { of: Connection; organizations: readonly string[] }) {
  if (scope.type === "project") return words.project;
  if (scope.orgId === undefined || !organizations.includes(scope.orgId)) return words.organization;
  return <Link to="/account/connections">{words.ownOrganization}</Link>;
}

/** Connections with what they are for, and for who may change them with the buttons that do. */
export function ConnectionTable({ label, list, kinds, organizations, mayChange, onChange, onDelete }: Props) {
  const { columns } = words;
  const changes = list.some(mayChange);
  return (
    <Card>
      <Table
        label={label}
        columns={[
          columns.name,
          columns.kind,
          ...(organizations ? [columns.scope] : []),
          columns.config,
          columns.secrets,
          columns.changed,
          ...(changes ? [""] : []),
        ]}
        rows={list.map((one) => ({
          key: one.id,
          cells: [
            <bdi className={styles["name"]} title={one.name}>
              {one.name}
            </bdi>,
            labelOf(kinds, one.kind),
            ...(organizations ? [<Scope of={one} organizations={organizations} />] : []),
            <Named pairs={Object.entries(one.config).map(([name, value]) => [name, configText(value)] as const)} />,
            <Secrets of={one} />,
            <Time at={one.updatedAt} />,
            ...(changes
              ? [
                  mayChange(one) && (
                    <span className={styles["actions"]}>
                      <Button small aria-label={words.changeNamed(one.name)} onClick={() => onChange(one)}>
                        {words.change}
                      </Button>
                      <Button small look="danger" aria-label={words.deleteNamed(one.name)} onClick={() => onDelete(one)}>
                        {words.delete}
                      </Button>
                    </span>
                  ),
                ]
              : []),
          ],
        }))}
      />
    </Card>
  );
}
