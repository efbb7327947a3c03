import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import type { Function as ServerFunction, FunctionVersion } from "manybase/admin";
import { useState } from "react";
import { adminOf, me } from "../../app/queries";
import { DiffView } from "../../components/editor/diff-view";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { ErrorState } from "../../components/states/problem";
import { Skeleton } from "../../components/states/skeleton";
import { Badge } from "../../components/ui/badge";
import { Button } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Time } from "../../components/ui/relative-time";
import { toast } from "../../components/ui/toast";
import { functionMessages } from "../../messages/functions";
import { refresh, versionOf, versionsOf } from "./queries";
import { TriggerLine } from "./trigger-line";
import styles from "./functions.module.css";

const words = functionMessages.versions;

interface Props {
  projectId: string;
  one: ServerFunction;
  mayManage: boolean;
  open: number | undefined;
  onOpen(version: number): void;
}

function Detail({ projectId, one, mayManage, version }: Omit<Props, "open" | "onOpen"> & { version: number }) {
  const query = useQuery(versionOf(projectId, one.name, version));
  const [asked, ask] = useState(false);
  const restore = async () => {
    const { function: restored } = await adminOf(projectId).rollbackFunction(one.name, { version });
    await refresh(projectId);
    toast(words.done(restored.version));
  };
  if (query.isPending) return <Skeleton rows={1} height={240} />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Panel
      title={words.compare(version)}
      aside={mayManage && version !== one.version && <Button onClick={() => ask(true)}>{words.rollback(version)}</Button>}
    >
      <PanelBody>
        <p>
          <TriggerLine holder={query.data} />
        </p>
        {query.data.code === one.code ? (
          <p>{words.same}</p>
        ) : (
          <DiffView label={words.compare(version)} before={query.data.code} after={one.code} language="javascript" />
        )}
      </PanelBody>
      <ConfirmDialog
        open={asked}
        title={words.rollbackTitle(version)}
        action={words.rollbackAction}
        onConfirm={restore}
        onClose={() => ask(false)}
      >
        {words.rollbackText}
      </ConfirmDialog>
    </Panel>
  );
}

/** The versions of a function, and what the open one has that the current one has not. */
export function VersionsTab({ open, onOpen, ...rest }: Props) {
  const { projectId, one } = rest;
  const query = useQuery(versionsOf(projectId, one.name));
  const { data: own } = useSuspenseQuery(me);
  if (query.isPending) return <Skeleton rows={4} height={44} />;
  if (query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  const author = ({ createdBy }: FunctionVersion) => (createdBy === own.user.id ? words.you : createdBy);
  return (
    <div className={styles["versions"]}>
      <ul aria-label={words.list} className={styles["list"]}>
        {query.data.map((each) => (
          <li key={each.version}>
            <button
              type="button"
              aria-current={each.version === open ? "true" : undefined}
              className={styles["entry"]}
              onClick={() => onOpen(each.version)}
            >
              <span className={styles["what"]}>{functionMessages.one.version(each.version)}</span>
              {each.version === one.version && <Badge tone="good">{words.current}</Badge>}
              <span className={styles["when"]}>
                <Time at={each.createdAt} /> <bdi>{words.by(author(each))}</bdi>
              </span>
            </button>
          </li>
        ))}
      </ul>
      {open !== undefined && <Detail key={open} {...rest} version={open} />}
    </div>
  );
}
