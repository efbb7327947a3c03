import { useQuery } from "@tanstack/react-query";
import type { SignedLink, StoredFile } from "manybase";
import { useState } from "react";
import { filesOf } from "../../app/client";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { DialogForm } from "../../components/form/dialog-form";
import type { Values } from "../../components/form/form";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Button } from "../../components/ui/button";
import { Dialog, DialogActions } from "../../components/ui/dialog";
import { Facts, type Fact } from "../../components/ui/facts";
import { Time } from "../../components/ui/relative-time";
import { SelectField } from "../../components/ui/select-field";
import { SidePanel } from "../../components/ui/side-panel";
import { Snippet } from "../../components/ui/snippet";
import { toast } from "../../components/ui/toast";
import { formatMoment } from "../../lib/format";
import { inlineJson } from "../../lib/json";
import { roundSize } from "../../lib/size";
import { fileMessages } from "../../messages/files";
import { MetadataDialog } from "./metadata-dialog";
import { nameOf, type Rights } from "./model";
import { Preview } from "./preview";
import { fileOf, filesChanged } from "./queries";
import styles from "./files.module.css";

const words = fileMessages.file;

interface Props {
  projectId: string;
  bucket: string;
  isPublic: boolean;
  path: string;
  rights: Rights;
  onClose(): void;
}

function LinkDialog({ projectId, bucket, path, onClose }: Pick<Props, "projectId" | "bucket" | "path" | "onClose">) {
  const texts = fileMessages.linkDialog;
  const [link, setLink] = useState<SignedLink>();
  const sign = async ({ seconds }: Values) => setLink(await filesOf(projectId, bucket).sign(path, { seconds: Number(seconds) }));
  return (
    <Dialog open onClose={onClose} title={texts.title} description={texts.text}>
      {link ? (
        <>
          <p>{texts.until(formatMoment(link.expiresAt))}</p>
          <Snippet title={texts.label} wrap forms={[{ label: texts.label, text: link.url }]} />
          <DialogActions>
            <Button look="primary" data-first onClick={onClose}>
              {texts.finished}
            </Button>
          </DialogActions>
        </>
      ) : (
        <DialogForm label={texts.title} action={texts.action} onSubmit={sign} onClose={onClose} passing>
          <SelectField label={texts.time} name="seconds" options={texts.times} defaultValue="3600" />
        </DialogForm>
      )}
    </Dialog>
  );
}

const factsOf = (file: StoredFile): Fact[] => [
  [words.path, <bdi>{file.path}</bdi>],
  [words.size, <span title={`${file.size} bytes`}>{roundSize(file.size)}</span>],
  [words.type, <bdi>{file.contentType}</bdi>],
  file.createdAt && [words.created, <Time at={file.createdAt} />],
  file.updatedAt && [words.changed, <Time at={file.updatedAt} />],
  file.ownerId && [words.owner, <code>{file.ownerId}</code>],
  file.metadata && Object.keys(file.metadata).length > 0 && [words.metadata, <code>{inlineJson(file.metadata)}</code>],
];

/** A file: what it holds, and what can be done with it. */
export function FilePanel({ projectId, bucket, isPublic, path, rights, onClose }: Props) {
  const query = useQuery(fileOf(projectId, bucket, path));
  const [dialog, setDialog] = useState<"link" | "metadata" | "remove">();
  const [problem, setProblem] = useState<unknown>();
  const name = nameOf(path);
  const files = filesOf(projectId, bucket);
  const download = async () => {
    setProblem(undefined);
    try {
      // A link for a minute: the browser stores the file without holding it in memory.
      const { url } = await files.sign(path, { seconds: 60 });
      const anchor = document.createElement("a");
      anchor.href = url;
      anchor.download = name;
      anchor.click();
    } catch (error) {
      setProblem(error);
    }
  };
  const remove = async () => {
    await files.delete(path);
    onClose();
    await filesChanged(projectId, bucket);
    toast(words.removed(name));
  };
  const file = query.data;
  return (
    <SidePanel title={name} onClose={onClose}>
      <div className={styles["panel"]}>
        {query.isError && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
        {query.isLoading && <Skeleton rows={2} height={120} />}
        {file === null && <p>{words.missing}</p>}
        {file && (
          <>
            <div className={styles["group"]}>
              <Button onClick={() => void download()}>{words.download}</Button>
              <Button onClick={() => setDialog("link")}>{words.link}</Button>
              {rights.change && <Button onClick={() => setDialog("metadata")}>{fileMessages.metadata.edit}</Button>}
              {rights.remove && (
                <Button look="danger" onClick={() => setDialog("remove")}>
                  {words.remove}
                </Button>
              )}
            </div>
            {problem !== undefined && <ErrorState error={problem} />}
            <section aria-label={words.preview} className={styles["preview"]}>
              <Preview key={file.path} projectId={projectId} bucket={bucket} file={file} />
            </section>
            <Facts rows={factsOf(file)} />
            {isPublic && (
              <Snippet title={words.publicAddress} wrap forms={[{ label: words.publicAddress, text: files.publicUrl(path) }]} />
            )}
          </>
        )}
      </div>
      {dialog === "link" && (
        <LinkDialog projectId={projectId} bucket={bucket} path={path} onClose={() => setDialog(undefined)} />
      )}
      {dialog === "metadata" && file && (
        <MetadataDialog projectId={projectId} bucket={bucket} file={file} onClose={() => setDialog(undefined)} />
      )}
      <ConfirmDialog
        open={dialog === "remove"}
        title={words.removeTitle(name)}
        action={words.remove}
        danger
        onConfirm={remove}
        onClose={() => setDialog(undefined)}
      >
        <p>{words.removeText}</p>
      </ConfirmDialog>
    </SidePanel>
  );
}
