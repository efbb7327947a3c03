import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { IntrospectedCollection } from "manybase/admin";
import { useProject } from "../../app/project";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { EmptyState } from "../../components/states/empty-state";
import { FilteredList } from "../../components/states/filtered-list";
import { Badge } from "../../components/ui/badge";
import { Card } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { can } from "../../lib/permissions";
import { roundSize } from "../../lib/size";
import { ownDatabaseMessages } from "../../messages/own-database";
import { callsOfContents } from "./calls";
import styles from "./database.module.css";
import { sourcesOf } from "./queries";

const words = ownDatabaseMessages.contents;

/** What a collection of the database is in the project, or why it cannot be imported. */
function State({ of: { imported, importable, reason }, slug }: { of: IntrospectedCollection; slug: string }) {
  if (imported !== null) {
    return (
      <>
        {words.importedAs}{" "}
        <Link to="/p/$slug/data/$collection" params={{ slug, collection: imported }}>
          <bdi>{imported}</bdi>
        </Link>
      </>
    );
  }
  if (importable) return <Badge tone="info">{words.importable}</Badge>;
  return <span className={styles["secondary"]}>{reason && words.reasons[reason]}</span>;
}

/** The collections of the project's own database. */
export function DatabasePage() {
  const { project, perms } = useProject();
  const { find = "" } = useSearch({ from: "/inside/p/$slug/database" });
  const navigate = useNavigate({ from: "/p/$slug/database" });
  const query = useQuery(sourcesOf(project.id, perms, project.byo));
  const text = find.trim().toLowerCase();
  const shown = (query.data ?? []).filter(({ name }) => name.toLowerCase().includes(text));
  const setFind = (next: string) => void navigate({ search: next ? { find: next } : {}, replace: true });
  const { columns } = words;
  const { slug } = project;
  if (!project.byo) {
    return (
      <Page title={words.title}>
        <Card>
          <EmptyState title={words.notOwn}>{words.notOwnText}</EmptyState>
        </Card>
      </Page>
    );
  }
  return (
    <Page title={words.title} actions={<ShowCall calls={callsOfContents()} />}>
      <p className={styles["secondary"]}>{words.text}</p>
      <FilteredList
        lacks={!can(perms, "introspect:read") && "introspect:read"}
        query={query}
        find={find}
        onFind={setFind}
        found={shown.length}
        words={words}
        none={{ title: words.none, text: words.noneText }}
      >
        <Card>
          <Table
            label={words.title}
            columns={[columns.name, columns.documents, columns.size, columns.state]}
            figures={[columns.documents, columns.size]}
            rows={shown.map((one) => ({
              key: one.name,
              cells: [
                <Link key="name" to="/p/$slug/database/$source" params={{ slug, source: one.name }}>
                  <bdi>{one.name}</bdi>
                </Link>,
                one.documents === null ? words.unknown : one.documents.toLocaleString("en"),
                one.sizeBytes === null ? words.unknown : roundSize(one.sizeBytes),
                <State key="state" of={one} slug={slug} />,
              ],
            }))}
          />
        </Card>
      </FilteredList>
    </Page>
  );
}
