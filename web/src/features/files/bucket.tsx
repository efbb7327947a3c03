import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { FolderPlus, RotateCw } from "lucide-react";
import type { Bucket } from "manybase/admin";
import { useState, type ReactNode } from "react";
import { useProject } from "../../app/project";
import { Page } from "../../components/shell/page";
import { ShowCall } from "../../components/shell/show-call";
import { Alert } from "../../components/states/alert";
import { EmptyState } from "../../components/states/empty-state";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button, IconButton, buttonClass } from "../../components/ui/button";
import { WithSidePanel } from "../../components/ui/side-panel";
import { can } from "../../lib/permissions";
import { messages } from "../../messages";
import { fileMessages as words } from "../../messages/files";
import { AccessBadge, BucketActions } from "./bucket-dialogs";
import { fileCalls } from "./calls";
import { DropZone } from "./drop-zone";
import { FilePanel } from "./file-panel";
import { Listing } from "./listing";
import { ancestorsOf, rightsIn } from "./model";
import { NewFolder } from "./new-folder";
import { bucketsOf, filesChanged } from "./queries";
import { UploadList } from "./upload-list";
import styles from "./files.module.css";

function Crumbs({ slug, bucket, folder }: { slug: string; bucket: string; folder: string }) {
  const params = { slug, bucket };
  return (
    <nav aria-label={words.path} className={styles["crumbs"]}>
      <ol>
        <li>
          <Link to="/p/$slug/files" params={{ slug }}>
            {words.allBuckets}
          </Link>
        </li>
        <li>
          <Link to="/p/$slug/files/$bucket" params={params} search={{}}>
            {bucket}
          </Link>
        </li>
        {ancestorsOf(folder).map(({ path, name }) => (
          <li key={path}>
            <Link to="/p/$slug/files/$bucket" params={params} search={{ folder: path }}>
              <bdi>{name}</bdi>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Opened({ bucket }: { bucket: Bucket }) {
  const { project, perms } = useProject();
  const { folder = "", file } = useSearch({ from: "/inside/p/$slug/files/$bucket" });
  const navigate = useNavigate();
  const rights = rightsIn(bucket, perms);
  const [folderDialog, setFolderDialog] = useState(false);
  const place = { projectId: project.id, bucket: bucket.name };
  const params = { slug: project.slug, bucket: bucket.name };
  const close = () =>
    void navigate({ to: "/p/$slug/files/$bucket", params, search: folder ? { folder } : {} });

  const content = (upload: ReactNode) => (
    <>
      <div className={styles["bar"]}>
        <Crumbs slug={project.slug} bucket={bucket.name} folder={folder} />
        <span className={styles["group"]}>
          <IconButton label={words.refresh} onClick={() => void filesChanged(project.id, bucket.name)}>
            <RotateCw size={14} aria-hidden />
          </IconButton>
          {rights.folders && (
            <Button onClick={() => setFolderDialog(true)}>
              <FolderPlus size={16} strokeWidth={1.75} aria-hidden />
              {words.newFolder}
            </Button>
          )}
          {upload}
        </span>
      </div>
      <UploadList {...place} />
      {rights.list ? (
        <Listing key={folder} {...place} slug={project.slug} folder={folder} rights={rights} />
      ) : (
        <Alert tone="warn">{words.listDenied}</Alert>
      )}
    </>
  );
  return (
    <WithSidePanel
      panel={
        file !== undefined &&
        rights.list && (
          <FilePanel
            key={file}
            {...place}
            isPublic={bucket.access === "public"}
            path={file}
            rights={rights}
            onClose={close}
          />
        )
      }
    >
      <Page
        title={bucket.name}
        about={!rights.manage && <AccessBadge access={bucket.access} />}
        actions={
          <>
            <ShowCall calls={fileCalls(bucket.name, folder, file)} />
            {rights.manage && (
              <BucketActions
                projectId={project.id}
                bucket={bucket}
                onRemoved={() => navigate({ to: "/p/$slug/files", params: { slug: project.slug } })}
              />
            )}
          </>
        }
      >
        {rights.upload ? (
          <DropZone {...place} folder={folder}>
            {content}
          </DropZone>
        ) : (
          content(null)
        )}
        {folderDialog && <NewFolder {...place} folder={folder} onClose={() => setFolderDialog(false)} />}
      </Page>
    </WithSidePanel>
  );
}

/** A bucket: its files and folders, and the open file. */
export function BucketPage() {
  const { project, perms } = useProject();
  const { bucket: name } = useParams({ from: "/inside/p/$slug/files/$bucket" });
  const mayRead = can(perms, "storage:read");
  const query = useQuery({ ...bucketsOf(project.id), enabled: mayRead });
  const bucket = query.data?.find((one) => one.name === name);
  if (bucket) return <Opened key={name} bucket={bucket} />;
  return (
    <Page title={name}>
      {!mayRead && <Alert tone="warn">{messages.denied("storage:read")}</Alert>}
      {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isLoading && <Skeleton rows={2} height={120} />}
      {query.data && (
        <EmptyState
          title={words.bucketMissing}
          action={
            <Link to="/p/$slug/files" params={{ slug: project.slug }} className={buttonClass({})}>
              {words.toBuckets}
            </Link>
          }
        >
          {words.bucketMissingText}
        </EmptyState>
      )}
    </Page>
  );
}
