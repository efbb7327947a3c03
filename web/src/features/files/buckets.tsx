import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useProject } from "../../app/project";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { Alert } from "../../components/states/alert";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button } from "../../components/ui/button";
import { Time } from "../../components/ui/relative-time";
import { Table } from "../../components/ui/table";
import { can } from "../../lib/permissions";
import { messages } from "../../messages";
import { fileMessages as words } from "../../messages/files";
import { AccessBadge, NewBucket } from "./bucket-dialogs";
import { bucketCalls } from "./calls";
import { bucketsOf } from "./queries";
import styles from "./files.module.css";

/** The buckets of a project. */
export function BucketsPage() {
  const { project, perms } = useProject();
  const mayRead = can(perms, "storage:read");
  const mayManage = can(perms, "storage:manage");
  const query = useQuery({ ...bucketsOf(project.id), enabled: mayRead });
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const create = (
    <Button look="primary" onClick={() => setCreating(true)}>
      <Plus size={16} strokeWidth={1.75} aria-hidden />
      {words.create}
    </Button>
  );
  const { columns } = words;
  return (
    <Page
      title={words.title}
      actions={
        <>
          <ShowCall calls={bucketCalls()} />
          {mayManage && query.data && query.data.length > 0 && create}
        </>
      }
    >
      {!mayRead && <Alert tone="warn">{messages.denied("storage:read")}</Alert>}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={1} height={160} />}
      {query.data?.length === 0 && (
        <div className={styles["frame"]}>
          <EmptyState title={words.purpose} action={mayManage && create}>
            {mayManage ? words.purposeText : words.purposeReader}
          </EmptyState>
        </div>
      )}
      {query.data && query.data.length > 0 && (
        <div className={styles["frame"]}>
          <Table
            label={words.allBuckets}
            columns={[columns.name, columns.access, columns.rules, columns.created]}
            rows={query.data.map(({ name, access, rules, createdAt }) => ({
              key: name,
              cells: [
                <Link to="/p/$slug/files/$bucket" params={{ slug: project.slug, bucket: name }}>
                  {name}
                </Link>,
                <AccessBadge access={access} />,
                rules ? words.hasRules : words.noRules,
                <Time at={createdAt} />,
              ],
            }))}
          />
        </div>
      )}
      {creating && (
        <NewBucket
          projectId={project.id}
          onClose={() => setCreating(false)}
          onCreated={(bucket) => void navigate({ to: "/p/$slug/files/$bucket", params: { slug: project.slug, bucket } })}
        />
      )}
    </Page>
  );
}
