import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import type { VectorField } from "manybase/admin";
import { useState } from "react";
import { CollectionPage } from "../../components/data/collection-page";
import { useCollection } from "../../components/data/use-collection";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { ShowCall, type Call } from "../../components/shell/show-call";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button } from "../../components/ui/button";
import { toast } from "../../components/ui/toast";
import { can } from "../../lib/permissions";
import { vectorMessages as words } from "../../messages/vectors";
import { FieldDialog } from "./field-dialog";
import { FieldPanel } from "./field-panel";
import { setFields, vectorsOf } from "./queries";
import { SearchPanel } from "./search-panel";
import styles from "./vectors.module.css";

function callsOf(slug: string, collection: string, fields: readonly VectorField[], manages: boolean): Call[] {
  const path = `/admin/collections/${encodeURIComponent(collection)}/vector-config`;
  const name = JSON.stringify(collection);
  const body = { fields: fields.length ? fields : [{ name: "embedding", dimensions: 384 }] };
  const first = body.fields[0]!;
  const search = "mode" in first && first.mode === "auto" ? { text: "the sea", field: first.name } : { vector: [0.1, 0.2], field: first.name };
  const calls: Call[] = [
    { title: words.calls.read, method: "GET", path, sdk: `const { config, indexes } = await admin.getVectorConfig(${name});` },
    {
      title: words.calls.search,
      method: "POST",
      path: `/${encodeURIComponent(collection)}/search`,
      body: search,
      sdk: `const mb = createClient({ url, project: ${JSON.stringify(slug)} });\nconst hits = await mb.collection(${name}).search(${JSON.stringify(search)});`,
    },
  ];
  if (manages) {
    calls.push(
      { title: words.calls.set, method: "PUT", path, body, sdk: `await admin.setVectorConfig(${name}, ${JSON.stringify(body)});` },
      { title: words.calls.remove, method: "DELETE", path, sdk: `await admin.removeVectorConfig(${name});` },
    );
  }
  return calls;
}

/** The vector fields of a collection, and a search to try. */
export function VectorsPage() {
  const { project, perms, name } = useCollection();
  const query = useQuery(vectorsOf(project.id, name));
  const [open, setOpen] = useState<{ field?: VectorField }>();
  const [removing, setRemoving] = useState<VectorField>();
  const manages = can(perms, "collections:manage");
  const fields = query.data?.config?.fields ?? [];
  const add = (
    <Button look="primary" onClick={() => setOpen({})}>
      <Plus size={16} strokeWidth={1.75} aria-hidden />
      {words.add}
    </Button>
  );

  const remove = async () => {
    await setFields(project.id, name, fields.filter((one) => one.name !== removing!.name));
    toast(words.removed(removing!.name));
  };

  return (
    <CollectionPage
      title={words.title}
      collection={name}
      actions={
        <>
          <ShowCall calls={callsOf(project.slug, name, fields, manages)} />
          {manages && fields.length > 0 && add}
        </>
      }
    >
      {query.isPending && <Skeleton rows={2} height={160} />}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && fields.length === 0 && (
        <EmptyState title={words.none} action={manages && add}>
          {manages ? words.noneText : words.noneReadOnly}
        </EmptyState>
      )}
      {fields.length > 0 && (
        <div className={styles["columns"]}>
          <div className={styles["column"]}>
            {fields.map((field) => (
              <FieldPanel
                key={field.name}
                field={field}
                index={query.data?.indexes.find((one) => one.field === field.name)}
                onEdit={manages ? () => setOpen({ field }) : undefined}
                onRemove={manages ? () => setRemoving(field) : undefined}
              />
            ))}
          </div>
          {can(perms, `data:${name}:read`) && (
            <SearchPanel key={name} slug={project.slug} projectId={project.id} collection={name} fields={fields} />
          )}
        </div>
      )}
      {open && manages && (
        <FieldDialog projectId={project.id} collection={name} fields={fields} field={open.field} onClose={() => setOpen(undefined)} />
      )}
      <ConfirmDialog
        open={removing !== undefined}
        title={words.removeTitle(removing?.name ?? "")}
        action={words.removeAction}
        danger
        onConfirm={remove}
        onClose={() => setRemoving(undefined)}
      >
        {removing?.mode === "auto" ? words.removeAuto : words.removeManual}
      </ConfirmDialog>
    </CollectionPage>
  );
}
