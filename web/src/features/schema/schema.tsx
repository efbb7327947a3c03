import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CollectionPage } from "../../components/data/collection-page";
import { schemaOf } from "../../components/data/schema";
import { useCollection } from "../../components/data/use-collection";
import { ShowCall, type Call } from "../../components/shell/show-call";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState, wordsOf } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button } from "../../components/ui/button";
import { toast } from "../../components/ui/toast";
import { can } from "../../lib/permissions";
import { schemaMessages as words } from "../../messages/schema";
import type { Json } from "../../lib/schema-fields";
import { inferredSchema } from "./queries";
import styles from "./schema.module.css";
import { Workbench } from "./workbench";

function callsOf(collection: string, manages: boolean, checks: boolean): Call[] {
  const path = `/admin/collections/${encodeURIComponent(collection)}/schema`;
  const name = JSON.stringify(collection);
  const body = { type: "object", properties: { title: { type: "string" } } };
  const schema = JSON.stringify(body);
  const calls: Call[] = [
    { title: words.calls.read, method: "GET", path, sdk: `const { schema } = await admin.getSchema(${name});` },
  ];
  if (checks) {
    calls.push({
      title: words.calls.check,
      method: "POST",
      path: `${path}/check`,
      body: { schema: body },
      sdk: `const { checked, failing, examples } = await admin.checkSchema(${name}, { schema: ${schema} });`,
    });
  }
  if (manages) {
    calls.push(
      { title: words.calls.save, method: "PUT", path, body, sdk: `await admin.setSchema(${name}, ${schema});` },
      { title: words.calls.remove, method: "DELETE", path, sdk: `await admin.removeSchema(${name});` },
    );
  }
  return calls;
}

/** Of a collection without a schema. */
function Nothing({ onStart, onInfer }: { onStart?: (() => void) | undefined; onInfer?: (() => Promise<void>) | undefined }) {
  const [busy, setBusy] = useState(false);
  const infer = async () => {
    setBusy(true);
    try {
      await onInfer?.();
    } catch (error) {
      toast(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <EmptyState
      title={words.none}
      action={
        onStart && (
          <div className={styles["actions"]}>
            <Button look="primary" onClick={onStart}>
              {words.start}
            </Button>
            {onInfer && (
              <Button busy={busy} onClick={() => void infer()}>
                {words.infer}
              </Button>
            )}
          </div>
        )
      }
    >
      {onStart ? words.noneText : words.noneReadOnly}
    </EmptyState>
  );
}

const example: Json = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };

/** Which fields the documents of a collection have: the schema as text with its fields, checked before it is saved. */
export function SchemaPage() {
  const { name } = useCollection();
  // Of another collection nothing is kept.
  return <Schema key={name} />;
}

function Schema() {
  const { project, perms, name } = useCollection();
  const query = useQuery(schemaOf(project.id, name));
  const [begun, begin] = useState<Json>();
  const manages = can(perms, "collections:manage");
  const reads = can(perms, `data:${name}:read`);
  const lists = can(perms, `data:${name}:list`);

  const infer = async () => {
    const { schema, documents } = await inferredSchema(project.id, name);
    if (documents === 0) return toast(words.inferNone);
    begin(schema);
    toast(words.inferred(documents));
  };

  const stored = query.data;
  return (
    <CollectionPage title={words.title} collection={name} actions={<ShowCall calls={callsOf(name, manages, manages && reads)} />}>
      {query.isPending && <Skeleton rows={1} height={420} />}
      {stored === undefined && query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {stored === null && !begun && (
        <Nothing onStart={manages ? () => begin(example) : undefined} onInfer={lists ? infer : undefined} />
      )}
      {(stored ?? begun) && (
        <Workbench
          slug={project.slug}
          projectId={project.id}
          collection={name}
          stored={stored ?? null}
          begun={begun}
          manages={manages}
          mayCheck={manages && reads}
          onEmpty={() => begin(undefined)}
        />
      )}
    </CollectionPage>
  );
}
