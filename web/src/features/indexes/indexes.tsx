import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus, Trash2 } from "lucide-react";
import type { Index, IndexStats } from "manybase/admin";
import { useState } from "react";
import { adminOf, projectChanged } from "../../app/queries";
import { CollectionPage } from "../../components/data/collection-page";
import { collectionsOf } from "../../components/data/queries";
import { useCollection } from "../../components/data/use-collection";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { ShowCall, type Call } from "../../components/shell/show-call";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Badge } from "../../components/ui/badge";
import { Button, IconButton } from "../../components/ui/button";
import { Panel } from "../../components/ui/panel";
import { Table } from "../../components/ui/table";
import { toast } from "../../components/ui/toast";
import { inlineJson } from "../../lib/json";
import { can } from "../../lib/permissions";
import { roundSize } from "../../lib/size";
import { indexMessages as words } from "../../messages/indexes";
import { IndexDialog } from "./index-dialog";
import styles from "./indexes.module.css";
import { indexesOf } from "./queries";

function callsOf(collection: string, manages: boolean): Call[] {
  const path = `/admin/collections/${encodeURIComponent(collection)}/indexes`;
  const name = JSON.stringify(collection);
  return [
    { title: words.calls.list, method: "GET", path, sdk: `const { indexes } = await admin.listIndexes(${name});` },
    {
      title: words.calls.stats,
      method: "GET",
      path: "/admin/collection-stats",
      sdk: `const { collections } = await admin.listCollectionStats();\nconst stats = collections.find((one) => one.name === ${name});`,
    },
    ...(manages
      ? [
          {
            title: words.calls.create,
            method: "POST",
            path,
            body: { keys: { state: 1, createdAt: -1 } },
            sdk: `const { name } = await admin.createIndex(${name}, { keys: { state: 1, createdAt: -1 } });`,
          },
          {
            title: words.calls.remove,
            method: "DELETE",
            path: `${path}/state_1_createdAt_-1`,
            sdk: `await admin.deleteIndex(${name}, "state_1_createdAt_-1");`,
          },
        ]
      : []),
  ];
}

function Keys({ keys }: { keys: Index["keys"] }) {
  return (
    <span className={styles["list"]}>
      {Object.entries(keys).map(([path, direction]) => (
        <code key={path}>
          <bdi>{path}</bdi> <span aria-hidden>{direction === 1 ? "↑" : "↓"}</span>
          <span className="visually-hidden">{direction === 1 ? words.dialog.ascending : words.dialog.descending}</span>
        </code>
      ))}
    </span>
  );
}

/** Whether the project may delete it: of a project on its owner's database, others may have made indexes there. */
const isManaged = (index: Index): boolean => index.managed !== false;

function Options({ index }: { index: Index }) {
  const { unique, sparse, covering, building, progress, expireAfterSeconds, include, partialFilter } = index;
  return (
    <span className={styles["list"]}>
      {!isManaged(index) && <Badge>{words.unmanaged}</Badge>}
      {building && <Badge tone="warn">{words.building(progress)}</Badge>}
      {unique && <Badge tone="info">{words.unique}</Badge>}
      {sparse && <Badge>{words.sparse}</Badge>}
      {covering && <Badge>{words.covering}</Badge>}
      {expireAfterSeconds !== undefined && <Badge>{words.expires(expireAfterSeconds)}</Badge>}
      {include && (
        <span className={styles["long"]} title={words.holds(include)}>
          {words.holds(include)}
        </span>
      )}
      {partialFilter && (
        <span className={styles["long"]} title={inlineJson(partialFilter)}>
          {words.partial} <code>{inlineJson(partialFilter)}</code>
        </span>
      )}
    </span>
  );
}

function figure(stats: IndexStats | undefined, value: number | undefined, write: (n: number) => string): string {
  if (value === undefined) return words.unknown;
  return stats?.approximate ? words.about(write(value)) : write(value);
}

/** The indexes of a collection with their sizes. */
export function IndexesPage() {
  const { project, perms, name } = useCollection();
  const query = useQuery(indexesOf(project.id, name));
  const stats = useQuery(collectionsOf(project.id, perms));
  const { new: isNew } = useSearch({ from: "/inside/p/$slug/data/$collection/indexes" });
  const navigate = useNavigate({ from: "/p/$slug/data/$collection/indexes" });
  const [removing, setRemoving] = useState<string>();
  const manages = can(perms, "collections:manage");
  const create = () => void navigate({ search: { new: true } });
  const ofIndex = new Map(stats.data?.find((one) => one.name === name)?.indexes.map((one) => [one.name, one]));

  const remove = async () => {
    await adminOf(project.id).deleteIndex(name, removing!);
    await projectChanged(project.id);
    toast(words.removed(removing!));
  };

  const { columns } = words;
  return (
    <CollectionPage
      title={words.title}
      collection={name}
      actions={
        <>
          <ShowCall calls={callsOf(name, manages)} />
          {manages && query.data && query.data.length > 0 && (
            <Button look="primary" onClick={create}>
              <Plus size={16} strokeWidth={1.75} aria-hidden />
              {words.create}
            </Button>
          )}
        </>
      }
    >
      {query.isPending && <Skeleton rows={1} height={180} />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.data?.length === 0 && (
        <EmptyState
          title={words.none}
          action={
            manages && (
              <Button look="primary" onClick={create}>
                <Plus size={16} strokeWidth={1.75} aria-hidden />
                {words.create}
              </Button>
            )
          }
        >
          {manages ? words.noneText : words.noneReadOnly}
        </EmptyState>
      )}
      {query.data && query.data.length > 0 && (
        <Panel title={words.shown(query.data.length)}>
          <Table
            label={words.title}
            columns={[columns.name, columns.keys, columns.options, columns.entries, columns.size, ...(manages ? [""] : [])]}
            figures={[columns.entries, columns.size]}
            rows={query.data.map((index) => {
              const one = ofIndex.get(index.name);
              return {
                key: index.name,
                cells: [
                  <bdi key="name">{index.name}</bdi>,
                  <Keys key="keys" keys={index.keys} />,
                  <Options key="options" index={index} />,
                  figure(one, one?.entries, (n) => n.toLocaleString("en")),
                  figure(one, one?.bytes, roundSize),
                  ...(manages
                    ? [
                        isManaged(index) && (
                          <IconButton key="remove" label={words.remove(index.name)} onClick={() => setRemoving(index.name)}>
                            <Trash2 size={14} aria-hidden />
                          </IconButton>
                        ),
                      ]
                    : []),
                ],
              };
            })}
          />
        </Panel>
      )}
      {manages && isNew && (
        <IndexDialog projectId={project.id} collection={name} onClose={() => void navigate({ search: {}, replace: true })} />
      )}
      <ConfirmDialog
        open={removing !== undefined}
        title={words.removeTitle(removing ?? "")}
        action={words.removeAction}
        danger
        onConfirm={remove}
        onClose={() => setRemoving(undefined)}
      >
        {words.removeText}
      </ConfirmDialog>
    </CollectionPage>
  );
}
