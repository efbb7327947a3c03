import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Columns3, Plus, RotateCw } from "lucide-react";
import { useMemo, useState } from "react";
import type { DocumentsSearch } from "../../app/routes/data";
import { useCollection } from "../../components/data/use-collection";
import { schemaOf } from "../../components/data/schema";
import { useTitle } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { Alert } from "../../components/states/alert";
import { LeaveGuard } from "../../components/form/leave-guard";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button, IconButton } from "../../components/ui/button";
import { WithSidePanel } from "../../components/ui/side-panel";
import { Switch } from "../../components/ui/switch";
import { exactJson, type Fields } from "../../lib/json";
import { can } from "../../lib/permissions";
import { documentMessages as words } from "../../messages/documents";
import { callsOfList } from "./calls";
import { Columns } from "./columns";
import styles from "./documents.module.css";
import { conditionsOf, parseFilter } from "./filter";
import { FilterBar } from "./filter-bar";
import { Grid } from "./grid";
import { NewDocumentPanel } from "./new-document";
import { DocumentPanel } from "./panel";
import { documentsChanged, storeColumns, storedColumns, type List } from "./queries";
import { mayFollow } from "./references";
import { Selection } from "./selection";
import { useCellEdit } from "./use-cell-edit";
import { maxRows, useDocuments } from "./use-documents";
import { useFollowing, useNewer } from "./use-live";
import { useNeighbours } from "./use-neighbours";
import { useSelection } from "./use-selection";
import { fieldsOf, referenceOf } from "./values";

/** Without a choice of the person so many columns are shown. */
const maxColumns = 40;

/** Where changes are not sent, the list is read again so often while it is seen. */
const checkMs = 10_000;

/** The list that an address shows. */
const listOf = ({ pathname, search }: { pathname: string; search: DocumentsSearch }) => JSON.stringify([pathname, search.filter, search.sort]);

/** The documents of a collection: the grid, what filters it, and the open document. */
export function DocumentsPage() {
  const { name } = useCollection();
  return <Documents key={name} />;
}

function Documents() {
  const { project, perms, name } = useCollection();
  useTitle(`${words.title} of ${name}`);
  const search = useSearch({ from: "/inside/p/$slug/data/$collection/" });
  const navigate = useNavigate({ from: "/p/$slug/data/$collection/" });
  const go = (change: Partial<Record<keyof DocumentsSearch, string | true | undefined>>, replace = false) =>
    void navigate({ search: (old) => ({ ...old, ...change }) as DocumentsSearch, replace });

  const filter = useMemo(() => parseFilter(search.filter), [search.filter]);
  const list: List = { projectId: project.id, collection: name, filter: filter ?? {}, sort: search.sort };
  const may = (operation: string) => can(perms, `data:${name}:${operation}`);
  const { data: schema } = useQuery({ ...schemaOf(project.id, name), enabled: can(perms, "collections:read") });
  const mayList = filter !== undefined && may("list");
  const live = useFollowing(list, perms, search.live === true && mayList);
  const documents = useDocuments(list, mayList, live === "checking" && checkMs);
  const newer = useNewer(documents.loaded, live !== "off" && documents.first.isSuccess);
  const { first, rows, total } = documents;

  const fields = useMemo(() => fieldsOf(schema, (first.data?.documents ?? []) as Fields[]), [schema, first.data]);
  const [chosen, setChosen] = useState(() => storedColumns(project.id, name));
  const shown = chosen?.length ? chosen : fields.slice(0, maxColumns);
  const columns = shown.map((field) => {
    const reference = referenceOf(schema, field);
    return { name: field, reference: reference && mayFollow(perms, reference) ? reference : undefined };
  });
  const [choosing, setChoosing] = useState(false);
  const chooseColumns = (next: string[] | undefined) => {
    setChosen(next);
    storeColumns(project.id, name, next);
  };

  const selection = useSelection(list, documents.documentAt);
  const edit = useCellEdit(list, may("read"), newer.know);
  const setFilter = (next: Fields) => {
    selection.clear();
    go({ filter: Object.keys(next).length ? exactJson.stringify(next) : undefined }, true);
  };
  const close = () => go({ open: undefined, new: undefined, tab: undefined });
  const create = may("create") && (
    <Button look="primary" onClick={() => go({ new: true, open: undefined })}>
      <Plus size={16} strokeWidth={1.75} aria-hidden />
      {words.create}
    </Button>
  );
  const filtered = filter && Object.keys(filter).length > 0;
  const [reveal, setReveal] = useState<{ row: number }>();
  const neighbours = useNeighbours(list, documents, search.open, (open, row) => {
    setReveal({ row });
    go({ open }, true);
  });
  const panelProps = { projectId: project.id, slug: project.slug, perms, collection: name, schema, onClose: close };
  const panel =
    search.new && may("create") ? (
      <NewDocumentPanel {...panelProps} onCreated={(id) => go({ new: undefined, open: id })} />
    ) : search.open !== undefined ? (
      <DocumentPanel
        key={search.open}
        {...panelProps}
        id={search.open}
        neighbours={neighbours}
        tab={search.tab}
        onTab={(tab) => go({ tab }, true)}
      />
    ) : null;

  return (
    <WithSidePanel panel={panel}>
      <div className={styles["page"]}>
        <div className={styles["bar"]}>
          {filter && <FilterBar filter={filter} fields={fields} onChange={setFilter} />}
          <div className={styles["actions"]}>
            <span className={styles["live"]}>
              <span aria-hidden>{words.live.short}</span>
              <Switch label={words.live.follow} checked={search.live === true} onChange={(on) => go({ live: on || undefined }, true)} />
            </span>
            <ShowCall small calls={callsOfList(list)} />
            <IconButton label={words.refresh} onClick={() => void documentsChanged(project.id, name)}>
              <RotateCw size={16} strokeWidth={1.75} aria-hidden />
            </IconButton>
            <IconButton label={words.columns} onClick={() => setChoosing(true)}>
              <Columns3 size={16} strokeWidth={1.75} aria-hidden />
            </IconButton>
            {total > 0 && create}
          </div>
        </div>
        {!filter && (
          <Alert>
            {words.badFilter} <Button small onClick={() => setFilter({})}>{words.clear}</Button>
          </Alert>
        )}
        {first.isError && <ErrorState error={first.error} onRetry={() => void first.refetch()} />}
        {documents.failed && <ErrorState error={documents.failed.error} onRetry={() => void documents.failed?.refetch()} />}
        {selection.error !== undefined && <ErrorState error={selection.error} />}
        {first.isLoading && <div className={styles["loading"]}><Skeleton rows={12} height={20} /></div>}
        {first.data && total === 0 && filtered && (
          <EmptyState title={words.nothing(conditionsOf(filter).length)} action={<Button onClick={() => setFilter({})}>{words.clear}</Button>}>
            {words.nothingText}
          </EmptyState>
        )}
        {first.data && total === 0 && !filtered && (
          <EmptyState title={words.none} action={create}>
            {create ? words.noneText : words.noneReadOnly}
          </EmptyState>
        )}
        {total > 0 && (
          <>
            <Grid
              slug={project.slug}
              collection={name}
              schema={schema}
              columns={columns}
              rows={rows}
              documentAt={documents.documentAt}
              onSeen={documents.onSeen}
              sort={search.sort}
              onSort={(sort) => go({ sort }, true)}
              open={search.open}
              newer={newer.marked}
              reveal={reveal}
              onOpen={(open) => go({ open, new: undefined })}
              selected={selection.selected}
              onSelect={(row, range) => void selection.select(row, range)}
              edit={may("update") ? edit : undefined}
            />
            <footer className={styles["status"]}>
              {selection.selected.size > 0 ? (
                <Selection list={list} selected={selection.selected} onChange={selection.setSelected} columns={shown} mayDelete={may("delete")} />
              ) : (
                <>
                  <span role="status">{words.of(total)}</span>
                  {total > maxRows && <span>{words.tooMany(maxRows)}</span>}
                  {first.data && <span>{words.examined(first.data.explain.index, first.data.explain.documentsExamined, first.data.explain.timeMs)}</span>}
                </>
              )}
              {live !== "off" && <span role="status">{words.live[live]}</span>}
              {newer.marked.size > 0 && (
                <>
                  <span role="status">{words.live.newer(newer.marked.size)}</span>
                  <Button small look="quiet" onClick={newer.clear}>
                    {words.live.clear}
                  </Button>
                </>
              )}
            </footer>
          </>
        )}
        <LeaveGuard when={edit.changed} save={edit.commit} place={listOf} />
        {choosing && <Columns fields={fields} shown={shown} onChange={chooseColumns} onClose={() => setChoosing(false)} />}
      </div>
    </WithSidePanel>
  );
}
