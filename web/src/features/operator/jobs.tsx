import { useInfiniteQuery } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import type { DeadJob } from "manybase/control";
import { useState } from "react";
import { ConfirmDialog } from "../../components/form/confirm-dialog";
import { Changes } from "../../components/form/review";
import { ShowCall } from "../../components/shell/show-call";
import { EmptyState } from "../../components/states/empty-state";
import { Unread } from "../../components/states/unread";
import { Button, IconButton } from "../../components/ui/button";
import { Panel, PanelBody } from "../../components/ui/panel";
import { Time } from "../../components/ui/relative-time";
import { Table } from "../../components/ui/table";
import { toast } from "../../components/ui/toast";
import { operatorMessages } from "../../messages/operator";
import { control } from "../../session";
import { OperatorPage } from "./operator-page";
import styles from "./operator.module.css";
import { deadJobs, operatorChanged } from "./queries";

const words = operatorMessages.jobs;

type Open = { what: "retry" | "discard"; job: DeadJob };

function Question({ what, job, onClose }: Open & { onClose(): void }) {
  const retries = what === "retry";
  const confirm = async () => {
    await (retries ? control.retryDeadJob(job.id) : control.discardDeadJob(job.id));
    await operatorChanged();
    toast(retries ? words.retried : words.discarded);
  };
  const title = retries ? words.retryQuestion : words.discardQuestion;
  return (
    <ConfirmDialog open title={title} action={retries ? words.retry : words.discard} danger={!retries} onConfirm={confirm} onClose={onClose}>
      {!retries && <p>{words.discardText}</p>}
      <Changes label={title} changes={[{ label: `${words.job} ${job.kind}`, before: words.dead, after: retries ? words.queued : words.deleted }]} />
    </ConfirmDialog>
  );
}

function Jobs({ jobs, onOpen }: { jobs: readonly DeadJob[]; onOpen(open: Open): void }) {
  return (
    <Table
      label={words.list}
      columns={[words.kind, words.project, words.attempts, words.error, words.failed, ""]}
      figures={[words.attempts]}
      rows={jobs.map((job) => ({
        key: job.id,
        cells: [
          <code title={job.id}>{job.kind}</code>,
          job.project ? <code>{job.project}</code> : words.deployment,
          job.attempts.toLocaleString("en"),
          <bdi className={styles["error"]} title={job.error}>
            {job.error}
          </bdi>,
          <Time at={job.failedAt} />,
          <span className={styles["buttons"]}>
            <Button small aria-label={words.retryNamed(job.kind, job.id)} onClick={() => onOpen({ what: "retry", job })}>
              {words.retry}
            </Button>
            <Button small look="danger" aria-label={words.discardNamed(job.kind, job.id)} onClick={() => onOpen({ what: "discard", job })}>
              {words.discard}
            </Button>
          </span>,
        ],
      }))}
    />
  );
}

/** The jobs whose attempts have all failed. */
export function JobsPage() {
  const query = useInfiniteQuery(deadJobs);
  const [open, setOpen] = useState<Open>();
  const jobs = query.data?.pages.flat() ?? [];
  return (
    <OperatorPage
      title={words.title}
      actions={
        <ShowCall
          calls={[
            { title: words.calls.list, method: "GET", path: "/control/jobs/dead", sdk: "const { jobs } = await control.listDeadJobs();" },
            { title: words.calls.retry, method: "POST", path: "/control/jobs/dead/$JOB/retry", sdk: "await control.retryDeadJob(id);" },
            { title: words.calls.discard, method: "DELETE", path: "/control/jobs/dead/$JOB", sdk: "await control.discardDeadJob(id);" },
          ]}
        />
      }
    >
      <p className={styles["secondary"]}>{words.text}</p>
      <Panel
        title={words.list}
        aside={
          <IconButton label={words.refresh} onClick={() => void query.refetch()}>
            <RotateCw size={14} aria-hidden />
          </IconButton>
        }
      >
        <Unread query={query} rows={4} height={32} />
        {query.data && jobs.length === 0 && <EmptyState title={words.none}>{words.noneText}</EmptyState>}
        {jobs.length > 0 && <Jobs jobs={jobs} onOpen={setOpen} />}
        {query.hasNextPage && (
          <PanelBody>
            <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {words.more}
            </Button>
          </PanelBody>
        )}
      </Panel>
      {open && <Question {...open} onClose={() => setOpen(undefined)} />}
    </OperatorPage>
  );
}
